"""Where the stream begins: back-pressure, the place to resume from, and the end."""

import threading
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path

import pytest

from flows.items import Pause
from flows.lanes.pending import Pending
from flows.running.feeds import FeedLimits, FileFeed, FilePlace, PartitionFeed
from mneme.ports import Incoming
from mneme.records import Position


def event(offset: int) -> Incoming:
    return Incoming(b"%d" % offset, Position(topic="t", partition=0, offset=offset), None)


class Partition:
    """A Kafka partition of ten events."""

    def __init__(self) -> None:
        self.position = 0
        self.committed: list[int] = []
        self.closed = False

    @property
    def place(self) -> int:
        return self.position

    def poll(self, limit: int) -> list[Incoming]:
        batch = [event(offset) for offset in range(self.position, min(10, self.position + limit))]
        self.position += len(batch)
        return batch

    def lag(self) -> int:
        return 10 - self.position

    def commit(self, offset: int) -> None:
        self.committed.append(offset)

    def close(self) -> None:
        self.closed = True


def test_a_partition_pauses_while_too_much_is_unfinished() -> None:
    pending, partition = Pending(), Partition()
    feed = PartitionFeed(partition, FeedLimits(pending, 6, 4, threading.Event()))
    assert len(feed.next_batch()) == 4
    assert len(feed.next_batch()) == 4
    assert feed.next_batch() == []
    pending.leave(3)
    assert len(feed.next_batch()) == 2


def test_the_offset_committed_to_kafka_follows_one_epoch_behind() -> None:
    partition = Partition()
    feed = PartitionFeed(partition, FeedLimits(Pending(), 100, 4, threading.Event()))
    places = []
    for _ in range(3):
        feed.next_batch()
        places.append(feed.resume_state())
    assert places == [4, 8, 10]
    assert partition.committed == [4, 8]


def test_a_backfill_gives_way() -> None:
    feed = PartitionFeed(Partition(), FeedLimits(Pending(), 100, 4, threading.Event()), may_read=lambda: False)
    assert feed.next_batch() == []


def test_a_partition_ends_when_the_flow_is_told_to_stop() -> None:
    stopping = threading.Event()
    feed = PartitionFeed(Partition(), FeedLimits(Pending(), 100, 4, stopping))
    stopping.set()
    with pytest.raises(StopIteration):
        feed.next_batch()


class Files:
    """Files of three lines for each letter of their names; with fewer letters a file is the beginning of another."""

    def __init__(self) -> None:
        self.pending = Pending()
        self.read_from: list[tuple[str, int, str | None]] = []

    def read(self, path: Path, start: int, source: str | None) -> Iterator[Incoming]:
        self.read_from.append((path.name, start, source))
        return (event(offset) for offset in range(start, 3 * len(lines_of(path))))

    def feed(self, *names: str, place: Mapping[str, FilePlace] | None = None, limit: int = 100) -> FileFeed:
        paths = [Path(name) for name in names]
        limits = FeedLimits(self.pending, limit, 2, threading.Event(), buckets=2)
        return FileFeed(paths, self.read, identities, place, limits)


def lines_of(path: Path) -> str:
    """Each letter is three lines."""
    return path.name.partition("-")[0].partition(".")[0]


def identities(path: Path) -> Iterator[tuple[str, int | None]]:
    return ((identity, 3 * count) for count, identity in enumerate(accumulate(lines_of(path)), start=1))


def all_of(feed: FileFeed, pending: Pending) -> list[object]:
    fed: list[object] = []
    try:
        while True:
            batch = feed.next_batch()
            pending.leave(len(batch))
            fed += batch
    except StopIteration:
        return fed


def test_files_end_with_a_pause_for_every_bucket() -> None:
    files = Files()
    fed = all_of(files.feed("a.jsonl", "b.jsonl"), files.pending)
    assert [item.raw for item in fed if isinstance(item, Incoming)] == [b"0", b"1", b"2"] * 2
    assert fed[-2:] == [Pause("", "end", bucket=0), Pause("", "end", bucket=1)]


def test_a_finite_source_ends_only_when_nothing_is_unfinished() -> None:
    files = Files()
    feed = files.feed("a.jsonl")
    while feed.next_batch():
        pass
    assert files.pending.total == 5
    assert feed.next_batch() == []
    files.pending.leave(5)
    with pytest.raises(StopIteration):
        feed.next_batch()


def test_what_is_written_to_a_file_while_it_is_read_is_read_in_the_next_run() -> None:
    files = Files()
    first = FileFeed([Path("ab.jsonl")], files.read, lambda path: [("a", 3)], None, files.feed()._limits)
    assert [item.raw for item in all_of(first, files.pending) if isinstance(item, Incoming)] == [b"0", b"1", b"2"]
    second = files.feed("ab.jsonl", place=first.resume_state())
    assert [item.raw for item in all_of(second, files.pending) if isinstance(item, Incoming)] == [b"3", b"4", b"5"]


def test_a_file_that_was_read_is_not_read_again_under_another_name() -> None:
    files = Files()
    first = files.feed("a.jsonl")
    all_of(first, files.pending)
    assert first.resume_state() == {"a": (3, "a")}
    fed = all_of(files.feed("a-copy.jsonl", "b.jsonl", place={"a": (3, "a")}), files.pending)
    assert sum(isinstance(item, Incoming) for item in fed) == 3


def test_a_file_goes_on_where_the_last_epoch_ended() -> None:
    files = Files()
    feed = files.feed("a.jsonl")
    files.pending.leave(len(feed.next_batch()))
    assert feed.resume_state() == {"a": (2, "a")}
    all_of(files.feed("a.jsonl", place=feed.resume_state()), files.pending)
    assert files.read_from[-1] == ("a.jsonl", 2, "a")


def test_a_file_that_grew_goes_on_behind_what_was_read_in_the_same_source() -> None:
    files = Files()
    feed = files.feed("a.jsonl", "ab.jsonl", "abc.jsonl")
    all_of(feed, files.pending)
    assert files.read_from == [("a.jsonl", 0, "a"), ("ab.jsonl", 3, "a"), ("abc.jsonl", 6, "a")]
    fed = all_of(files.feed("a.jsonl", "ab.jsonl", "abc.jsonl", place=feed.resume_state()), files.pending)
    assert not [item for item in fed if isinstance(item, Incoming)]


def test_a_second_file_with_the_same_beginning_is_a_source_of_its_own() -> None:
    files = Files()
    all_of(files.feed("a.jsonl", "ab.jsonl", "ac.jsonl", "acd.jsonl"), files.pending)
    assert files.read_from[2:] == [("ac.jsonl", 3, "ac"), ("acd.jsonl", 6, "ac")]


def test_a_file_grows_before_it_was_read_to_its_end() -> None:
    files = Files()
    all_of(files.feed("ab.jsonl", place={"a": (2, "a")}), files.pending)
    assert files.read_from == [("ab.jsonl", 2, "a")]
