"""The inbox: every event once and in order; what is done leaves the disk."""

import os
import sqlite3
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.inbox import InboxReader, InboxTransport, inbox_folder, unread
from mneme.errors import DiskFull, StoreRejected
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


def add(data: Path, *events: bytes, lane: Lane = "messages") -> None:
    transport = InboxTransport(data)
    for event in events:
        transport.send(lane, "key", event)
    transport.close()


def on_disk(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in inbox_folder(data).rglob("*") if path.is_file())


def test_a_reader_that_was_closed_says_nothing_of_damage(tmp_path: Path):
    add(tmp_path, b"1")
    reader = InboxReader(tmp_path, "messages", None)
    reader.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        reader.commit(reader.position)


# --- places and times ------------------------------------------------------------------------------------------------


def test_an_event_has_its_place_and_the_time_of_receipt(tmp_path: Path):
    before = utc_now() - timedelta(milliseconds=1)
    add(tmp_path, b'{"a":1}', b'{"b":\n2}')
    reader = InboxReader(tmp_path, "messages", None)
    [first, second] = reader.poll(10)
    assert first.received_at is not None
    assert before <= first.received_at <= utc_now()
    assert second.position == Position(topic="inbox.messages", partition=0, offset=second.position.offset)
    assert first.position.offset < second.position.offset < reader.position
    reader.close()
    assert read_all(tmp_path, offset=second.position.offset) == [b'{"b":\n2}'], "offsets are places to go on from"


def test_a_poll_gives_no_more_than_asked_for_and_never_waits(tmp_path: Path):
    reader = InboxReader(tmp_path, "messages", None)
    assert reader.poll(10) == []
    add(tmp_path, *[b"%d" % number for number in range(7)])
    assert [len(reader.poll(3)) for _ in range(4)] == [3, 3, 1, 0]
    reader.close()


def test_large_events_come_whole_and_not_all_at_once(tmp_path: Path):
    long = b"x" * 3_000_000
    add(tmp_path, b"1", long, long, b"2")
    reader = InboxReader(tmp_path, "messages", None)
    assert [[event.raw for event in reader.poll(10)] for _ in range(4)] == [[b"1", long], [long], [b"2"], []]
    reader.close()


# --- several at once, and full disks ---------------------------------------------------------------------------------

ADDING = """
import sys
from pathlib import Path
from connectors.inbox import InboxTransport
transport = InboxTransport(Path(sys.argv[1]))
for number in range(40):
    transport.send("messages", "key", b"%s-%d" % (sys.argv[2].encode(), number))
    transport.flush()
"""


def test_two_processes_may_add_at_once_beside_a_reader(tmp_path: Path):
    command = [sys.executable, "-c", ADDING, str(tmp_path)]
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


def test_a_full_disk_is_told_to_each_who_sent_and_what_is_sent_again_arrives(tmp_path: Path):
    transport = InboxTransport(tmp_path)
    transport.send("messages", "key", b"first")
    transport.flush()
    both_have_sent = threading.Barrier(2)
    told = list[str]()

    def send(number: int) -> None:
        transport.send("messages", "key", b"%d" % number * 100_000)
        both_have_sent.wait()
        with pytest.raises(DiskFull, match="make room") as raised:
            transport.flush()
        told.append(str(raised.value))

    database = transport._databases["messages"]
    database.execute("PRAGMA max_page_count=1")  # as many as there are
    in_threads(send, 2)
    assert len(told) == 2
    database.execute("PRAGMA max_page_count=1000000")
    transport.send("messages", "key", b"again")
    transport.close()
    assert read_all(tmp_path) == [b"first", b"again"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path):
    inbox_folder(tmp_path).mkdir(parents=True)
    inbox_folder(tmp_path).chmod(0o500)
    with pytest.raises(StoreRejected, match="inbox"):
        add(tmp_path, b"1")


def test_a_file_that_is_no_inbox_is_named(tmp_path: Path):
    inbox_folder(tmp_path).mkdir(parents=True)
    (inbox_folder(tmp_path) / "messages.sqlite").write_bytes(b"no database, but long enough to be taken for one" * 20)
    with pytest.raises(StoreRejected, match="move it away"):
        add(tmp_path, b"1")


# --- what leaves the disk --------------------------------------------------------------------------------------------


