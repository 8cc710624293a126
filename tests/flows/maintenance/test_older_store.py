"""A store of an older format is refused, and `mneme admin rebuild` makes it anew: nothing is lost, erased stays out."""

import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.indices import open_index
from connectors.opensearch.client import open_client
from evaluation.faults.flow_process import environment
from flows import ingest
from flows.lanes.erasures import tombstone_keys
from flows.maintenance.bulk import abandon
from flows.maintenance.rebuild import RebuildReport, StoreContents, rebuild_from_messages
from flows.maintenance.transfer import export_owner
from mneme.errors import InputError, StoreRejected
from mneme.events import Delete, Document
from mneme.ids import owner_key
from mneme.ports import MemoryIndex
from mneme.records import Owner
from mneme.rows import Collection, Key
from mneme.settings import Index, OpenSearch, Settings
from mneme.store_format import FORMAT
from queries import Memories
from serving.cli import app
from tests.flows.deployment import deployed_in, remembered, stop_at, with_index
from tests.flows.maintenance.test_rebuild import killed_at, slow

pytestmark = pytest.mark.slow

STORE = Path(__file__).parent / "format_2"
EVENTS = STORE / "events.jsonl"
LONG, TWIN = (
    "mira-the-very-long-name-of-an-account-that-some-directory-service-made-out-of-a-region-a-tenant-a-team-a-mail-address-and-"
    "a-number/0000000000000042",
    "mira-the-very-lo~42d059371e0118cb",
)
GONE = "left-the-company-" + "y" * 140


def unpacked(folder: Path) -> Settings:
    with tarfile.open(STORE / "store.tar.xz") as archive:
        archive.extractall(folder / "older", filter="data")
    return deployed_in(folder / "older")


@pytest.fixture
def older(tmp_path: Path) -> Settings:
    """The settings of a copy of the older store."""
    return unpacked(tmp_path)


