"""The page of the Python API: its snippets are run against a service, one after another, and print what the page says."""

import contextlib
import io
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mneme.settings import load_settings
from tests.docs.test_first_steps import blocks

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def snippets() -> list[tuple[str, str | None]]:
    """The Python of the page, each with the output below it, if there is any."""
    return [
        (code, output or None)
        for code, output in re.findall(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", PAGE, flags=re.S | re.M)
    ]


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A service with an empty index, which the environment names."""
    uvicorn = pytest.importorskip("uvicorn")
    from serving.rest.app import create_app
    from serving.service.service import Service

    settings = load_settings({}, data=tmp_path)
    listening = socket.create_server(("127.0.0.1", 0))
    with listening, Service(settings) as opened:
        server = uvicorn.Server(uvicorn.Config(create_app(opened), log_config=None))
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        monkeypatch.setenv("MNEME_SERVICE__URL", f"http://127.0.0.1:{listening.getsockname()[1]}")
        try:
            yield
        finally:
            server.should_exit = True
            serving.join()


@pytest.mark.usefixtures("service")
def test_the_snippets_do_what_the_page_says_also_after_the_quickstart() -> None:
    [quickstart] = blocks("docs/quickstart.md", "python", "publisher.send(")
    exec(quickstart.replace('"http://127.0.0.1:8765"', "None"), {})  # where the settings say
    names: dict[str, Any] = {}
    found = snippets()
    assert sum(output is not None for _, output in found) >= 5
    for code, output in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), names)
        assert output is None or printed.getvalue() == output, code


def test_every_call_is_on_the_page() -> None:
    from connectors import Publisher
    from queries import Memories

    calls = {name for name in dir(Memories) if not name.startswith("_") and callable(getattr(Memories, name))} - {"gather"}
    assert {name for name in calls if not re.search(rf"\b{name}\(", PAGE)} == set()
    assert Publisher.__name__ in PAGE
