"""What every ``Transport`` keeps: all of it, in order, durable when ``flush`` returns."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Protocol

from mneme.events import Message
from mneme.ports import Lane, Transport


class Arrived(Protocol):
    """What has arrived in a lane so far, as the other end sees it."""

    def __call__(self, lane: Lane) -> list[bytes]:
        """The events, in the order of each key."""


def _event(conversation: str, number: int) -> bytes:
    return Message(
        conversation_id=conversation,
        user_id="ann",
        message_id=f"m{number}",
        sent_at=datetime(2026, 3, 1, tzinfo=UTC),
        content=f"naïve 二 line\nbreak {number}",
    ).to_bytes()


class TransportContract:
    """Subclasses give the fixtures ``transport`` and ``arrived``."""

    def test_what_is_flushed_has_arrived_in_order(self, transport: Transport, arrived: Arrived):
        events = [_event("standup", number) for number in range(450)]
        for event in events:
            transport.send("messages", "default/standup", event)
        transport.flush()
        assert arrived("messages") == events

    def test_a_backfill_keeps_apart(self, transport: Transport, arrived: Arrived):
        live, old = _event("standup", 1), _event("standup", 2)
        transport.send("messages", "default/standup", live)
        transport.send("backfill", "default/standup", old)
        transport.flush()
        assert (arrived("messages"), arrived("backfill")) == ([live], [old])

    def test_a_flush_of_nothing_returns(self, transport: Transport, arrived: Arrived):
        transport.flush()
        assert arrived("messages") == []

    def test_close_brings_the_rest(self, transport: Transport, arrived: Arrived):
        transport.send("messages", "default/standup", _event("standup", 1))
        transport.close()
        assert arrived("messages") == [_event("standup", 1)]

    def test_threads_may_send_and_flush_at_once(self, transport: Transport, arrived: Arrived):
        def send(thread: int) -> None:
            for number in range(40):
                transport.send("messages", f"default/c{thread}", _event(f"c{thread}", number))
                if number % 10 == 0:
                    transport.flush()
            transport.flush()

        in_threads(send, 4)
        came = arrived("messages")
        for thread in range(4):
            own = [_event(f"c{thread}", number) for number in range(40)]
            assert [event for event in came if event in set(own)] == own


def in_threads(work: Callable[[int], None], count: int) -> None:
    """Run it ``count`` times at once; what one of them raises is raised."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
