"""The inbox: every event once and in order, whatever is killed; what is done leaves the disk."""

import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.inbox import writer as writer_module
from connectors.inbox.reader import InboxReader, committed, unread
from connectors.inbox.segments import first_offsets, inbox_folder, segment
from connectors.inbox.writer import InboxTransport, InboxWriter
from mneme.errors import DiskFull, StoreRejected
from mneme.events import Erase, Forget, ForgetDocument, Message
from mneme.ports import Lane
from mneme.records import Position
from mneme.times import utc_now
from tests.contracts.transport import Arrived, TransportContract, in_threads


class TestTransport(TransportContract):
    @pytest.fixture
    def transport(self, tmp_path: Path) -> InboxTransport:
        return InboxTransport(tmp_path)

    @pytest.fixture
    def arrived(self, tmp_path: Path) -> Arrived:
        return lambda lane: read_all(tmp_path, lane)


def read_all(data: Path, lane: Lane = "messages", offset: int | None = None) -> list[bytes]:
    reader = InboxReader(data, lane, offset)
    events = list[bytes]()
    while batch := reader.poll(100):
        events += [event.raw for event in batch]
    reader.close()
    return events


def folder_of(data: Path) -> Path:
    return inbox_folder(data) / "messages"


def append(data: Path, *events: bytes, close_segment: bool = False) -> None:
    InboxWriter(folder_of(data)).append(events, close_segment)


def on_disk(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in inbox_folder(data).rglob("*") if path.is_file())


# --- places and times ------------------------------------------------------------------------------------------------


def test_an_event_has_its_place_and_the_time_of_receipt(tmp_path: Path):
    before = utc_now() - timedelta(milliseconds=1)
    append(tmp_path, b'{"a":1}', b'{"b":2}')
    reader = InboxReader(tmp_path, "messages", None)
    [first, second] = reader.poll(10)
    assert first.received_at is not None
    assert before <= first.received_at <= utc_now()
    assert second.position == Position(topic="inbox.messages", partition=0, offset=second.position.offset)
    assert first.position.offset < second.position.offset < reader.position
    reader.close()
    assert read_all(tmp_path, offset=second.position.offset) == [b'{"b":2}'], "offsets are places to go on from"


def test_an_event_is_one_line(tmp_path: Path):
    append(tmp_path, b'{\n "a":\r\n 1}')
    assert read_all(tmp_path) == [b'{  "a":   1}']


def test_what_nobody_of_ours_wrote_is_handed_on_as_it_is(tmp_path: Path):
    append(tmp_path, b"{}")
    [first] = first_offsets(folder_of(tmp_path))
    with segment(folder_of(tmp_path), first).open("ab") as file:
        file.write(b"no time {}\n")
    reader = InboxReader(tmp_path, "messages", None)
    [_, foreign] = reader.poll(10)
    reader.close()
    assert (foreign.raw, foreign.received_at) == (b"no time {}", None)


def test_a_poll_gives_no_more_than_asked_for_and_never_waits(tmp_path: Path):
    reader = InboxReader(tmp_path, "messages", None)
    assert reader.poll(10) == []
    append(tmp_path, *[b"%d" % number for number in range(7)])
    assert [len(reader.poll(3)) for _ in range(4)] == [3, 3, 1, 0]
    reader.close()


def test_an_event_longer_than_a_block_is_read_whole(tmp_path: Path):
    long = b"x" * 3_000_000
    append(tmp_path, b"1", long, b"2")
    assert read_all(tmp_path) == [b"1", long, b"2"]


# --- crashes ---------------------------------------------------------------------------------------------------------


def test_half_a_line_is_not_read_and_the_next_writer_cuts_it_off(tmp_path: Path):
    append(tmp_path, b"1")
    [first] = first_offsets(folder_of(tmp_path))
    with segment(folder_of(tmp_path), first).open("ab") as file:
        file.write(b'1700000000000 {"torn')
    reader = InboxReader(tmp_path, "messages", None)
    assert [event.raw for event in reader.poll(10)] == [b"1"]
    assert reader.poll(10) == []
    append(tmp_path, b"2")
    assert [event.raw for event in reader.poll(10)] == [b"2"]
    reader.close()
    assert read_all(tmp_path) == [b"1", b"2"]