@dataclass(frozen=True)
class Rebuilt:
    """An older store that was made anew: what it was, and what was told of that."""

    settings: Settings
    tables_before: dict[str, str]
    found: StoreContents
    report: RebuildReport


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Rebuilt:
    settings = unpacked(tmp_path_factory.mktemp("rebuilt"))
    before, found = tables(settings), list[StoreContents]()
    report = rebuild_from_messages(settings, found.append)
    return Rebuilt(settings, before, found[0], report)


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of a store that the same events make today."""
    settings = deployed_in(tmp_path_factory.mktemp("today") / "data")
    ingest([EVENTS], settings)
    return settings


def tables(settings: Settings) -> dict[str, str]:
    """The files of the old store, by their contents."""
    folder = settings.data / "index" / "tables"
    return {str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest() for file in files_in(folder)}


def files_in(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


def texts(settings: Settings, user: str, query: str) -> list[str]:
    with Memories.connect(settings) as memories:
        return [item.text for item in memories.search(query, filters={"user_id": user, "knowledge": False}).ranked()]


def test_every_way_to_it_names_the_command_that_makes_it_anew(older: Settings, tmp_path: Path) -> None:
    owner = Owner(tenant_id="default", type="user", id="anders")
    with Memories.connect(older) as memories:
        ways = (
            lambda: ingest([EVENTS], older),
            lambda: memories.search("canoe", method="keyword", filters={"user_id": "anders"}),
            lambda: memories.search("canoe", filters={"user_id": "anders"}),
            lambda: memories.conversations(filters={"user_id": "anders"}),
            lambda: export_owner(owner, tmp_path / "anders.jsonl", older),
        )
        for way in ways:
            with pytest.raises(StoreRejected, match="`mneme admin rebuild`"):
                way()


def test_a_service_does_not_start_on_it(older: Settings) -> None:
    served = CliRunner().invoke(app, ["serve", "--port", "0"], env=environment(older))
    assert served.exit_code == 1
    assert "`mneme admin rebuild`" in served.stderr
    assert "Traceback" not in served.stderr


def test_the_doctor_says_what_is_wrong(older: Settings) -> None:
    told = CliRunner().invoke(app, ["doctor", "index"], env=environment(older))
    assert told.exit_code == 1
    assert "`mneme admin rebuild`" in " ".join(told.output.split())


def test_it_becomes_what_the_same_events_make_today(rebuilt: Rebuilt, today: Settings) -> None:
    assert rebuilt.found.rows[Collection.MESSAGES] >= 300
    assert not rebuilt.found.goes_on
    assert rebuilt.report.restarted == ("files",)
    anew = rebuilt.settings
    assert tables(anew) == rebuilt.tables_before, "the old store is as it was"

    assert told(anew) == told(today)
    assert with_index(anew, kept) == with_index(today, kept), "documents, conversations, tombstones and receipts too"
    assert json.loads((anew.data / "index" / "index.json").read_text())["format"] == FORMAT


def told(settings: Settings) -> tuple[dict[str, Any], Counter[str]]:
    """Everything that is found of conversations, and the texts of documents.

    Times of arrival are left out: for a document of a file that is when it was read. So are ids of chunks: these name places,
    and the reader of then named other places.
    """
    found = remembered(settings)
    said = {name: body for name, body in found.items() if not body.get("document_id")}
    written = Counter(f"{body['kind']}: {body.get('text')}" for name, body in found.items() if name not in said)
    return {name: {key: value for key, value in body.items() if key != "created_at"} for name, body in said.items()}, written


def kept(index: MemoryIndex) -> dict[Key, Any]:
    """Rows that are neither searched nor derived, without the counters of the flow, the ids of chunks and what is new since."""
    unlike = ("version", "arrived_at", "erased_at", "created_at", "attempt", "edition", "chunk_ids", "is_of_an_owner", "of")
    rows = [
        row for row in index.scan(Collection.CONTROL) if row.kind not in ("cluster", "flush")
    ]  # erasures named theirs otherwise
    return {row.key: {name: value for name, value in row.body.items() if name not in unlike} for row in rows}


def test_what_comes_again_changes_nothing_and_what_was_erased_stays_out(rebuilt: Rebuilt, tmp_path: Path) -> None:
    anew = deployed_in(tmp_path / "anew")
    shutil.copytree(rebuilt.settings.data, anew.data)
    before = told(anew)
    ingest([EVENTS], anew)
    assert told(anew) == before
    assert not [body for body in remembered(anew).values() if "canary" in json.dumps(body)]
    gone = Owner(tenant_id="default", type="user", id=GONE)
    [tombstone] = tombstone_keys(gone, None)
    assert tombstone in with_index(anew, lambda index: index.get([tombstone]))


def test_two_users_who_shared_a_key_are_apart(rebuilt: Rebuilt) -> None:
    anew = rebuilt.settings
    assert owner_key("default", "user", LONG) != owner_key("default", "user", TWIN)
    assert any("7741" in text for text in texts(anew, LONG, "What is the alarm code of the garage?"))
    assert not any("7741" in text for text in texts(anew, TWIN, "What is the alarm code of the garage?"))
    assert any("990 euro" in text for text in texts(anew, TWIN, "How much is the rent?"))
    assert not any("euro" in text for text in texts(anew, LONG, "How much is the rent?"))


def test_it_goes_on_when_it_was_killed(older: Settings, today: Settings) -> None:
    before = tables(older)
    killed_at(0.4, older, "admin", "rebuild", "--yes")
    assert tables(older) == before
    with pytest.raises(StoreRejected, match="mneme admin rebuild"):
        ingest([EVENTS], older)
    found: list[StoreContents] = []
    rebuild_from_messages(older, found.append)
    assert found[0].goes_on
    assert told(older) == told(today)


def test_one_that_was_interrupted_can_be_given_up(older: Settings) -> None:
    before = tables(older)
    with pytest.raises(KeyboardInterrupt):
        rebuild_from_messages(slow(older), on_progress=stop_at(0.2))
    assert abandon(older)
    assert not abandon(older)
    assert tables(older) == before
    assert not (older.data / "rebuild").exists()
    assert {each.name for each in (older.data / "index").iterdir() if each.is_dir()} == {"tables"}


@pytest.mark.opensearch
def test_one_in_opensearch_is_made_anew_beside_the_old_indices(tmp_path: Path, opensearch_settings: OpenSearch) -> None:
    settings = deployed_in(tmp_path / "data", index=Index(backend="opensearch"), opensearch=opensearch_settings)
    events = tmp_path / "events.jsonl"
    long_talks = (b"jason-and-mira", b"dockside", b"xiaoyu-and-haoran")
    lines = EVENTS.read_bytes().splitlines(keepends=True)
    events.write_bytes(b"".join(line for line in lines if not any(name in line for name in long_talks)))
    ingest([events], settings)
    made = remembered(settings)
    client, pattern = open_client(opensearch_settings), f"{opensearch_settings.index_prefix}-*"
    client.indices.put_mapping(index=pattern, body={"_meta": {"format": FORMAT - 1}})
    store = settings.data / "recovery" / "files" / "mneme.json"
    store.write_text(json.dumps({**json.loads(store.read_text()), "format": FORMAT - 1}))
    with pytest.raises(StoreRejected, match="`mneme admin rebuild`"):
        ingest([events], settings)

    assert rebuild_from_messages(settings).restarted == ("files",)
    assert remembered(settings) == made
    generations = {name.rpartition("-")[2] for name in client.indices.get(index=pattern)}
    assert generations == {"1", "2"}, "the old indices are kept"
    ingest([events], settings)
    assert remembered(settings) == made
    client.indices.delete(index=",".join(client.indices.get(index=pattern)))
    client.close()


def test_nothing_is_made_without_consent(older: Settings) -> None:
    files = {file for file in files_in(older.data) if file.name != "writer.lock"}

    def refuse(found: StoreContents) -> None:
        raise InputError("no")

    with pytest.raises(InputError):
        rebuild_from_messages(older, refuse)
    left = set(files_in(older.data)) - files
    assert {file.name for file in left} <= {"writer.lock"}


def test_events_that_were_at_work_are_taken_in(older: Settings) -> None:
    """A flow of before had kept a document to read and a delete to apply, and its state is not read any more."""
    from flows.decode import amendment_of
    from flows.items import Unread
    from flows.lanes.parked_events import amendment_row, unread_row
    from mneme.ports import Incoming, Put
    from mneme.records import Position
    from mneme.times import from_milliseconds

    arrived = from_milliseconds(1_800_000_000_000)
    delete = Delete(conversation_id="stays", message_id="s1")
    paper = Document(document_id="paper", user_id="anders", name="paper.txt", content="The harbour opens at dawn.")
    incoming = Incoming(delete.to_bytes(), Position(topic="mneme.messages", partition=0, offset=7), arrived)
    rows = [
        amendment_row(amendment_of(delete, incoming), 5),
        unread_row(Unread(paper, Position(topic="mneme.documents", partition=0, offset=3), arrived, paper.to_bytes()), 6),
    ]
    with closing(open_index(older, any_format=True)) as index:
        index.write([Put(row) for row in rows])
    rebuild_from_messages(older)
    assert any("harbour" in text for text in texts(older, "anders", "When does the harbour open?"))
    assert not any("canoe" in text for text in texts(older, "anders", "Who bought a canoe?"))
    assert not {"amendment", "unread"} & with_index(older, lambda index: {row.kind for row in index.scan(Collection.CONTROL)})
