"""The guides: their Python, the curls of the REST page and what an operator types, each run as printed, its answer checked.

Other tests run README and quickstart (``test_first_steps``, ``test_printed``), python.md (``test_python_page``), agents.md
(``tests/serving/adapters/test_examples.py``) and the files that publishing.md quotes (``tests/examples``).
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest

from flows import ingest
from mneme.settings import Settings, load_settings
from queries import Memories
from queries.filtering.filters import Filters
from tests.docs.test_printed import EXAMPLES, ROOT, run
from tests.samples.english import LEASE
from tests.samples.pages import pdf_of
from tests.serving.embedded_service import opened, over_http

RUN_ELSEWHERE = {"README.md", "quickstart.md", "python.md", "agents.md"}
# The blocks of Python, each by words in it, and what it must print.
PRINTED = {
    "answers.md: ask_stream": "14 May",
    "documents.md: send_document": "",
    "events.md: forget_document": "",
    "migration.md: def export": "",
    "publishing.md: publisher.send(": "",
    "publishing.md: jsonschema": "",
    "search.md: found.ranked()": "give up the Q2 deadline",
    "search.md: filters = {": "",
    "search.md: QueryPolicy": "chain",
    "search.md: timeline()": "Jason",
    "search.md: document.status": "handbook.md read",
}


def blocks(language: str, *pages: str) -> list[tuple[str, str]]:
    """The blocks of a language, each with its page."""
    return [
        (page.name, block)
        for page in sorted((ROOT / "docs").glob("*.md"))
        if page.name in pages or (not pages and page.name not in RUN_ELSEWHERE)
        for block in re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), flags=re.S | re.M)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in, as the guides assume it: with a clone, some documents, and the examples in an embedded index."""
    folder = tmp_path_factory.mktemp("guides")
    for name in ("examples", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "contracts").mkdir()
    for path in ("lease.pdf", "contracts/lease.pdf"):
        (folder / path).write_bytes(pdf_of(LEASE))
    ingest([ROOT / "examples" / name for name in EXAMPLES], load_settings({}, data=folder / "mneme-data"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MNEME_DATA", str(folder / "mneme-data"))
        patch.setenv("COLUMNS", "100")
        yield folder


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """A service on that index, which the environment names."""
    settings: Settings = load_settings({}, data=folder / "mneme-data", service={"requests_per_minute": 0})
    with opened(settings) as service, over_http(service) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MNEME_SERVICE__URL", url)
        yield url


def test_every_block_of_python_is_run() -> None:
    named = [(page, [key for key in PRINTED if _is_named(key, page, block)]) for page, block in blocks("python")]
    assert sorted(key for _, [key] in named) == sorted(PRINTED)


def _is_named(key: str, page: str, block: str) -> bool:
    its, _, words = key.partition(": ")
    return page == its and words in block


@pytest.mark.parametrize("key", PRINTED)
def test_python_prints_what_its_page_says(url: str, key: str, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = [block for page, block in blocks("python") if _is_named(key, page, block)]
    names: dict[str, Any] = {}
    exec(compile(block, key, "exec"), names)
    assert PRINTED[key] in capsys.readouterr().out
    if check := CHECKS.get(key):
        check(names, url)


def _the_question_was_completed(names: dict[str, Any], url: str) -> None:
    assert names["stream"].response.searched == "When is Tom's birthday?"


def _the_export_of_mem0_can_be_searched(names: dict[str, Any], url: str) -> None:
    known = {"id": "m1", "memory": "Alice plays the oboe.", "user_id": "alice", "created_at": "2025-03-01T10:00:00+00:00"}
    names["export"](SimpleNamespace(get_all=lambda **_: {"results": [known]}), "alice")
    [(_, printed)] = blocks("bash", "migration.md")
    assert printed.startswith("mneme ingest mem0.json --user alice ")
    run("mneme publish mem0.json --user alice")  # the service has the index
    assert run("mneme flush --wait mem0/user/alice")
    assert "plays the oboe" in run('mneme search "what does Alice play?" --user alice')


def _the_lease_is_found(names: dict[str, Any], url: str) -> None:
    with Memories.connect(url=url) as memories:
        _until_read(memories, "lease.pdf")
        best = memories.search("How much is the deposit?", filters={"user_id": "mira"}).ranked()[0]
    assert "7,350" in best.text


def _until_read(memories: Memories, name: str) -> None:
    for _ in range(1_500):
        if any(each.name == name and each.status == "read" for each in memories.documents({"user_id": "mira"}).documents):
            return
        memories.wait_for_flush("none", timeout=0.1)
    raise AssertionError(f"{name} is not read")


CHECKS = {
    "answers.md: ask_stream": _the_question_was_completed,
    "documents.md: send_document": _the_lease_is_found,
    "migration.md: def export": _the_export_of_mem0_can_be_searched,
    "search.md: filters = {": lambda names, url: Filters.parse(names["filters"]),
}


# --- REST -----------------------------------------------------------------------------------------------------------------


def curls() -> list[str]:
    """The calls of the page, each on its own."""
    return [call for _, block in blocks("bash", "rest.md") for call in re.split(r"^(?=curl )", block, flags=re.M) if call]


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not here")
@pytest.mark.parametrize("call", curls(), ids=lambda call: re.sub(r"\W+", " ", call)[:60])
def test_the_curls_of_the_rest_page_are_answered(url: str, call: str) -> None:
    with Memories.connect(url=url) as memories:
        facts = memories.browse("fact", {"user_id": "mira"}, limit=200).items
        fact = next(each for each in facts if each.document_id is None)  # what a document says is corrected in the document
    call = re.sub(r"http://(?:127\.0\.0\.1|localhost):8765", url, call).replace("{id}", quote(fact.id, safe=""))
    call = call.replace("user_123", "mira")
    done = subprocess.run(
        ["bash", "-c", call.replace("curl ", "curl -sS --fail-with-body ", 1)], capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if '"stream": true' in call:
        assert "event: answer" in done.stdout
    else:
        assert json.loads(done.stdout)


# --- what an operator types -------------------------------------------------------------------------------------------------

QUESTION = 'mneme search "When is Jason\'s birthday?" --user mira --top-k 3'
ON_ONE_MACHINE = (  # as operations.md and observability.md print them, and what they say or leave behind
    ("mneme admin status --once", "health", True),
    ("mneme admin dead-letters list --stage decode", "no dead letters", True),
    ("mneme admin export --user mira mira.jsonl", "", True),
    ("mneme erase --user mira", "", False),
    ("mneme admin import mira.jsonl", "", True),
    ("mneme admin rebuild --yes", "", True),
)


@pytest.mark.slow
def test_the_commands_of_an_operator_do_on_one_machine_what_the_pages_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MNEME_SERVICE__URL", raising=False)
    monkeypatch.setenv("MNEME_DATA", str(tmp_path / "mneme-data"))
    monkeypatch.setenv("MNEME_INDEX__BACKEND", "embedded")
    ingest([ROOT / "examples" / "friends.jsonl"], load_settings({}, data=tmp_path / "mneme-data"))
    printed = [line.partition("  #")[0].strip() for _, block in blocks("bash") for line in block.splitlines()]
    for line, said, is_known in ON_ONE_MACHINE:
        assert line in printed
        forced = " --force" if "import" in line else ""  # the owner was erased here
        assert said in run(line + forced, typed="y\n").lower(), line
        assert ("14 May" in run(QUESTION)) is is_known, line