KILLED = """
import os, signal, sys
from pathlib import Path
from connectors.inbox import writer
from connectors.inbox.writer import InboxWriter
def part(descriptor, data):
    os.write(descriptor, data[:len(data) // 2])
    os.kill(os.getpid(), signal.SIGKILL)
log = InboxWriter(Path(sys.argv[1]))
log.append([b"whole"])
writer.write_all = part
log.append([b"lost" * 50])
"""


def test_a_writer_killed_in_mid_append_leaves_what_it_had_acknowledged(tmp_path: Path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder_of(tmp_path))], check=False)
    assert killed.returncode == -9
    assert b"lost" in on_disk(tmp_path)
    append(tmp_path, b"after")
    assert read_all(tmp_path) == [b"whole", b"after"]
    assert b"lost" not in on_disk(tmp_path)


APPENDING = """
import sys
from pathlib import Path
from connectors.inbox import writer
from connectors.inbox.writer import InboxWriter
writer.SEGMENT_BYTES = 900
log = InboxWriter(Path(sys.argv[1]))
for number in range(40):
    log.append([b"%s-%d" % (sys.argv[2].encode(), number)])
"""


def test_two_processes_may_append_at_once_beside_a_reader(tmp_path: Path):
    command = [sys.executable, "-c", APPENDING, str(folder_of(tmp_path))]
    writers = [subprocess.Popen([*command, name]) for name in ("a", "b")]
    reader, events = InboxReader(tmp_path, "messages", None), list[bytes]()
    while len(events) < 80:
        events += [event.raw for event in reader.poll(7)]
        reader.commit(reader.position)
        assert events or any(writer.poll() is None for writer in writers)
    assert all(writer.wait() == 0 for writer in writers)
    assert reader.poll(10) == []
    reader.close()
    for name in (b"a", b"b"):
        assert [event for event in events if event.startswith(name)] == [b"%s-%d" % (name, number) for number in range(40)]


def test_a_full_disk_is_told_to_each_who_sent_and_what_is_sent_again_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    transport = InboxTransport(tmp_path)
    both_have_sent = threading.Barrier(2)
    told = list[str]()

    def no_room(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    def send(number: int) -> None:
        transport.send("messages", "key", b"%d" % number)
        both_have_sent.wait()
        with pytest.raises(DiskFull, match="make room") as raised:
            transport.flush()
        told.append(str(raised.value))

    with monkeypatch.context() as patched:
        patched.setattr(writer_module, "write_all", no_room)
        in_threads(send, 2)
    assert len(told) == 2
    transport.flush()
    transport.send("messages", "key", b"again")
    transport.flush()
    assert read_all(tmp_path) == [b"again"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path):
    folder_of(tmp_path).mkdir(parents=True)
    folder_of(tmp_path).chmod(0o500)
    with pytest.raises(StoreRejected, match="rights of MNEME_DATA"):
        append(tmp_path, b"1")


# --- what leaves the disk --------------------------------------------------------------------------------------------


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "SEGMENT_BYTES", 60)


@pytest.mark.usefixtures("small_segments")
def test_segments_that_are_done_are_deleted(tmp_path: Path):
    for number in range(10):
        append(tmp_path, b"event %d" % number * 3)
    reader = InboxReader(tmp_path, "messages", None)
    assert len(first_offsets(folder_of(tmp_path))) > 4
    half = [reader.poll(1)[0] for _ in range(5)][-1].position.offset
    reader.commit(half)
    assert min(first_offsets(folder_of(tmp_path))) <= half
    assert unread(tmp_path, "messages") == 6, "what is committed, not what is polled"
    assert reader.lag() == 5
    assert b"event 3" not in on_disk(tmp_path)
    assert b"event 5" in on_disk(tmp_path)
    reader.close()
    again = InboxReader(tmp_path, "messages", half)
    assert len([event for _ in range(6) for event in again.poll(100)]) == 6
    again.commit(again.position)
    again.close()
    assert unread(tmp_path, "messages") == 0
    assert committed(tmp_path, "messages") == again.position
    assert b"event" not in on_disk(tmp_path)


