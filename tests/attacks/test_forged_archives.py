"""Archives that were put together by hand: with the ids of others, as a row of another kind, in others' conversations."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors.indices import open_index
from connectors.models import open_embedder
from flows import ingest
from flows.lanes.owners import conversation_key
from flows.maintenance.transfer import export_owner, import_owner
from mneme.errors import InputError, StoreRejected
from mneme.records import Owner
from mneme.rows import Collection, Key, Row
from mneme.settings import EmbedderSettings, Index, OpenSearch, Settings

VICTIM = Owner(tenant_id="default", type="user", id="victim")
THIEF = Owner(tenant_id="acme", type="user", id="thief")
NEIGHBOUR = Owner(tenant_id="default", type="user", id="neighbour")
HANDBOOK = Owner(tenant_id="acme", type="tenant", id="acme")
LATER = 2**45
Line = dict[str, Any]


def settings_of(folder: Path, opensearch: OpenSearch | None = None) -> Settings:
    changes: dict[str, Any] = {"data": folder, "embedder": EmbedderSettings(provider="hash")}
    if opensearch is not None:
        changes |= {"index": Index(backend="opensearch"), "opensearch": opensearch}
    return Settings(_env_file=None).model_copy(update=changes)


def taken_in(settings: Settings, owner: Owner, conversation: str) -> None:
    said = {"conversation_id": conversation, "tenant_id": owner.tenant_id, "user_id": owner.id, "message_id": "1"}
    event = said | {"sent_at": "2026-03-02T09:00:00Z", "content": f"My sister Ann lives in Lisbon, says the {owner.id}."}
    file = settings.data.parent / f"{owner.id}.jsonl"
    file.write_text(json.dumps(event) + "\n")
    ingest([file], settings)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[Owner, Path]:
    """A sound archive of everybody who forges one."""
    folder = tmp_path_factory.mktemp("exported")
    settings = settings_of(folder / "data")
    page = {"event": "document", "tenant_id": HANDBOOK.tenant_id, "document_id": "handbook", "name": "a.txt"}
    (folder / "page.jsonl").write_text(json.dumps(page | {"content": "The scanner is in the cellar."}) + "\n")
    ingest([folder / "page.jsonl"], settings)
    taken_in(settings, THIEF, "mine")
    taken_in(settings, NEIGHBOUR, "board")
    archives = {owner: folder / f"{number}.jsonl" for number, owner in enumerate((HANDBOOK, THIEF, NEIGHBOUR))}
    for owner, path in archives.items():
        export_owner(owner, path, settings)
    return archives


def forged(archive: Path, path: Path, change: Callable[[Line], Line | None]) -> Path:
    """The archive with each row changed, or left out, and an end that fits."""
    header, *lines, end = map(json.loads, archive.read_bytes().splitlines())
    rows = [changed for line in lines if (changed := change(line)) is not None]
    written = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    counts = {each: sum(row["collection"] == each for row in rows) for each in header["rows"]}
    header["rows"] = end["rows"] = {each: count for each, count in counts.items() if count}
    end["sha256"] = hashlib.sha256(written).hexdigest()
    path.write_bytes(json.dumps(header).encode() + b"\n" + written + json.dumps(end).encode() + b"\n")
    return path


def with_id(collection: str, identity: str) -> Callable[[Line], Line]:
    """Give a row the id of somebody else's, in a version that is newer than any."""

    def change(row: Line) -> Line:
        if row["collection"] == collection:
            row["id"] = row["body"]["id"] = identity
            row["version"] = row["body"]["version"] = row["version"] + LATER
        return row

    return change


def row_at(settings: Settings, key: Key) -> Row | None:
    index = open_index(settings)
    try:
        index.prepare(open_embedder(settings).identity)
        return index.get([key]).get(key)
    finally:
        index.close()


@pytest.mark.slow
@pytest.mark.opensearch
def test_an_archive_cannot_put_its_message_in_the_place_of_another_tenants(
    exported: dict[Owner, Path], tmp_path: Path, opensearch_settings: OpenSearch
) -> None:
    """OpenSearch keeps one row of an id, whosoever it is: the one of the highest version."""
    settings = settings_of(tmp_path / "data", opensearch_settings)
    taken_in(settings, VICTIM, "board")
    archive = forged(exported[THIEF], tmp_path / "forged.jsonl", with_id("messages", "default/board/1"))
    with pytest.raises(InputError, match="no sound row"):
        import_owner(archive, settings)
    said = row_at(settings, Key(Collection.MESSAGES, VICTIM.key, "default/board/1"))
    assert said is not None
    assert said.body["owner"]["id"] == "victim"


PLACES = {
    "a message": ("messages", "default/board/1"),
    "an episode": ("episodes", "default/board/1772442000000-f6fc42039fba3776"),
    "a fact": ("facts", "default/board/1772442000000-f6fc42039fba3776/f/0"),
    "a node of the graph": ("graph", "default/user/victim/e/lisbon"),
    "a cluster": ("control", "default/user/victim/k/94766ebb0ce7f810"),
}


@pytest.mark.parametrize(("collection", "identity"), PLACES.values(), ids=PLACES.keys())
def test_a_row_has_an_id_of_its_owners(exported: dict[Owner, Path], tmp_path: Path, collection: str, identity: str) -> None:
    change = with_id(collection, identity)
    archive = forged(
        exported[THIEF], tmp_path / "forged.jsonl", lambda row: row if row["kind"] == "conversation" else change(row)
    )
    with pytest.raises(InputError, match="no sound row"):
        import_owner(archive, settings_of(tmp_path / "data"))


@pytest.mark.parametrize("kind", ["erased", "flush", "erasure", "message"])
def test_a_row_is_of_the_kind_of_its_record(exported: dict[Owner, Path], tmp_path: Path, kind: str) -> None:
    """A tombstone that says nothing would end every flow that asks for it."""
    archive = forged(
        exported[HANDBOOK],
        tmp_path / "forged.jsonl",
        lambda row: row | {"kind": kind} if row["kind"] == "document" else row,
    )
    with pytest.raises(InputError, match="no sound row"):
        import_owner(archive, settings_of(tmp_path / "data"))


def test_a_conversation_of_somebody_else_is_not_entered_by_leaving_out_whose_it_is(
    exported: dict[Owner, Path], tmp_path: Path
) -> None:
    settings = settings_of(tmp_path / "data")
    taken_in(settings, VICTIM, "board")
    archive = forged(exported[NEIGHBOUR], tmp_path / "forged.jsonl", lambda row: None if row["kind"] == "conversation" else row)
    with pytest.raises(StoreRejected, match="known here already"):
        import_owner(archive, settings)
    key = conversation_key("default", "board")
    kept = row_at(settings, key)
    assert kept is not None
    assert kept.body["owner"]["id"] == "victim"


def test_an_export_goes_into_no_file_that_somebody_else_laid_in_its_way(tmp_path: Path) -> None:
    """In a folder for everybody the name of the draft can be guessed, and who made the file may read it."""
    settings = settings_of(tmp_path / "data")
    taken_in(settings, VICTIM, "board")
    (theirs := tmp_path / "theirs").write_text("as it was")
    for number, lay in enumerate((Path.symlink_to, Path.hardlink_to)):
        out = tmp_path / f"{number}.jsonl"
        lay(tmp_path / f"{number}.jsonl.draft", theirs)
        export_owner(VICTIM, out, settings)
        assert theirs.read_text() == "as it was"
        assert out.stat().st_mode & 0o777 == 0o600
        assert out.stat().st_nlink == 1