def test_what_is_done_is_gone_from_the_disk(tmp_path: Path):
    add(tmp_path, *[b"event %d" % number * 300 for number in range(10)])
    add(tmp_path, b"another lane", lane="documents")
    reader = InboxReader(tmp_path, "messages", None)
    half = [reader.poll(1)[0] for _ in range(5)][-1].position.offset
    reader.commit(half)
    assert unread(tmp_path, "messages") == 6, "what is committed, not what is polled"
    assert reader.lag() == 5
    assert b"event 3" not in on_disk(tmp_path)
    assert b"event 5" in on_disk(tmp_path)
    reader.close()
    again = InboxReader(tmp_path, "messages", half)
    assert len(again.poll(100)) == 6
    again.commit(again.position)
    again.close()
    assert [unread(tmp_path, lane) for lane in ("messages", "documents", "backfill")] == [0, 1, 0]
    assert b"event 9" not in on_disk(tmp_path)
    assert b"another lane" in on_disk(tmp_path)


def test_of_what_another_reads_the_bytes_go_with_the_next_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.database._WAIT_SECONDS", 0.05)
    add(tmp_path, b"a secret", b"the next")
    reader = InboxReader(tmp_path, "messages", None)
    reader._database.execute("PRAGMA busy_timeout=0")
    [first, second] = reader.poll(10)
    other = sqlite3.connect(inbox_folder(tmp_path) / "messages.sqlite", isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM events").fetchall()
    reader.commit(first.position.offset + 1)
    other.close()
    reader.commit(second.position.offset + 1)
    reader.close()
    assert b"a secret" not in on_disk(tmp_path)


# --- what is lost or made anew ---------------------------------------------------------------------------------------


def test_without_a_place_the_earliest_that_is_there_is_read(tmp_path: Path):
    add(tmp_path, b"1", b"2")
    reader = InboxReader(tmp_path, "messages", None)
    place = reader.poll(1)[0].position.offset
    reader.close()
    assert read_all(tmp_path, offset=None) == [b"1", b"2"]
    assert read_all(tmp_path, offset=place) == [b"1", b"2"]


def test_an_inbox_that_was_made_anew_is_read_whole_from_a_place_in_the_old_one(tmp_path: Path):
    add(tmp_path, *[b"old %d" % number for number in range(50)])
    old = InboxReader(tmp_path, "messages", None)
    old.poll(50)
    place = old.position
    old.close()
    for path in inbox_folder(tmp_path).iterdir():
        path.unlink()
    add(tmp_path, b"new 1", b"new 2")
    reader = InboxReader(tmp_path, "messages", place)
    assert [event.raw for event in reader.poll(10)] == [b"new 1", b"new 2"]
    assert reader.position > place, "no place of the old one is one of the new"
    reader.close()


def test_a_place_behind_the_end_reads_all_there_is(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    add(tmp_path, b"1", b"2")
    assert read_all(tmp_path, offset=2**60) == [b"1", b"2"]
    assert "reading all there is" in caplog.text


# --- in any order ----------------------------------------------------------------------------------------------------

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 5)),
        st.tuples(st.just("poll"), st.integers(1, 8)),
        st.tuples(st.sampled_from(["commit", "reopen", "crash", "look"]), st.just(0)),
    ),
    max_size=40,
)


@settings(max_examples=25, deadline=None)
@given(actions=ACTIONS)
def test_every_event_comes_once_and_in_order_whatever_happens(
    actions: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
):
    data = tmp_path_factory.mktemp("inbox")
    sent, seen = list[bytes](), list[bytes]()
    reader, transport = InboxReader(data, "messages", None), InboxTransport(data)
    settled, seen_then = None, 0  # a place that was kept, and how much had been read at it
    try:
        for action, number in [*actions, ("reopen", 0), ("poll", 10_000)]:
            match action:
                case "add":
                    events = [b'{"n":%d}' % (len(sent) + place) for place in range(number)]
                    for event in events:
                        transport.send("messages", "key", event)
                    transport.flush()
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
                case "look":
                    assert reader.lag() == len(sent) - len(seen)
                    assert unread(data, "messages") == len(sent) - seen_then
            assert seen == sent[: len(seen)]
        assert seen == sent
    finally:
        reader.close()
        transport.close()
