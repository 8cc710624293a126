"""What README and quickstart send to a service is found by what they ask next: their Python and their curls, as printed."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mneme.settings import load_settings
from tests.serving.embedded_service import opened, over_http

ROOT = Path(__file__).parents[2]
PRINTED_URL = "http://127.0.0.1:8765"


def blocks(page: str, language: str, with_text: str) -> list[str]:
    """The blocks of a page that hold a text."""
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), flags=re.S | re.M)
    return [block for block in found if with_text in block]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, quick = tmp_path_factory.mktemp("first"), {"epoch_seconds": 0.2}  # for which each flush waits
    settings = load_settings({}, data=folder, service={"requests_per_minute": 0}, flow=quick)
    with opened(settings) as service, over_http(service) as url:
        first = {"conversation_id": "warm", "user_id": "somebody", "content": "We leave for Rome on Friday."}
        sent = {"flush": True, "wait": 60, "messages": [first]}  # the flow has begun then, and knows its rules
        httpx.post(f"{url}/api/v1/memories", json=sent, timeout=90).raise_for_status()
        yield url


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not here")
def test_the_curls_of_the_quickstart_find_the_message_that_they_send(url: str) -> None:
    [block] = blocks("docs/quickstart.md", "bash", "/memories/search")
    sent, found = (
        json.loads(subprocess.run(["bash", "-c", call], check=True, capture_output=True, timeout=90).stdout)
        for call in re.findall(r"^curl .*?\}'$", block.replace(PRINTED_URL, url).replace("curl ", "curl -sS "), re.S | re.M)
    )
    assert sent["flush"]["searchable"] is True
    assert sent["flush"]["conversation_ids"] == ["standup"]
    assert "The release moves to Friday." in found["facts"][0]["atomic_fact"]


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_the_python_finds_the_message_that_it_sends(url: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = blocks(page, "python", "publisher.send(")
    exec(compile(block.replace(PRINTED_URL, url), page, "exec"), {})
    assert "Tom tests the release." in capsys.readouterr().out.splitlines()[0]
