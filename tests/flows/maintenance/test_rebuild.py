"""A rebuild from the messages gives what the run gave that made it, and the flows go on behind it."""

import shutil
import signal
import subprocess
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors.durable import FolderLock
from connectors.indices import open_index
from connectors.reading_order import ReadingOrder
from evaluation.faults.flow_process import command, environment
from flows import ingest
from flows.lanes.epochs import WRITES_PER_RUN
from flows.maintenance.rebuild import StoreContents, rebuild_from_messages
from flows.maintenance.transfer import export_owner, import_owner
from mneme.errors import InputError, StoreRejected, StoreUnavailable
from mneme.events import Correct, Delete, Document, Edit, Forget, Message, Retract, parse_event
from mneme.ports import MemoryIndex
from mneme.records import Owner
from mneme.rows import Collection
from mneme.settings import EmbedderSettings, Settings
from tests.flows.river import START, contents

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = [EXAMPLES / name for name in ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl", "handbook.md")]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return named(tmp_path, "data")


@pytest.fixture(scope="module")
def friends_once(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = named(tmp_path_factory.mktemp("friends"), "data")
    ingest(FILES[:1], settings)
    return settings


@pytest.fixture
def friends(friends_once: Settings, settings: Settings) -> Settings:
    """A copy of a store in which the friends' talks were taken in."""
    shutil.copytree(friends_once.data, settings.data)
    return settings


def named(folder: Path, name: str) -> Settings:
    return Settings(_env_file=None).model_copy(update={"data": folder / name, "embedder": EmbedderSettings(provider="hash")})


def with_index(settings: Settings, act: Callable[[MemoryIndex], Any]) -> Any:
    index = open_index(settings)
    try:
        return act(index)
    finally:
        index.close()


def taken_in(settings: Settings, name: str, lines: list[bytes]) -> None:
    path = settings.data.parent / name
    path.write_bytes(b"\n".join(lines) + b"\n")
    ingest([path], settings)


def halves(name: str = "friends.jsonl") -> tuple[list[bytes], list[bytes]]:
    lines = (EXAMPLES / name).read_bytes().splitlines()
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


def vectors(index: MemoryIndex) -> dict[str, bytes]:
    kept = [each for each in Collection if each is not Collection.CONTROL]
    rows = [row for each in kept for row in index.scan(each, with_vectors=True)]
    return {row.id: row.vector.tobytes() for row in rows if row.vector is not None}


def test_it_makes_again_what_there_was(settings: Settings) -> None:
    ingest(FILES, settings)
    before, seen = with_index(settings, contents), with_index(settings, vectors)
    progress: list[tuple[int, int]] = []
    found: list[StoreContents] = []
    report = rebuild_from_messages(settings, found.append, lambda done, total: progress.append((done, total)))
    assert with_index(settings, contents) == before
    assert with_index(settings, vectors) == seen
    assert found == [StoreContents(report.made)]
    assert report.made[Collection.FACTS] > 50
    assert report.restarted == (), "the flows go on where they were"
    assert progress[-1] == (report.made[Collection.MESSAGES],) * 2
    assert not (settings.data / "rebuild").exists()
    oldest = with_index(settings, lambda index: min(row.version for row in index.scan(Collection.FACTS)))
    assert oldest // WRITES_PER_RUN == 2, "everything was made again"


def test_a_damaged_table_says_what_mends_it_and_that_mends_it(friends: Settings) -> None:
    before = with_index(friends, contents)
    for file in (friends.data / "index" / "tables" / "facts.lance" / "data").iterdir():
        file.write_bytes(b"no table")
    with pytest.raises(StoreUnavailable, match="mneme admin rebuild --from messages"):
        with_index(friends, lambda index: list(index.scan(Collection.FACTS)))
    rebuild_from_messages(friends)
    assert with_index(friends, contents) == before


def documents(index: MemoryIndex) -> dict[str, Any]:
    """The records of all documents, whole."""
    return {row.id: row.body for row in index.scan(Collection.CONTROL) if row.kind == "document"}


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
    taken_in(settings, "in.jsonl", [each.to_bytes() for each in (attached, paper)])
    taken_in(settings, "newer.jsonl", [newer.to_bytes()])
    before, known = with_index(settings, contents), with_index(settings, documents)
    assert {(each["name"], each["status"]) for each in known.values()} == {("rooms.txt", "read"), ("paper.txt", "read")}
    assert rebuild_from_messages(settings).dead_letters == 0
    assert with_index(settings, contents) == before
    assert with_index(settings, documents) == known, "so that the same document is known when it comes again"
    taken_in(settings, "again.jsonl", [newer.to_bytes()])
    assert with_index(settings, contents) == before
    assert with_index(settings, documents) == known


def test_what_a_defect_left_in_the_index_is_gone(friends: Settings) -> None:
    from dataclasses import replace

    from mneme.ports import Put

    before = with_index(friends, contents)

    def spoil(index: MemoryIndex) -> None:
        fact, *more = list(index.scan(Collection.FACTS))
        index.write([Put(replace(fact, id=f"{fact.id}-orphan", body={**fact.body, "id": f"{fact.id}-orphan"}))])
        from mneme.ports import Remove

        index.write([Remove(row.key, row.version + 1) for row in more[:5]])

    with_index(friends, spoil)
    assert with_index(friends, contents) != before
    rebuild_from_messages(friends)
    assert with_index(friends, contents) == before


def test_edits_and_deletes_stay_as_they_are(settings: Settings, tmp_path: Path) -> None:
    first, second = halves()
    about = {"conversation_id": "jason-and-mira", "tenant_id": "default"}
    amendments = [
        Edit(**about, message_id="friends-004", content="Rosalind moved to Reykjavik in March.").to_bytes(),
        Delete(**about, message_id="friends-006").to_bytes(),
    ]
    taken_in(settings, "1.jsonl", [*first, *amendments])
    before = with_index(settings, contents)
    rebuild_from_messages(settings)
    assert with_index(settings, contents) == before
    taken_in(settings, "2.jsonl", [*first, *second])
    undisturbed = named(tmp_path, "undisturbed")
    taken_in(undisturbed, "3.jsonl", [*first, *amendments])
    taken_in(undisturbed, "4.jsonl", [*first, *second])
    assert with_index(settings, contents) == with_index(undisturbed, contents)


def test_the_flow_goes_on_behind_it(settings: Settings, tmp_path: Path) -> None:
    undisturbed = named(tmp_path, "undisturbed")
    friends, team = halves("friends.jsonl"), halves("team.jsonl")
    for one in (settings, undisturbed):
        taken_in(one, "1.jsonl", [*friends[0], *team[0]])
        if one is settings:
            rebuild_from_messages(one)
        taken_in(one, "2.jsonl", [*friends[1], *team[1]])
    assert with_index(settings, contents) == with_index(undisturbed, contents)


def test_a_flow_that_was_stopped_with_work_under_way_goes_on_behind_it(settings: Settings, tmp_path: Path) -> None:
    """A stop in the middle leaves open conversations and unfinished episodes in the flow's own state."""
    lines = [line for name in ("friends", "team") for line in (EXAMPLES / f"{name}.jsonl").read_bytes().splitlines()]
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    process = _started(slow(settings), "ingest", str(path))
    _wait_for_messages(settings, len(lines) // 3)
    process.send_signal(signal.SIGTERM)
    process.wait(150)
    stored = with_index(settings, lambda index: index.count(Collection.MESSAGES))
    assert stored < len(lines), "stopped in the middle"
    rebuild_from_messages(settings)
    ingest([path], settings)
    undisturbed = named(tmp_path, "undisturbed")
    ingest([path], undisturbed)
    assert with_index(settings, contents) == with_index(undisturbed, contents)


def test_one_that_was_killed_goes_on_where_it_was(settings: Settings) -> None:
    files = [FILES[0], FILES[-1]]
    ingest(files, settings)
    before = with_index(settings, contents)
    for share in (0.3, 0.6):  # also one that went on already
        process = _started(slow(settings), "admin", "rebuild", "--from", "messages", "--yes")
        _wait_until_reached(settings, share, process)
        process.kill()
        process.wait()
        with pytest.raises(StoreRejected, match="mneme admin rebuild --from messages"):
            ingest(FILES[:1], settings)
    found: list[StoreContents] = []
    rebuild_from_messages(settings, found.append)
    assert found[0].goes_on
    assert with_index(settings, contents) == before
    assert ingest(files, settings).messages == 0


def test_it_starts_anew_when_something_else_wrote_meanwhile(friends: Settings) -> None:
    before = with_index(friends, contents)
    process = _started(slow(friends), "admin", "rebuild", "--from", "messages", "--yes")
    _wait_until_reached(friends, 0.3, process)
    process.kill()
    process.wait()
    with_index(friends, lambda index: index.set_metadata({"run": "77"}))
    found: list[StoreContents] = []
    rebuild_from_messages(friends, found.append)
    assert not found[0].goes_on
    assert with_index(friends, contents) == before


@pytest.mark.parametrize("name", ["files", "kafka"])
def test_it_is_refused_beside_a_flow(friends: Settings, name: str) -> None:
    store = friends.data / "recovery" / name
    store.mkdir(exist_ok=True)
    lock = FolderLock(store, "the recovery store")
    with pytest.raises(StoreRejected, match="stop it first"):
        rebuild_from_messages(friends)
    lock.release()


def test_one_from_topics_that_has_not_ended_must_end_first(friends: Settings, tmp_path: Path) -> None:
    with_index(friends, lambda index: index.set_metadata({"rebuild": "topics"}))
    mira = Owner(tenant_id="default", type="user", id="mira")
    for act in (
        lambda: rebuild_from_messages(friends),
        lambda: ingest(FILES, friends),
        lambda: export_owner(mira, tmp_path / "mira.jsonl", friends),
        lambda: import_owner(archive_of(tmp_path), friends),
    ):
        with pytest.raises(StoreRejected, match="mneme admin rebuild --from topics"):
            act()


def archive_of(folder: Path) -> Path:
    """An export of one who is known elsewhere."""
    elsewhere = named(folder, "elsewhere")
    ingest(FILES[3:4], elsewhere)
    path = folder / "xiaoyu.jsonl"
    export_owner(Owner(tenant_id="default", type="user", id="xiaoyu"), path, elsewhere)
    return path


def test_nothing_is_removed_without_consent(friends: Settings) -> None:
    before = with_index(friends, contents)

    def refuse(found: StoreContents) -> None:
        raise InputError("no")

    with pytest.raises(InputError):
        rebuild_from_messages(friends, refuse)
    assert with_index(friends, contents) == before
    assert ingest(FILES[:1], friends).messages == 0, "the flow may go on"


def slow(settings: Settings) -> Settings:
    """Settings with which much is under way for a while."""
    flow = settings.flow.model_copy(update={"source_batch": 3, "pending_limit": 6, "epoch_seconds": 0.2})
    return settings.model_copy(update={"flow": flow})


def _wait_until_reached(settings: Settings, share: float, rebuild: "subprocess.Popen[bytes]") -> None:
    """Wait until a rebuild that runs has read so much of its list."""
    while rebuild.poll() is None:
        if (path := settings.data / "rebuild" / "messages.sqlite").exists():
            order = ReadingOrder(path)
            reached, length = order.reached, len(order)
            order.close()
            if reached >= share * length:
                return
        time.sleep(0.02)
    raise AssertionError(f"the rebuild ended with {rebuild.returncode}")


def _started(settings: Settings, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command(settings, *words),
        env=environment(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_for_messages(settings: Settings, count: int) -> None:
    from mneme.errors import StoreError

    end = time.monotonic() + 150
    while time.monotonic() < end:
        index = open_index(settings, read_only=True)
        try:
            if index.count(Collection.MESSAGES) >= count:
                return
        except StoreError:  # not made yet
            pass
        finally:
            index.close()
        time.sleep(0.02)
    raise AssertionError("the messages do not come")


def test_corrections_and_retractions_stay_as_they_are_and_travel_and_are_erased(settings: Settings, tmp_path: Path) -> None:
    """One flow: a fact is corrected, another retracted; rebuild, replay, export and import keep it, an erasure takes it."""
    first = [line for line in halves()[0] if b"jason-and-mira" in line][:8]
    about = {"conversation_id": "jason-and-mira", "tenant_id": "default"}
    said = [parse_event(line, START) for line in first]
    wrong, gone = [each for each in said if isinstance(each, Message)][3:5]
    changes = [
        Correct(
            **about,
            user_id=wrong.user_id,
            group_id=wrong.group_id,
            sent_at=START.replace(year=2026, month=9),
            content="Rosalind moved to Ulaanbaatar.",
            corrects=wrong.message_id,
            words=wrong.text,
        ).to_bytes(),
        Retract(**about, message_id=gone.message_id, words=gone.text).to_bytes(),
    ]
    taken_in(settings, "1.jsonl", [*first, *changes])
    before = with_index(settings, contents)
    [right] = [each for each in before.values() if "Ulaanbaatar" in each.get("atomic_fact", "")]
    over = [each for each in before.values() if each.get("corrected")]
    assert over
    assert {each["validity"]["superseded_by"] for each in over if "validity" in each} == {right["id"]}
    assert not any(gone.text in str(each) for each in before.values())
    rebuild_from_messages(settings)
    assert with_index(settings, contents) == before
    taken_in(settings, "2.jsonl", [*first, *changes])
    assert with_index(settings, contents) == before, "a replay changes nothing"
    there = named(tmp_path, "there")
    owner = wrong.owner
    export_owner(owner, tmp_path / "out.jsonl", settings)
    import_owner(tmp_path / "out.jsonl", there)
    of_owner = {name for name, body in before.items() if body["owner"] == owner.model_dump()}
    assert {*with_index(there, contents)} == of_owner
    rebuild_from_messages(there)
    assert with_index(there, contents) == {name: body for name, body in before.items() if name in of_owner}
    taken_in(settings, "3.jsonl", [Forget(**about, requested_at=START.replace(year=2026, month=10)).to_bytes()])
    assert not any("Ulaanbaatar" in str(each) for each in with_index(settings, contents).values())
