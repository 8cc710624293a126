"""A rebuild from the messages gives what the run gave that made it, and the flows go on behind it."""

import shutil
import subprocess
from base64 import b64encode
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.durable import FolderLock
from connectors.reading_order import ReadingOrder
from evaluation.faults.flow_process import command, environment
from flows import ingest
from flows.lanes.state import WRITES_PER_RUN
from flows.maintenance.rebuild import StoreContents, rebuild_from_messages
from flows.maintenance.rebuild_topics import rebuild_from_topics
from flows.maintenance.transfer import export_owner, import_owner
from mneme.errors import InputError, StoreRejected, StoreUnavailable
from mneme.events import Correct, Delete, Document, Edit, Forget, Message, Retract, parse_event
from mneme.ports import MemoryIndex, Put, Remove
from mneme.records import Owner
from mneme.rows import Collection
from mneme.settings import Settings
from tests.flows.deployment import EXAMPLES, deployed_in, remembered, stop_at, taken_in, with_index
from tests.flows.river import START
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

FRIENDS = (EXAMPLES / "friends.jsonl").read_bytes().splitlines()[:60]
TEAM = (EXAMPLES / "team.jsonl").read_bytes().splitlines()[:40]
ABOUT = {"conversation_id": "jason-and-mira", "tenant_id": "default"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return deployed_in(tmp_path / "data")


@pytest.fixture(scope="module")
def friends_once(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = deployed_in(tmp_path_factory.mktemp("friends") / "data")
    taken_in(settings, "friends.jsonl", FRIENDS)
    return settings


@pytest.fixture
def friends(friends_once: Settings, settings: Settings) -> Settings:
    """A copy of a store in which the beginning of the friends' talk was taken in."""
    shutil.copytree(friends_once.data, settings.data)
    return settings


def vectors(index: MemoryIndex) -> dict[str, bytes]:
    kept = [each for each in Collection if each is not Collection.CONTROL]
    rows = [row for each in kept for row in index.scan(each, with_vectors=True)]
    return {row.id: row.vector.tobytes() for row in rows if row.vector is not None}


def documents(index: MemoryIndex) -> dict[str, Any]:
    """The records of all documents, whole."""
    return {row.id: row.body for row in index.scan(Collection.CONTROL) if row.kind == "document"}


def test_it_makes_again_what_there_was(settings: Settings) -> None:
    ingest([EXAMPLES / name for name in ("team.jsonl", "agent.jsonl", "chinese.jsonl", "handbook.md")], settings)
    before, seen = remembered(settings), with_index(settings, vectors)
    progress: list[tuple[int, int]] = []
    found: list[StoreContents] = []
    report = rebuild_from_messages(settings, found.append, lambda done, total: progress.append((done, total)))
    assert remembered(settings) == before
    assert with_index(settings, vectors) == seen
    assert found == [StoreContents(report.made)]
    assert report.made[Collection.FACTS] > 50
    assert report.restarted == (), "the flows go on where they were"
    assert progress[-1] == (report.made[Collection.MESSAGES],) * 2
    assert not (settings.data / "rebuild").exists()
    oldest = with_index(settings, lambda index: min(row.version for row in index.scan(Collection.FACTS)))
    assert oldest // WRITES_PER_RUN == 2, "everything was made again"


def test_a_damaged_table_says_what_mends_it_and_that_mends_it(friends: Settings) -> None:
    before = remembered(friends)
    for file in (friends.data / "index" / "tables" / "facts.lance" / "data").iterdir():
        file.write_bytes(b"no table")
    with pytest.raises(StoreUnavailable, match="mneme admin rebuild --from messages"):
        with_index(friends, lambda index: list(index.scan(Collection.FACTS)))
    rebuild_from_messages(friends)
    assert remembered(friends) == before


def test_documents_and_attachments_are_made_again_without_being_read_again(settings: Settings) -> None:
    long = "\n\n".join(f"Room {number} has a green door and {number} windows to the garden." for number in range(60))
    attached = Message(
        conversation_id="talk",
        user_id="ann",
        message_id="m1",
        sender_name="Ann",
        sent_at=START,
        content=[
            {"type": "text", "text": "Here is the list of rooms."},
            {"type": "file", "name": "rooms.txt", "data": b64encode(long.encode()).decode()},
        ],
    )
    paper = Document(document_id="paper", user_id="ann", name="paper.txt", content="The rent is 900 euros.")
    newer = Document(document_id="paper", user_id="ann", name="paper.txt", content="The rent is 950 euros.")
    taken_in(settings, "in.jsonl", [attached, paper])
    taken_in(settings, "newer.jsonl", [newer])
    before, known = remembered(settings), with_index(settings, documents)
    assert {(each["name"], each["status"]) for each in known.values()} == {("rooms.txt", "read"), ("paper.txt", "read")}
    assert rebuild_from_messages(settings).dead_letters == 0
    assert remembered(settings) == before
    assert with_index(settings, documents) == known, "so that the same document is known when it comes again"
    taken_in(settings, "again.jsonl", [newer])
    assert remembered(settings) == before
    assert with_index(settings, documents) == known


def test_what_a_defect_left_in_the_index_is_gone(friends: Settings) -> None:
    before = remembered(friends)

    def spoil(index: MemoryIndex) -> None:
        fact, *more = list(index.scan(Collection.FACTS))
        index.write([Put(replace(fact, id=f"{fact.id}-orphan", body={**fact.body, "id": f"{fact.id}-orphan"}))])
        index.write([Remove(row.key, row.version + 1) for row in more[:5]])

    with_index(friends, spoil)
    assert remembered(friends) != before
    rebuild_from_messages(friends)
    assert remembered(friends) == before


def test_edits_and_deletes_stay_as_they_are_and_the_flow_goes_on_behind_it(settings: Settings, tmp_path: Path) -> None:
    first = [
        *FRIENDS[:30],
        *TEAM[:20],
        Edit(**ABOUT, message_id="friends-004", content="Rosalind moved to Reykjavik in March."),
        Delete(**ABOUT, message_id="friends-006"),
    ]
    second = [*FRIENDS, *TEAM[20:]]
    undisturbed = deployed_in(tmp_path / "undisturbed")
    for one in (settings, undisturbed):
        taken_in(one, "1.jsonl", first)
        if one is settings:
            before = remembered(one)
            rebuild_from_messages(one)
            assert remembered(one) == before
        taken_in(one, "2.jsonl", second)
    assert remembered(settings) == remembered(undisturbed)


def test_a_flow_that_was_stopped_with_work_under_way_goes_on_behind_it(friends_once: Settings, settings: Settings) -> None:
    """A stop in the middle leaves open conversations and unfinished episodes in the flow's own state."""
    path = friends_once.data.parent / "friends.jsonl"
    with pytest.raises(KeyboardInterrupt):
        ingest([path], slow(settings), stop_at(0.3))
    assert with_index(settings, lambda index: index.count(Collection.MESSAGES)) < len(FRIENDS), "stopped in the middle"
    rebuild_from_messages(settings)
    ingest([path], settings)
    assert remembered(settings) == remembered(friends_once)


def test_one_that_was_killed_goes_on_where_it_was(friends: Settings) -> None:
    paper = [Document(document_id="paper", user_id="mira", name="paper.txt", content="The rent is 900 euros.")]
    taken_in(friends, "paper.jsonl", paper)
    before = remembered(friends)
    killed_at(0.3, friends, "admin", "rebuild", "--from", "messages", "--yes")
    with pytest.raises(StoreRejected, match="mneme admin rebuild --from messages"):
        ingest([EXAMPLES / "team.jsonl"], friends)
    with pytest.raises(KeyboardInterrupt):  # also one that went on already
        rebuild_from_messages(slow(friends), on_progress=stop_at(0.6))
    found: list[StoreContents] = []
    rebuild_from_messages(friends, found.append)
    assert found[0].goes_on
    assert remembered(friends) == before
    taken_in(friends, "again.jsonl", [*FRIENDS, *paper])
    assert remembered(friends) == before


def test_it_starts_anew_when_something_else_wrote_meanwhile(friends: Settings) -> None:
    before = remembered(friends)
    with pytest.raises(KeyboardInterrupt):
        rebuild_from_messages(slow(friends), on_progress=stop_at(0.3))
    with_index(friends, lambda index: index.set_metadata({"run": "77"}))
    found: list[StoreContents] = []
    rebuild_from_messages(friends, found.append)
    assert not found[0].goes_on
    assert remembered(friends) == before


def test_it_is_refused_beside_a_flow(friends: Settings) -> None:
    lock = FolderLock(friends.data / "recovery" / "files", "the recovery store")
    with pytest.raises(StoreRejected, match="stop it first"):
        rebuild_from_messages(friends)
    lock.release()


def test_one_from_topics_that_has_not_ended_must_end_first(friends: Settings, tmp_path: Path) -> None:
    mira = Owner(tenant_id="default", type="user", id="mira")
    export_owner(mira, tmp_path / "mira.jsonl", friends)
    with_index(friends, lambda index: index.set_metadata({"rebuild": "topics"}))
    for act in (
        lambda: rebuild_from_messages(friends),
        lambda: ingest([EXAMPLES / "team.jsonl"], friends),
        lambda: export_owner(mira, tmp_path / "again.jsonl", friends),
        lambda: import_owner(tmp_path / "mira.jsonl", friends),
    ):
        with pytest.raises(StoreRejected, match="mneme admin rebuild --from topics"):
            act()


def test_topics_that_flink_reads_are_not_read_again_by_another_engine(settings: Settings) -> None:
    folder = settings.data / "recovery" / "kafka"
    folder.mkdir(parents=True)
    (folder / "mneme.json").write_text('{"recovery_id": "a", "run": 3, "engine": "flink"}')
    with pytest.raises(StoreRejected, match=r"a flow on Flink.*--from messages"):
        rebuild_from_topics(settings)


def test_nothing_is_removed_without_consent(friends: Settings) -> None:
    before = remembered(friends)

    def refuse(found: StoreContents) -> None:
        raise InputError("no")

    with pytest.raises(InputError):
        rebuild_from_messages(friends, refuse)
    assert remembered(friends) == before
    taken_in(friends, "again.jsonl", FRIENDS)
    assert remembered(friends) == before, "the flow may go on"


def slow(settings: Settings) -> Settings:
    """Settings with which much is under way for a while."""
    flow = settings.flow.model_copy(update={"source_batch": 3, "pending_limit": 6, "epoch_seconds": 0.2})
    return settings.model_copy(update={"flow": flow})


def killed_at(share: float, settings: Settings, *words: str) -> None:
    """Run a rebuild as the command that it is, and kill it when it has read so much of its list."""
    path = settings.data / "rebuild" / "messages.sqlite"
    rebuild = subprocess.Popen(
        command(slow(settings), *words),
        env=environment(slow(settings)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def is_reached() -> bool:
        assert rebuild.poll() is None, f"the rebuild ended with {rebuild.returncode}"
        if not path.exists():
            return False
        with closing(ReadingOrder(path)) as order:
            return order.reached >= share * len(order)

    try:
        wait_until(is_reached)
    finally:
        rebuild.kill()
        rebuild.wait()


def test_corrections_and_retractions_stay_as_they_are_and_travel_and_are_erased(settings: Settings, tmp_path: Path) -> None:
    """One flow: a fact is corrected, another retracted; rebuild, replay, export and import keep it, an erasure takes it."""
    first = FRIENDS[:8]
    said = [parse_event(line, START) for line in first]
    wrong, gone = [each for each in said if isinstance(each, Message)][3:5]
    changes = [
        Correct(
            **ABOUT,
            user_id=wrong.user_id,
            group_id=wrong.group_id,
            sent_at=START.replace(year=2026, month=9),
            content="Rosalind moved to Ulaanbaatar.",
            corrects=wrong.message_id,
            words=wrong.text,
        ),
        Retract(**ABOUT, message_id=gone.message_id, words=gone.text),
    ]
    taken_in(settings, "1.jsonl", [*first, *changes])
    before = remembered(settings)
    [right] = [each for each in before.values() if "Ulaanbaatar" in each.get("atomic_fact", "")]
    over = [each for each in before.values() if each.get("corrected")]
    assert over
    assert {each["validity"]["superseded_by"] for each in over if "validity" in each} == {right["id"]}
    assert not any(gone.text in str(each) for each in before.values())
    rebuild_from_messages(settings)
    assert remembered(settings) == before
    taken_in(settings, "2.jsonl", [*first, *changes])
    assert remembered(settings) == before, "a replay changes nothing"
    there = deployed_in(tmp_path / "there")
    owner = wrong.owner
    export_owner(owner, tmp_path / "out.jsonl", settings)
    import_owner(tmp_path / "out.jsonl", there)
    of_owner = {name: body for name, body in before.items() if body["owner"] == owner.model_dump()}
    assert remembered(there).keys() == of_owner.keys()
    rebuild_from_messages(there)
    assert remembered(there) == of_owner
    taken_in(settings, "3.jsonl", [Forget(**ABOUT, requested_at=START.replace(year=2026, month=10))])
    assert not any("Ulaanbaatar" in str(each) for each in remembered(settings).values())
