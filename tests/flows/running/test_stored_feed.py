"""The sources of a rebuild: stored messages in order with the end of each conversation, and topics up to their end."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.reading_order import Listed, ReadingOrder
from flows.items import Embedded, Pause
from flows.lanes.pending import Pending
from flows.running.feeds import BoundedFeed, EndOffsets, FeedLimits, StoredFeed
from mneme.ports import Put
from mneme.rows import Collection, Embedding, row_of
from tests.flows.river import IDENTITY, embed, message
from tests.flows.running.test_feeds import Partition
from tests.memory_index_reference import ReferenceIndex


class Stored:
    """Seven messages of two conversations in an index, the third of them deleted, and their list."""

    def __init__(self, folder: Path) -> None:
        self.index = ReferenceIndex()
        self.index.prepare(IDENTITY)
        self.path = folder / "list.sqlite"
        arrived = [message(number, f"text {number}", "b" if number > 4 else "a") for number in range(7)]
        stored = [each.message.model_copy(update={"deleted": each.message.message_id == "m002"}) for each in arrived]
        self.index.write([Put(row_of(each, Embedding(embed([each.text])[0]))) for each in stored])
        ReadingOrder.make(
            self.path, [Listed(a.lane, m.sent_at, m.message_id, row_of(m).key) for a, m in zip(arrived, stored, strict=True)]
        )
        self.pending = Pending()
        self.stopping = threading.Event()
        self.seen: list[int] = []

    def feed(self, place: int | None = None, batch: int = 4, limit: int = 100) -> StoredFeed:
        def read(keys):  # type: ignore[no-untyped-def]
            return self.index.get(keys, with_vectors=True)

        return StoredFeed(
            ReadingOrder(self.path), read, place, FeedLimits(self.pending, limit, batch, self.stopping), self.seen.append
        )


@pytest.fixture
def stored(tmp_path: Path) -> Stored:
    return Stored(tmp_path)


def told(batch: list[object]) -> Iterator[str]:
    for item in batch:
        if isinstance(item, Embedded):
            assert item.utterance.vector is not None
            yield item.utterance.message.message_id + ("!" if item.replayed else "")
        elif isinstance(item, Pause):
            yield f"end of {item.lane}"


def test_each_conversation_is_followed_by_its_end_in_the_same_batch(stored: Stored) -> None:
    feed = stored.feed()
    first, second = list(told(feed.next_batch())), list(told(feed.next_batch()))
    feed.close()
    assert first == ["m000", "m001", "m003"], "what was deleted is left out"
    assert second == ["m004", "end of default/a", "m005", "m006", "end of default/b"]
    assert stored.pending.total == 8


def test_the_end_comes_with_the_last_message_of_a_batch(stored: Stored) -> None:
    feed = stored.feed(batch=5)
    assert list(told(feed.next_batch()))[-1] == "end of default/a"
    assert feed.resume_state() == 5
    feed.close()


def test_it_ends_when_all_is_finished(stored: Stored) -> None:
    feed = stored.feed(batch=100)
    feed.next_batch()
    assert feed.next_batch() == []
    stored.pending.leave(stored.pending.total)
    with pytest.raises(StopIteration):
        feed.next_batch()
    feed.close()
    assert stored.seen == [0, 7, 7]


def test_it_waits_while_too_much_is_unfinished(stored: Stored) -> None:
    feed = stored.feed(batch=2, limit=2)
    feed.next_batch()
    assert feed.next_batch() == []
    stored.pending.leave(1)
    assert feed.next_batch()
    feed.close()


def test_what_a_process_that_died_was_given_comes_again_as_replayed(stored: Stored) -> None:
    feed = stored.feed(batch=2)
    feed.next_batch()
    place = feed.resume_state()
    feed.next_batch()
    feed.close()
    again = stored.feed(place, batch=100)
    assert list(told(again.next_batch()))[:3] == ["m003!", "m004", "end of default/a"]
    again.close()


def test_it_stops_when_told(stored: Stored) -> None:
    feed = stored.feed()
    stored.stopping.set()
    with pytest.raises(StopIteration):
        feed.next_batch()
    feed.close()


# --- topics ----------------------------------------------------------------------------------------------------------


def bounded(ends: dict[str, int]) -> tuple[dict[str, BoundedFeed], Pending, threading.Event]:
    pending, stopping = Pending(), threading.Event()
    end_offsets = EndOffsets({name: (0, end) for name, end in ends.items()})
    feeds = {}
    for name in ends:
        feeds[name] = BoundedFeed(Partition(), FeedLimits(pending, 100, 4, stopping, buckets=3), name, end_offsets)
    return feeds, pending, stopping


def test_topics_end_together_and_behind_what_is_open() -> None:
    feeds, pending, _ = bounded({"a": 7, "b": 4, "empty": 0})
    a, b, empty = feeds.values()
    assert empty.next_batch() == []
    assert len(b.next_batch()) == 4
    assert b.next_batch() == [], "the other is not there yet"
    assert len(a.next_batch()) + len(a.next_batch()) >= 7
    assert b.next_batch() == [], "something is at work"
    pending.leave(pending.total)
    assert b.next_batch() == [Pause("", "end", bucket=bucket) for bucket in range(3)]
    assert a.next_batch() == [], "what was held back is at work"
    pending.leave(3)
    for feed in feeds.values():
        with pytest.raises(StopIteration):
            feed.next_batch()
    assert b.resume_state() == 4


def test_topics_that_are_empty_end_at_once() -> None:
    feeds, pending, _ = bounded({"a": 0})
    assert len(feeds["a"].next_batch()) == 3
    pending.leave(3)
    with pytest.raises(StopIteration):
        feeds["a"].next_batch()


def test_topics_stop_when_told() -> None:
    feeds, _, stopping = bounded({"a": 3, "b": 0})
    stopping.set()
    for feed in feeds.values():
        with pytest.raises(StopIteration):
            feed.next_batch()


def test_progress_counts_events_of_all_partitions() -> None:
    end_offsets = EndOffsets({"a": (4, 10), "b": (30, 30)})
    assert end_offsets.progress == (0, 6)
    end_offsets.advance("a", 25)
    assert end_offsets.progress == (6, 6)
    assert end_offsets.are_reached()


def test_rows_are_cleared_by_kind(stored: Stored) -> None:
    from flows.maintenance.rebuild_topics import clear

    gone = clear(stored.index, Collection.MESSAGES, lambda row: row.conversation_id == "b")
    assert gone == {"message": 2}
    assert stored.index.count(Collection.MESSAGES) == 5
    assert clear(stored.index, Collection.MESSAGES).total() == 5