@pytest.mark.parametrize(
    "event",
    [
        Forget(conversation_id="secret"),
        Erase(user_id="ann"),
        ForgetDocument(document_id="secret.md", user_id="ann"),
    ],
    ids=lambda event: event.event,
)
def test_what_is_erased_is_gone_as_soon_as_the_erasure_is_done(tmp_path: Path, event: Forget | Erase | ForgetDocument):
    transport = InboxTransport(tmp_path)
    for lane in ("messages", "backfill", "documents"):
        transport.send(lane, "key", b'{"content":"a secret"}')
    transport.send("messages", event.key, event.to_bytes())
    transport.flush()
    transport.send("messages", "key", Message(conversation_id="new", user_id="bob", content="hello").to_bytes())
    transport.flush()
    for lane in ("messages", "backfill", "documents"):
        reader = InboxReader(tmp_path, lane, None)
        done = 0
        for each in reader.poll(10):
            if b"hello" not in each.raw:
                done = each.position.offset + len(each.raw) + len(b"1700000000000 \n")
        reader.commit(done)
        reader.close()
    left = on_disk(tmp_path)
    assert b"secret" not in left
    assert b"hello" in left


def test_what_was_done_long_before_goes_with_an_erasure_in_another_lane(tmp_path: Path):
    transport = InboxTransport(tmp_path)
    transport.send("documents", "key", b'{"content":"a secret"}')
    transport.flush()
    reader = InboxReader(tmp_path, "documents", None)
    reader.poll(10)
    reader.commit(reader.position)
    transport.send("messages", "key", Erase(user_id="ann").to_bytes())
    transport.flush()
    reader.commit(reader.position)
    reader.close()
    assert b"secret" not in on_disk(tmp_path)


# --- what is lost or made anew ---------------------------------------------------------------------------------------


def test_without_a_place_the_earliest_that_is_there_is_read(tmp_path: Path):
    append(tmp_path, b"1", close_segment=True)
    append(tmp_path, b"2")
    reader = InboxReader(tmp_path, "messages", None)
    place = reader.poll(1)[0].position.offset
    reader.close()
    assert read_all(tmp_path, offset=None) == [b"1", b"2"]
    assert read_all(tmp_path, offset=place) == [b"1", b"2"]


def test_an_inbox_that_was_made_anew_is_read_whole_from_a_place_in_the_old_one(tmp_path: Path):
    append(tmp_path, *[b"old %d" % number for number in range(50)])
    old = InboxReader(tmp_path, "messages", None)
    old.poll(50)
    place = old.position
    old.close()
    for path in folder_of(tmp_path).iterdir():
        path.unlink()
    append(tmp_path, b"new 1", b"new 2")
    reader = InboxReader(tmp_path, "messages", place)
    assert [event.raw for event in reader.poll(10)] == [b"new 1", b"new 2"]
    assert reader.position > place, "no place of the old log is one of the new"
    reader.close()


# --- in any order ----------------------------------------------------------------------------------------------------

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 5)),
        st.tuples(st.just("append and close"), st.integers(0, 2)),
        st.tuples(st.just("poll"), st.integers(1, 8)),
        st.tuples(st.sampled_from(["commit", "reopen", "crash", "tear", "look"]), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=40, deadline=None)
@given(actions=ACTIONS)
def test_every_event_comes_once_and_in_order_whatever_happens(
    actions: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
):
    data = tmp_path_factory.mktemp("inbox")
    writer_module.SEGMENT_BYTES, before = 70, writer_module.SEGMENT_BYTES
    sent, seen = list[bytes](), list[bytes]()
    reader = InboxReader(data, "messages", None)
    settled, seen_then = None, 0  # a place that was kept, and how much had been read at it
    try:
        for action, number in [*actions, ("reopen", 0), ("poll", 10_000)]:
            match action:
                case "append" | "append and close":
                    events = [b'{"n":%d}' % (len(sent) + place) for place in range(number)]
                    append(data, *events, close_segment=action == "append and close")
                    sent += events
                case "poll":
                    while batch := reader.poll(number):
                        seen += [event.raw for event in batch]
                        if number < 10_000:
                            break
                case "commit":
                    settled, seen_then = reader.position, len(seen)
                    reader.commit(settled)
                case "reopen":
                    settled, seen_then = reader.position, len(seen)
                    reader.close()
                    reader = InboxReader(data, "messages", settled)
                case "crash":  # what came since the last settled place comes again
                    reader.close()
                    del seen[seen_then:]
                    reader = InboxReader(data, "messages", settled)
                case "tear":
                    if firsts := first_offsets(folder_of(data)):
                        with segment(folder_of(data), firsts[-1]).open("ab") as file:
                            file.write(b"17000")
                case "look":
                    assert reader.lag() == len(sent) - len(seen)
            assert seen == sent[: len(seen)]
        assert seen == sent
    finally:
        reader.close()
        writer_module.SEGMENT_BYTES = before
