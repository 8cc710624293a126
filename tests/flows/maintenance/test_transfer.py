"""Export and import of an owner: the same rows in another index, and the conversations go on there."""

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from connectors.durable import FolderLock
from flows.items import Erasure
from flows.lanes.erasures import tombstone_row
from flows.lanes.state import WRITES_PER_RUN
from flows.maintenance.transfer import export_owner, import_owner
from mneme.errors import InputError, StoreError, StoreRejected
from mneme.events import Delete, Document, Edit, ForgetDocument, Message
from mneme.ports import Filter, MemoryIndex, Put
from mneme.records import Owner, Position
from mneme.rows import Collection, Row
from mneme.settings import EmbedderSettings, Index, OpenSearch, Settings
from mneme.times import utc_now
from tests.contracts import rows as contract
from tests.contracts.memory_index import assert_same
from tests.flows.deployment import deployed_in, remembered, taken_in, with_index
from tests.flows.river import START, contents

pytestmark = pytest.mark.slow

ANN = Owner(tenant_id="default", type="user", id="ann")
BACKENDS = ["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)]

NewIndex = Callable[[str], Settings]


@pytest.fixture
def new(tmp_path: Path, request: pytest.FixtureRequest) -> NewIndex:
    """Settings of one more deployment, with an index of its own."""
    made: list[Settings] = []

    def make(backend: str = "embedded") -> Settings:
        changes: dict[str, Any] = {"index": Index(backend=backend)}
        if backend == "opensearch":
            opensearch: OpenSearch = request.getfixturevalue("opensearch_settings")
            prefix = f"{opensearch.index_prefix}-{len(made)}"
            changes["opensearch"] = opensearch.model_copy(update={"index_prefix": prefix})
        made.append(deployed_in(tmp_path / f"data-{len(made)}", **changes))
        return made[-1]

    return make


def said(number: int, conversation: str = "talk", user: str = "ann", text: str = "") -> Message:
    return Message(
        conversation_id=conversation,
        user_id=user,
        message_id=f"m{number:03d}",
        sender_name=user.title(),
        sent_at=START.replace(hour=9 + number // 30, minute=2 * number % 60),
        content=text or f"Bob planted {number} roses behind the house, and Carol moved to Berlin in {2000 + number}.",
    )


def known(settings: Settings, owner: Owner = ANN) -> dict[str, Row]:
    """All rows of an owner, and of its conversations, by collection and id."""

    def read(index: MemoryIndex) -> dict[str, Row]:
        scope = Filter(owner.tenant_id, (owner.key,), hidden=True)
        found = [row for each in Collection for row in index.scan(each, scope, with_vectors=True)]
        of_tenant = [row for row in index.scan(Collection.CONTROL) if row.kind == "conversation"]
        return {f"{row.collection}:{row.id}": row for row in found + of_tenant}

    return with_index(settings, read)  # type: ignore[no-any-return]


def lines(path: Path) -> list[bytes]:
    """What must be the same in two archives: all but the header's date."""
    header, *rest = path.read_bytes().splitlines()
    return [json.dumps({**json.loads(header), "exported_at": ""}).encode(), *rest]


HALF = [said(number) for number in range(12)] + [said(number, "other") for number in range(40, 43)]
LATER = [
    said(12),
    HALF[2],
    Edit(conversation_id="talk", message_id="m004", content="Bob moved to Lisbon in 2011."),
    Delete(conversation_id="other", message_id="m041"),
    said(13),
]


def paper(text: str = "The rent is 900 euros.\n\nPets are allowed in the flat of Bob.") -> Document:
    return Document(document_id="paper", user_id="ann", name="paper.txt", content=text)


@pytest.fixture(scope="module")
def told_once(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A deployment that was told half of the conversations and a document; not to be changed."""
    settings = deployed_in(tmp_path_factory.mktemp("told") / "data")
    taken_in(settings, "half.jsonl", [*HALF, paper()])
    return settings


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The memory of a deployment that was told everything."""
    settings = deployed_in(tmp_path_factory.mktemp("undisturbed") / "data")
    taken_in(settings, "half.jsonl", HALF)
    taken_in(settings, "later.jsonl", LATER)
    return remembered(settings)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    one = deployed_in(tmp_path_factory.mktemp("exported") / "data")
    for run in range(3):  # versions of a later run than the other index ever had
        taken_in(one, f"half-{run}.jsonl", HALF[: 5 * (run + 1)])
    export_owner(ANN, one.data / "ann.jsonl", one)
    return (one.data / "ann.jsonl").read_bytes()


@pytest.fixture
def exported(archive: bytes, tmp_path: Path) -> Path:
    """Half of the conversations, exported."""
    path = tmp_path / "ann.jsonl"
    path.write_bytes(archive)
    return path


@pytest.mark.opensearch
@pytest.mark.parametrize(("here", "there"), [("embedded", "opensearch"), ("opensearch", "embedded")])
def test_an_import_is_the_same_row_for_row_and_exports_to_the_same_bytes(
    new: NewIndex, tmp_path: Path, here: str, there: str
) -> None:
    one, other = new(here), new(there)
    taken_in(one, "half.jsonl", [*HALF, said(1, "bobs", "bob"), Delete(conversation_id="talk", message_id="m003")])
    exported = export_owner(ANN, tmp_path / "ann.jsonl", one)
    assert exported.rows.keys() == set(Collection)
    assert import_owner(tmp_path / "ann.jsonl", other) == exported
    export_owner(ANN, tmp_path / "again.jsonl", other)
    assert lines(tmp_path / "ann.jsonl") == lines(tmp_path / "again.jsonl")
    before, after = known(one), known(other)
    assert {name for name in before if "bobs" not in name} == after.keys()
    for name, row in after.items():
        assert_same(row, before[name])
        assert (row.vector is None) == (before[name].vector is None)
        if row.vector is not None:
            assert row.vector.tobytes() == before[name].vector.tobytes()  # type: ignore[union-attr]
    assert with_index(other, lambda index: index.metadata())["run"] == "1"


@pytest.mark.parametrize("there", BACKENDS)
def test_a_conversation_goes_on_where_it_was_imported(
    new: NewIndex, exported: Path, undisturbed: dict[str, Any], there: str
) -> None:
    other = new(there)
    import_owner(exported, other)
    taken_in(other, "later.jsonl", LATER)
    assert with_index(other, contents) == undisturbed
    newest = max(row.version for row in known(other).values())
    assert newest // WRITES_PER_RUN == 4, "what is written later wins"


# --- documents -------------------------------------------------------------------------------------------------------


def of_documents(settings: Settings) -> dict[str, Row]:
    return {name: row for name, row in known(settings).items() if row.document_id is not None}


@pytest.mark.parametrize("there", BACKENDS)
def test_a_document_goes_with_its_owner_and_is_known_where_it_came(
    new: NewIndex, told_once: Settings, tmp_path: Path, there: str
) -> None:
    other = new(there)
    assert {row.kind for row in of_documents(told_once).values()} >= {"document", "message", "episode"}
    export_owner(ANN, tmp_path / "ann.jsonl", told_once)
    import_owner(tmp_path / "ann.jsonl", other)
    before = known(told_once)
    after = known(other)
    assert after.keys() == before.keys()
    for name, row in after.items():
        assert_same(row, before[name])

    taken_in(other, "again.jsonl", [paper()])
    versions = {name: row.version for name, row in of_documents(other).items()}
    assert versions == {name: before[name].version for name in versions}, "the same document changes nothing"
    taken_in(other, "newer.jsonl", [paper("The rent is 950 euros.")])
    texts = [str(row.body) for row in of_documents(other).values()]
    assert any("950" in text for text in texts)
    assert not any("900" in text or "Pets" in text for text in texts)


def test_a_document_that_was_imported_is_erased_and_comes_back_only_when_told(
    new: NewIndex, told_once: Settings, tmp_path: Path
) -> None:
    other = new("embedded")
    export_owner(ANN, tmp_path / "ann.jsonl", told_once)
    import_owner(tmp_path / "ann.jsonl", other)
    taken_in(other, "forget.jsonl", [ForgetDocument(document_id="paper", user_id="ann")])
    assert of_documents(other) == {}
    assert {row.conversation_id for row in known(other).values()} >= {"talk", "other"}

    third = new("embedded")
    taken_in(third, "paper.jsonl", [paper()])
    taken_in(third, "forget.jsonl", [ForgetDocument(document_id="paper", user_id="ann")])
    assert known(third) == {}
    with pytest.raises(StoreRejected, match="or document of it, was erased here"):
        import_owner(tmp_path / "ann.jsonl", third)
    import_owner(tmp_path / "ann.jsonl", third, lift_erasures=True)
    assert known(third).keys() == known(told_once).keys()


def test_an_owner_with_nothing_but_a_document_has_something_to_export(new: NewIndex, tmp_path: Path) -> None:
    one, other = new("embedded"), new("embedded")
    taken_in(one, "paper.jsonl", [paper()])
    exported = export_owner(ANN, tmp_path / "ann.jsonl", one)
    assert exported.rows[Collection.CONTROL] >= 1
    import_owner(tmp_path / "ann.jsonl", other)
    with pytest.raises(StoreRejected, match="does not mix"):
        import_owner(tmp_path / "ann.jsonl", other)


# --- positions -------------------------------------------------------------------------------------------------------


@pytest.fixture
def home(new: NewIndex, told_once: Settings) -> Settings:
    """A copy of the deployment that was told."""
    settings = new("embedded")
    shutil.copytree(told_once.data, settings.data)
    return settings


def positions(settings: Settings, topic: str) -> None:
    """As if all messages of the index had come from a topic of Kafka."""

    def change(index: MemoryIndex) -> None:
        rows = list(index.scan(Collection.MESSAGES, with_vectors=True))
        for offset, row in enumerate(rows):
            body = {**row.body, "position": {"topic": topic, "partition": 0, "offset": offset}}
            index.write([Put(replace(row, body=body))])
        for row in list(index.scan(Collection.CONTROL)):
            if name := {"conversation": "began_with", "document": "position"}.get(row.kind):
                index.write([Put(replace(row, body={**row.body, name: rows[0].body["position"] | {"topic": topic}}))])
        index.set_metadata({"recovery_kafka": settings.data.name})

    with_index(settings, change)


def topics(settings: Settings) -> set[str]:
    return {row.body["position"]["topic"] for row in known(settings).values() if row.kind in ("message", "document")}


def test_positions_of_another_kafka_name_it_and_are_plain_again_at_home(new: NewIndex, home: Settings, tmp_path: Path) -> None:
    abroad, back = new("embedded"), new("embedded")
    positions(home, "mneme.messages")
    export_owner(ANN, tmp_path / "1.jsonl", home)
    import_owner(tmp_path / "1.jsonl", abroad)
    assert topics(abroad) == {f"{home.data.name}:mneme.messages"}
    with_index(abroad, lambda index: index.set_metadata({"recovery_kafka": abroad.data.name}))
    export_owner(ANN, tmp_path / "2.jsonl", abroad)
    assert lines(tmp_path / "1.jsonl") == lines(tmp_path / "2.jsonl")
    with_index(back, lambda index: index.set_metadata({"recovery_kafka": home.data.name}))
    import_owner(tmp_path / "2.jsonl", back)
    assert topics(back) == {"mneme.messages"}
    before = known(home)
    for name, row in known(back).items():
        assert_same(row, before[name])


def test_positions_of_files_are_the_same_everywhere(new: NewIndex, home: Settings, tmp_path: Path) -> None:
    abroad = new("embedded")
    with_index(home, lambda index: index.set_metadata({"recovery_kafka": "here"}))
    export_owner(ANN, tmp_path / "ann.jsonl", home)
    import_owner(tmp_path / "ann.jsonl", abroad)
    assert topics(abroad) == topics(home)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_nothing_known_is_nothing_exported(told_once: Settings, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is known of user 'carol'"):
        export_owner(Owner(tenant_id="default", type="user", id="carol"), tmp_path / "carol.jsonl", told_once)
    assert not (tmp_path / "carol.jsonl").exists()


def test_memories_are_not_mixed(new: NewIndex, exported: Path) -> None:
    other = new("embedded")
    taken_in(other, "other.jsonl", [said(90, "elsewhere")])
    before = known(other)
    with pytest.raises(StoreRejected, match="does not mix"):
        import_owner(exported, other)
    assert known(other).keys() == before.keys()


def test_a_conversation_of_somebody_else_is_not_taken(new: NewIndex, exported: Path) -> None:
    other = new("embedded")
    taken_in(other, "other.jsonl", [said(90, "talk", "bob")])
    with pytest.raises(StoreRejected, match="conversation 'talk' is known here already, as one of user 'bob'"):
        import_owner(exported, other)
    assert not with_index(other, lambda index: index.count(Collection.MESSAGES, Filter("default", (ANN.key,))))


def test_vectors_of_another_embedder_are_refused(new: NewIndex, exported: Path) -> None:
    other = new("embedded").model_copy(update={"embedder": EmbedderSettings(provider="local")})
    with pytest.raises(StoreRejected, match="MNEME_EMBEDDER__"):
        import_owner(exported, other)
    assert not other.data.exists(), "no index was made for the wrong embedder"


def test_an_import_beside_a_flow_is_refused(new: NewIndex, exported: Path) -> None:
    other = new("embedded")
    store = other.data / "recovery" / "kafka"
    store.mkdir(parents=True)
    lock = FolderLock(store, "the recovery store")
    with pytest.raises(StoreRejected, match="stop it first"):
        import_owner(exported, other)
    lock.release()
    import_owner(exported, other)


def test_a_damaged_file_changes_nothing(new: NewIndex, exported: Path) -> None:
    other = new("embedded")
    exported.write_bytes(exported.read_bytes()[:-30])
    with pytest.raises(InputError):
        import_owner(exported, other)
    assert known(other) == {}


def forged(exported: Path, collection: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a row of an archive and make its end fit."""
    import hashlib

    header, *rows, end = exported.read_bytes().splitlines(keepends=True)
    changed = []
    for line in rows:
        row = json.loads(line)
        if row["collection"] == collection and change is not None:
            change(row)
        changed.append(json.dumps(row).encode() + b"\n")
    digest = hashlib.sha256(b"".join(changed)).hexdigest()
    last = json.dumps({**json.loads(end), "sha256": digest}).encode() + b"\n"
    exported.write_bytes(b"".join([header, *changed, last]))


FORGERIES: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "under another owner": ("facts", lambda row: row.update(owner_key="default/user/bob", owner_id="bob")),
    "of another tenant": ("messages", lambda row: row.update(tenant_id="acme")),
    "whose record is another owner's": ("facts", lambda row: row["body"]["owner"].update(id="bob")),
    "whose record has another id": ("episodes", lambda row: row["body"].update(id="x")),
    "of another's conversation": ("control", lambda row: row["body"].get("owner", {}).update(id="bob")),
    "that says nothing": ("graph", lambda row: row.update(body={})),
    "of the last version": ("facts", lambda row: row.update(version=2**63 - 1)),
    "with a vector of no numbers": (
        "facts",
        lambda row: row.update(vector=base64.b64encode(b"\0\0\xc0\x7f" * (len(base64.b64decode(row["vector"])) // 4)).decode()),
    ),
    "with a short vector": ("facts", lambda row: row.update(vector="AACAPwAAAAA=")),
    "in another collection": ("facts", lambda row: row.update(kind="conversation")),
}


@pytest.mark.parametrize(("collection", "change"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_row_that_was_forged_is_refused(
    new: NewIndex, exported: Path, collection: str, change: Callable[[dict[str, Any]], None]
) -> None:
    other = new("embedded")
    forged(exported, "none", lambda row: None)
    forged(exported, collection, change)
    with pytest.raises(InputError, match="no sound row"):
        import_owner(exported, other)
    assert known(other) == {}


def erased(settings: Settings, conversation: str | None) -> None:
    """The tombstone of an erasure: of a conversation, or of the owner."""
    at = utc_now()
    erasure = Erasure("default", conversation, ANN, "e1", at, Position(topic="t", partition=0, offset=10))
    with_index(settings, lambda index: index.write([Put(tombstone_row(erasure, 7 * WRITES_PER_RUN))]))


@pytest.mark.parametrize("conversation", [None, "other"])
def test_who_was_erased_comes_back_only_when_told_and_then_for_good(
    new: NewIndex, exported: Path, undisturbed: dict[str, Any], conversation: str | None
) -> None:
    other = new("embedded")
    erased(other, conversation)
    with pytest.raises(StoreRejected, match="--force"):
        import_owner(exported, other)
    assert not with_index(other, lambda index: index.count(Collection.MESSAGES))
    import_owner(exported, other, lift_erasures=True)
    taken_in(other, "later.jsonl", LATER)
    assert with_index(other, contents) == undisturbed


def test_what_was_removed_a_moment_ago_cannot_come_back_under_older_versions(new: NewIndex, exported: Path) -> None:
    other = new("embedded")
    import_owner(exported, other)

    def remove(index: MemoryIndex) -> None:
        from mneme.ports import Remove

        for row in known_rows(index):
            index.write([Remove(row.key, row.version + 1)])

    with_index(other, remove)
    with pytest.raises(StoreRejected, match="for an hour"):
        import_owner(exported, other)


def known_rows(index: MemoryIndex) -> Iterator[Row]:
    for collection in Collection:
        yield from list(index.scan(collection))


def test_an_import_that_was_interrupted_goes_on_when_it_is_repeated(
    new: NewIndex, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.maintenance import transfer

    other, whole = new("embedded"), transfer._write
    calls = iter(range(100))

    def break_off(rows: list[Row], index: MemoryIndex) -> None:
        if next(calls) == 1:
            raise StoreError("the power is gone")
        whole(rows, index)

    monkeypatch.setattr(transfer, "BATCH", 10)
    monkeypatch.setattr(transfer, "_write", break_off)
    with pytest.raises(StoreError, match="power"):
        import_owner(exported, other)
    assert known(other)
    import_owner(exported, other)
    with pytest.raises(StoreRejected, match="does not mix"):
        import_owner(exported, other)
    again = exported.with_name("again.jsonl")
    export_owner(ANN, again, other)
    assert lines(again) == lines(exported)


# --- any rows --------------------------------------------------------------------------------------------------------

EPISODE = "acme/garden/e0"
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
made_up = st.lists(
    st.one_of(
        st.builds(
            lambda number, text, version, at: contract.fact(
                f"{EPISODE}/f/{number}", text, version, contract.axis(at), parent_episode_id=EPISODE, conversation_id="garden"
            ),
            *(st.integers(0, 99), words, st.integers(1, 2**53), st.integers(0, contract.DIMENSION - 1)),
        ),
        st.builds(
            lambda number, text, deleted: contract.message(
                f"acme/garden/m{number}", text, deleted=deleted, message_id=f"m{number}"
            ),
            *(st.integers(0, 99), words, st.booleans()),
        ),
        st.builds(
            lambda number, cosine: contract.episode(f"acme/garden/e{number}", vector=contract.towards(cosine)),
            *(st.integers(0, 99), st.floats(-1, 1)),
        ),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda row: row.key,
)


# Few examples of many rows: each example needs two stores of its own.
@trials(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made_up)
@pytest.mark.parametrize("there", BACKENDS)
def test_any_rows_come_back(new: NewIndex, tmp_path: Path, there: str, rows: list[Row]) -> None:
    one, other = new("embedded"), new(there)
    owner = contract.ALICE
    sized = [replace(row, vector=None) for row in rows]
    with_index(one, lambda index: index.write([Put(row) for row in sized]))
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).unlink(missing_ok=True)
    export_owner(owner, tmp_path / "a.jsonl", one)
    import_owner(tmp_path / "a.jsonl", other)
    export_owner(owner, tmp_path / "b.jsonl", other)
    assert lines(tmp_path / "a.jsonl") == lines(tmp_path / "b.jsonl")
    assert len(known(other, owner)) == len(rows)
