"""Order and time: whatever the order of arrival, the memory is that of the messages in the order in which they were sent."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.items import Arrived
from mneme.errors import InputError
from mneme.events import Message, parse_event
from mneme.records import Position
from mneme.rows import Collection
from tests.flows.river import START, CutOnWord, River, contents, episodes, few, lucks
from tests.flows.test_river_chaos import TEXTS, CutOnWordByWindow
from tests.memory_index_reference import ReferenceIndex

HOLD_BACK = 60.0  # seconds
HOUR = 3600.0
FIRST_ARRIVAL = START + timedelta(seconds=1)


@dataclass(frozen=True)
class Sent:
    """A message with when it was sent and when it arrives, in seconds after the start."""

    number: int
    conversation: str
    at: float
    arrives: float
    text: str
    message_id: str = ""

    def arrived(self, offset: int, topic: str = "live") -> Arrived:
        said = {
            "conversation_id": self.conversation,
            "user_id": "ann",
            "sender_name": "Ann",
            "message_id": self.message_id or f"m{self.number:03d}",
            "sent_at": (START + timedelta(seconds=self.at)).isoformat(),
            "content": self.text,
        }
        return taken_in(said, offset, topic)


def taken_in(said: dict[str, Any], offset: int = 0, topic: str = "live") -> Arrived:
    """A message as the flow takes it in from its bytes."""
    event = parse_event(json.dumps(said).encode(), FIRST_ARRIVAL + timedelta(days=1))
    assert isinstance(event, Message)
    return Arrived(event.stored(event.owner, Position(topic=topic, partition=0, offset=offset), FIRST_ARRIVAL, version=1))


def river(**boundaries: Any) -> River:
    return River(ReferenceIndex(), **{"hold_back_seconds": HOLD_BACK, "idle_seconds": 300.0, **boundaries})


def told_in_order(messages: Iterable[Sent], **boundaries: Any) -> River:
    """A river that hears every message once, in the order in which they were sent."""
    flow = river(**boundaries)
    for offset, sent in enumerate(sorted(messages, key=lambda sent: (sent.at, sent.message_id or f"m{sent.number:03d}"))):
        flow.feed(sent.arrived(offset))
    flow.end()
    return flow


def told_as_it_arrives(messages: Sequence[Sent], repeated: Sequence[Sent] = (), **boundaries: Any) -> River:
    """A river that hears every message when it arrives, and some again later."""
    flow = river(**boundaries)
    copies = [(sent.arrives, sent) for sent in messages] + [(sent.arrives + 30.0, sent) for sent in repeated]
    for offset, (arrives, sent) in enumerate(sorted(copies, key=lambda copy: copy[0])):
        flow.wait(max(0.0, arrives - (flow.now - START).total_seconds()))
        flow.feed(sent.arrived(offset))
    flow.wait(HOLD_BACK + 1)
    flow.end()
    return flow


@st.composite
def deliveries(draw: st.DrawFn, most_late: float) -> list[Sent]:
    """A talk in two conversations, each message delivered with a delay of its own."""
    gaps = draw(st.lists(st.sampled_from([0.0, 1.0, 20.0, 70.0, 400.0]), min_size=2, max_size=24))
    sent, at = [], 0.0
    for number, gap in enumerate(gaps):
        at += gap
        delay = draw(st.floats(0.0, most_late, exclude_max=True, allow_nan=False))
        sent.append(Sent(number, draw(st.sampled_from("ab")), at, at + delay, draw(st.sampled_from(TEXTS))))
    return sent


@pytest.mark.parametrize("detector", [CutOnWord(), CutOnWordByWindow()], ids=lambda detector: type(detector).__name__)
@few
@given(messages=deliveries(HOLD_BACK), luck=lucks)
def test_a_shuffle_within_the_hold_back_gives_the_ids_of_the_order(
    detector: CutOnWord, messages: list[Sent], luck: random.Random
) -> None:
    repeated = [sent for sent in messages if luck.random() < 0.05] or messages[-1:]
    shuffled = told_as_it_arrives(messages, repeated, detector=detector)
    assert contents(shuffled.index) == contents(told_in_order(messages, detector=detector).index)
    assert shuffled.tally["duplicate"] == len(repeated)


@few
@given(messages=deliveries(HOLD_BACK), luck=lucks)
def test_messages_that_are_an_hour_late_converge_to_the_order(messages: list[Sent], luck: random.Random) -> None:
    late = luck.randrange(len(messages))
    delivered = [
        replace(sent, arrives=sent.arrives + HOUR) if sent.number == late or luck.random() < 0.05 else sent for sent in messages
    ]
    flow = told_as_it_arrives(delivered)
    in_episodes = Counter(identity for episode in episodes(flow.index) for identity in episode)
    assert in_episodes == {f"m{sent.number:03d}": 1 for sent in messages}
    assert contents(flow.index) == contents(told_in_order(messages).index)


@few
@given(
    messages=deliveries(1.0),
    skews=st.tuples(*[st.sampled_from([0.0, 90.0, -90.0, 2 * HOUR, -5 * HOUR, 20 * HOUR])] * 2),
    luck=lucks,
)
def test_senders_whose_clocks_are_wrong_are_taken_at_their_word(
    messages: list[Sent], skews: tuple[float, float], luck: random.Random
) -> None:
    skewed = [replace(sent, at=sent.at + skews[luck.randrange(2)]) for sent in messages]
    flow = told_as_it_arrives(skewed)
    assert contents(flow.index) == contents(told_in_order(skewed).index)


@few
@given(
    ids=st.lists(st.text("abcXYZ019", min_size=1, max_size=3), min_size=2, max_size=8, unique=True),
    late=st.sampled_from([0.0, 10.0, HOUR]),
    luck=lucks,
)
def test_messages_of_one_moment_are_in_the_order_of_their_ids(ids: list[str], late: float, luck: random.Random) -> None:
    messages = [
        Sent(number, "a", 0.0, luck.choice([0.0, late]) + luck.random(), luck.choice(TEXTS), message_id=identity)
        for number, identity in enumerate(ids)
    ]
    flow = told_as_it_arrives(messages)
    assert [identity for episode in sorted_by_order(flow) for identity in episode] == sorted(ids)
    assert contents(flow.index) == contents(told_in_order(messages).index)


def sorted_by_order(flow: River) -> list[tuple[str, ...]]:
    """Episodes of one moment, by their first message."""
    return sorted(episodes(flow.index))


# --- ids ---------------------------------------------------------------------------------------------------------------


def said(**fields: Any) -> dict[str, Any]:
    """A message as a caller sends it."""
    usual = {"conversation_id": "a", "user_id": "ann", "message_id": "1", "sent_at": START.isoformat(), "content": "hello"}
    return usual | fields


def test_an_id_is_its_conversations_own() -> None:
    flow = river()
    flow.feed(
        taken_in(said(content="of a"), 0),
        taken_in(said(content="of b", conversation_id="b"), 1),
        taken_in(said(content="of another tenant", tenant_id="other"), 2),
    )
    flow.wait(HOLD_BACK + 1)
    flow.end()
    flow.index.refresh()
    assert sorted(row.body["text"] for row in flow.index.scan(Collection.MESSAGES)) == ["of a", "of another tenant", "of b"]
    assert episodes(flow.index) == [("1",)] * 3
    assert flow.tally["duplicate"] == 0


@pytest.mark.parametrize("when", ["at once", "later", "after a crash"])
def test_an_id_that_comes_again_with_other_words_is_counted_and_the_first_stays(when: str) -> None:
    flow = river()
    flow.feed(taken_in(said(content="the first"), 0))
    if when != "at once":
        flow.wait(HOUR)
        flow.epoch()
    if when == "after a crash":
        flow.crash()
    flow.feed(taken_in(said(content="the second", sent_at=(START + timedelta(seconds=5)).isoformat()), 1))
    flow.wait(HOLD_BACK + 1)
    flow.end()
    assert flow.tally["duplicate"] == 1
    assert "the second" not in str(contents(flow.index))
    assert episodes(flow.index) == [("1",)]


@few
@given(
    messages=deliveries(1.0),
    again=st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23), st.booleans()), max_size=24),
)
def test_what_comes_live_and_as_a_backfill_is_there_once(messages: list[Sent], again: list[tuple[int, int, bool]]) -> None:
    flow = river()
    backfilled = {(place % len(messages)): (number % len(messages), crash) for place, number, crash in again}
    for offset, sent in enumerate(messages):
        flow.feed(sent.arrived(offset))
        if offset in backfilled:  # some of it comes before its original does
            number, crash = backfilled[offset]
            flow.feed(messages[number].arrived(offset, topic="backfill"))
            flow.epoch()
            if crash:
                flow.crash()
    flow.wait(HOLD_BACK + 1)
    flow.end()
    assert contents(flow.index) == contents(told_in_order(messages).index)
    assert Counter(identity for episode in episodes(flow.index) for identity in episode) == {
        f"m{sent.number:03d}": 1 for sent in messages
    }


# --- zones -------------------------------------------------------------------------------------------------------------

offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@few
@given(messages=deliveries(HOLD_BACK), zones=st.lists(offsets, min_size=1, max_size=5), with_ids=st.booleans())
def test_the_same_instants_in_other_offsets_are_the_same_messages(
    messages: list[Sent], zones: list[timezone], with_ids: bool
) -> None:
    def hear(shown_in: Sequence[timezone]) -> River:
        flow = river()
        for number, sent in enumerate(messages):
            moment = (START + timedelta(seconds=sent.at)).astimezone(shown_in[number % len(shown_in)])
            fields = said(conversation_id=sent.conversation, content=sent.text, sent_at=moment.isoformat(), timezone="UTC")
            fields["message_id"] = f"m{sent.number:03d}" if with_ids else ""
            flow.feed(taken_in(fields, number))
        flow.wait(HOLD_BACK + 1)
        flow.end()
        return flow

    assert contents(hear(zones).index) == contents(hear([UTC]).index)


@pytest.mark.parametrize(
    ("sent_at", "zone", "instant"),
    [
        ("2026-03-02T09:00:00", "Europe/Paris", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("2026-03-02T09:00:00", "+05:30", datetime(2026, 3, 2, 3, 30, tzinfo=UTC)),
        ("2026-03-02T09:00:00-08:00", "Europe/Paris", datetime(2026, 3, 2, 17, tzinfo=UTC)),  # the offset says when
        ("2025-03-30T02:30:00", "Europe/Paris", datetime(2025, 3, 30, 1, 30, tzinfo=UTC)),  # a gap: as clocks were before it
        ("2025-10-26T02:30:00", "Europe/Paris", datetime(2025, 10, 26, 0, 30, tzinfo=UTC)),  # twice: the first of both
        ("2025-10-26T02:30:00+01:00", "Europe/Paris", datetime(2025, 10, 26, 1, 30, tzinfo=UTC)),  # the second, said so
    ],
)
def test_a_local_time_is_an_instant_also_where_clocks_are_changed(sent_at: str, zone: str, instant: datetime) -> None:
    message = taken_in(said(sent_at=sent_at, timezone=zone)).message
    assert message.sent_at == instant
    assert message.sent_at.utcoffset() == timedelta(0)
    assert message.timezone == zone


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"sent_at": "2026-03-02T09:00:00"}, "sent_at"),
        ({"sent_at": "2026-03-02T09:00:00", "timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../../etc/passwd"}, "timezone"),
        ({"timezone": "+25:00"}, "timezone"),
        ({"timezone": "+01:75"}, "timezone"),
        ({"sent_at": "yesterday"}, "sent_at"),
        ({"sent_at": "2025-02-30T09:00:00Z"}, "sent_at"),
        ({"sent_at": "0001-01-01T00:00:00+10:00"}, "sent_at"),
        ({"sent_at": "0001-01-01T00:00:00", "timezone": "Europe/Paris"}, "sent_at"),
        ({"sent_at": "9999-12-31T23:59:59-10:00"}, "sent_at"),
        ({"sent_at": (FIRST_ARRIVAL + timedelta(days=3)).isoformat()}, "sent_at"),
    ],
)
def test_a_time_that_is_none_is_refused_by_the_name_of_its_field(fields: dict[str, str], named: str) -> None:
    with pytest.raises(InputError, match=rf"\b{named}\b"):
        taken_in(said(**fields))


@given(zone=st.text(max_size=12) | st.from_regex(r"[+-][0-9:]{1,6}", fullmatch=True))
def test_any_text_is_a_timezone_or_is_refused(zone: str) -> None:
    with suppress(InputError):
        assert taken_in(said(timezone=zone)).message.sent_at == START


def test_a_clock_that_was_put_back_keeps_nothing_open_behind_a_restart() -> None:
    flow = river(hold_back_seconds=HOLD_BACK)
    flow.feed(taken_in({"conversation_id": "talk", "user_id": "ann", "sent_at": START.isoformat(), "content": "tea"}))
    flow.epoch()
    flow.now -= timedelta(days=365)
    flow.crash()
    flow.wait(400)
    assert len(episodes(flow.index)) == 1
