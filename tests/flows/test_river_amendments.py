"""Late, edited and deleted messages: the memory becomes what the conversation would have given had it been so at once."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.boundaries.semantic import SemanticDetector
from flows.cuts import BoundaryDetector
from flows.extraction import LocalExtractor
from flows.items import Amendment, Arrived, Pause
from mneme.ports import Filter
from mneme.rows import Collection, Row
from mneme.settings import Boundaries
from tests.flows.long_talk import TALK
from tests.flows.river import CutOnWord, River, contents, edit, episodes, erase, few, lucks, message
from tests.flows.test_river_chaos import TEXTS, ChaoticRiver, CutOnWordByWindow, TakesBack, disturbance
from tests.memory_index_reference import ReferenceIndex

FLUSH = Pause("default/talk", "flush", tenant_id="default", flush_id="f1")


class CutOnWordFarAhead(TakesBack):
    """Looks two messages ahead: a later "never mind" takes a boundary back."""

    look_ahead = 2


@dataclass
class Teller:
    """Tells a conversation to a river and remembers how it is by now. Late messages have odd numbers."""

    flow: River
    now: dict[int, str] = field(default_factory=dict)
    said: int = 0
    events: int = 1000
    used: set[int] = field(default_factory=set)

    def say(self, *texts: str) -> list[Arrived | Amendment]:
        items: list[Arrived | Amendment] = []
        for text in texts:
            items.append(self._message(2 * self.said, text))
            self.said += 1
        return items

    def late(self, pick: int, text: str) -> list[Arrived | Amendment]:
        """A message between two that were said before, if nothing is there yet."""
        number = 2 * (pick % max(self.said, 1)) - 1
        return [] if number in self.used else [self._message(number, text)]

    def edit(self, pick: int, text: str | None) -> list[Arrived | Amendment]:
        """Another text for a message, or none any more."""
        if not self.now:
            return []
        number = sorted(self.now)[pick % len(self.now)]
        if text is None:
            del self.now[number]
        else:
            self.now[number] = text
        self.events += 1
        return [_edit(number, text, self.events)]

    def _message(self, number: int, text: str) -> Arrived:
        self.used.add(number)
        self.now[number] = text
        return _message(number, text)

    def clean(self, river: River) -> River:
        """The conversation as it is now, told in order."""
        river.feed(*(_message(number, self.now[number]) for number in sorted(self.now)))
        river.end()
        return river


def _message(number: int, text: str) -> Arrived:
    return message(number + 1, text)


def _edit(number: int, text: str | None, offset: int) -> Amendment:
    return edit(number + 1, text, offset)


def river(**settings: Any) -> River:
    return River(ReferenceIndex(), **settings)


def told(*texts: str, **settings: Any) -> tuple[River, Teller]:
    """A river that has heard a conversation, message by message, to its end."""
    flow = river(**settings)
    teller = Teller(flow)
    for text in texts:
        flow.feed(*teller.say(text))
    flow.end()
    return flow, teller


def assert_clean(flow: River, teller: Teller, **settings: Any) -> None:
    assert contents(flow.index) == contents(teller.clean(river(**settings)).index)


LONG = ("a", "b", "NEW c", "d", "e", "NEW f", "g", "NEW h", "i")


@pytest.mark.parametrize("pick", range(len(LONG)))
@pytest.mark.parametrize("text", ["Other words", "NEW Subject", None])
@pytest.mark.parametrize("forgotten", [False, True])
def test_a_message_of_any_age_can_be_edited_and_deleted(pick: int, text: str | None, forgotten: bool) -> None:
    flow, teller = told(*LONG)
    if forgotten:
        flow.epoch()
        flow.forget_conversations()
    flow.feed(*teller.edit(pick, text))
    flow.settle()
    flow.end()
    assert_clean(flow, teller)
    flow.feed(*teller.say("o", "NEW p"))
    flow.end()
    assert_clean(flow, teller)


@pytest.mark.parametrize("pick", range(len(LONG)))
@pytest.mark.parametrize("text", ["late", "NEW Late"])
@pytest.mark.parametrize("forgotten", [False, True])
def test_a_late_message_finds_its_episode_however_late_it_is(pick: int, text: str, forgotten: bool) -> None:
    flow, teller = told(*LONG)
    if forgotten:
        flow.epoch()
        flow.forget_conversations()
    flow.feed(*teller.late(pick, text))
    flow.end()
    assert_clean(flow, teller)


def test_an_edit_changes_nothing_but_its_neighbourhood() -> None:
    flow, teller = told(*(f"{'NEW ' if number % 3 == 0 else ''}words {number}" for number in range(60)))
    before = {row.id: row.version for row in flow.index.scan(Collection.EPISODES)}
    flow.feed(*teller.edit(31, "Other words"))
    flow.settle()
    written = [row.id for row in flow.index.scan(Collection.EPISODES) if row.version != before.get(row.id)]
    assert 1 <= len(written) <= 4
    assert_clean(flow, teller)


class CountsWhatIsScanned(ReferenceIndex):
    """An index that counts the rows which scans of a conversation give."""

    scanned = 0

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        for row in super().scan(collection, filter, with_vectors):
            self.scanned += filter is not None and bool(filter.conversation_ids)
            yield row


@pytest.mark.parametrize("pick", [0, 4, 100, 190])
def test_a_long_conversation_is_not_read_whole_for_one_edit(pick: int) -> None:
    flow = River(index := CountsWhatIsScanned())
    teller = Teller(flow)
    flow.feed(*teller.say(*(f"{'NEW ' if number % 4 == 0 else ''}words {number}" for number in range(200))))
    flow.end()
    flow.feed(*teller.edit(pick, "Other words"))
    flow.settle()
    assert index.scanned < 100
    assert_clean(flow, teller)


def test_what_was_shown_with_a_text_is_gone_without_waiting_for_the_next_pause() -> None:
    flow, teller = told("Bob bakes", "quiet")
    flow.feed(*teller.edit(0, None))
    flow.settle()
    assert "Bob" not in str(contents(flow.index))
    assert episodes(flow.index) == [("m003",)]


def test_a_conversation_can_be_deleted_message_by_message() -> None:
    flow, teller = told("Bob bakes", "NEW Paris", "rain")
    for _ in range(3):
        flow.feed(*teller.edit(0, None))
    flow.settle()
    assert contents(flow.index) == {}
    flow.feed(*teller.say("again"))
    flow.end()
    assert_clean(flow, teller)


def test_a_deleted_message_that_is_sent_again_is_known() -> None:
    flow, teller = told("coffee", "tea")
    flow.feed(*teller.edit(0, None))
    flow.settle()
    flow.epoch()
    flow.crash()
    copy = _message(0, "coffee").message
    flow.feed(Arrived(copy.model_copy(update={"position": copy.position.model_copy(update={"offset": 5000})})))
    flow.end()
    assert flow.tally["duplicate"] == 1
    assert_clean(flow, teller)


def test_a_flush_behind_an_edit_is_answered_when_the_edit_is_visible() -> None:
    flow, teller = told(*LONG)
    flow.feed(*teller.edit(1, "Edited"), FLUSH)
    while not flow.is_flushed("f1"):
        assert flow.unfinished
        flow.wait(0.02)
    assert "Edited" in str(contents(flow.index))


def test_a_file_in_reverse_order_gives_what_it_gives_in_order() -> None:
    flow = river()
    teller = Teller(flow)
    items = teller.say(*LONG)
    for start in range(len(items), 0, -4):
        flow.feed(*reversed(items[max(0, start - 4) : start]))
    flow.end()
    assert_clean(flow, teller)


@pytest.mark.parametrize(
    ("amendment", "reason"),
    [
        (edit(77, "x", 2000), "edit: message 'm077' of conversation 'talk' is not known here; send the message first"),
        (edit(77, None, 2000), "delete: message 'm077'"),
    ],
)
def test_an_amendment_of_nothing_is_a_dead_letter_with_its_bytes(amendment: Amendment, reason: str) -> None:
    flow, teller = told("coffee")
    flow.feed(amendment)
    flow.settle()
    [letter] = flow.letters.letters
    assert reason in letter.reason
    assert (letter.raw, letter.position, letter.stage) == (amendment.raw, amendment.position, "embed")
    assert_clean(flow, teller)


def test_what_changes_a_message_of_nobody_known_is_a_dead_letter_that_only_names_it() -> None:
    """It may come behind the erasure of its owner, and no later erasure would find its words."""
    flow, _ = told("coffee")
    flow.feed(erase(1500))
    flow.settle()
    flow.feed(edit(0, "My diagnosis", 2000), replace(edit(0, None, 2001), words="My diagnosis"), edit(0, None, 2002))
    flow.settle()
    named = {"tenant_id": "default", "conversation_id": "talk", "message_id": "m000"}
    kinds = ("edit", "retract", "delete")
    assert [json.loads(letter.raw) for letter in flow.letters.letters] == [{"event": kind, **named} for kind in kinds]
    assert all("Its words are not kept" in letter.reason for letter in flow.letters.letters)


def test_an_edit_that_came_before_its_conversation_keeps_its_words_where_nobody_was_erased() -> None:
    flow, _ = told("coffee")
    early = replace(edit(0, "My diagnosis", 2000), conversation_id="later")
    flow.feed(early)
    flow.settle()
    [letter] = flow.letters.letters
    assert (letter.raw, "Its words are not kept" in letter.reason) == (early.raw, False)


def test_an_edit_of_a_deleted_message_is_a_dead_letter_however_soon_it_comes() -> None:
    flow, teller = told("coffee", "tea")
    deletion = teller.edit(0, None)
    flow.feed(*deletion, _edit(0, "too soon", 2000))
    flow.settle()
    flow.feed(_edit(0, "too late", 2001))
    flow.settle()
    assert [letter.reason.split(";")[0].split("'talk' ")[1] for letter in flow.letters.letters] == ["was deleted"] * 2
    assert_clean(flow, teller)


def test_no_text_of_an_amendment_stays_behind() -> None:
    flow, teller = told("coffee", "tea")
    flow.feed(*teller.edit(0, "secret"))
    flow.settle()
    flow.feed(*teller.edit(0, None))
    flow.settle()
    assert "secret" not in str([row.body for collection in Collection for row in flow.index.scan(collection)])
    assert not {row.kind for row in flow.index.scan(Collection.CONTROL)} & {"amendment", "flush"}


def test_thirty_changes_of_a_long_talk_leave_what_the_clean_talk_gives() -> None:
    luck = random.Random(1)
    flow, clean = (_with_everything_real() for _ in range(2))
    now = dict(enumerate(TALK))
    late = sorted(luck.sample(sorted(now), 10))
    texts = [words for _, _, words in TALK]
    for number, spoken in now.items():
        if number not in late:
            flow.feed(_spoken(number, spoken))
            flow.wait(luck.choice([0, 1, 400]))
    changes = [("late", number) for number in late]
    changes += [(luck.choice(["edit", "delete"]), number) for number in luck.sample(sorted(set(now) - set(late)), 20)]
    luck.shuffle(changes)
    for offset, (change, number) in enumerate(changes, 1000):
        at, who, _ = now[number]
        if change == "late":
            flow.feed(_spoken(number, now[number]))
        elif change == "edit":
            now[number] = (at, who, luck.choice(texts))
            flow.feed(edit(number, now[number][2], offset))
        else:
            del now[number]
            flow.feed(edit(number, None, offset))
        if luck.random() < 0.2:
            flow.epoch()
        if luck.random() < 0.1:
            flow.crash()
    flow.end()
    for number, spoken in now.items():
        clean.feed(_spoken(number, spoken))
    clean.end()
    assert len(changes) == 30
    assert len(episodes(clean.index)) >= 10
    assert contents(flow.index) == contents(clean.index)


def _with_everything_real() -> River:
    return River(ReferenceIndex(), detector=SemanticDetector(Boundaries()), extractor=LocalExtractor())


def _spoken(number: int, spoken: tuple[int, str, str]) -> Arrived:
    at, who, words = spoken
    stored = message(number, words, after=at).message
    return Arrived(stored.model_copy(update={"sender_id": who.lower(), "sender_name": who}))


# --- whatever happens -------------------------------------------------------------------------------------------------

text = st.sampled_from(TEXTS)
number = st.integers(0, 40)
say = st.tuples(st.just("say"), st.lists(text, min_size=1, max_size=4))
change = st.one_of(
    st.tuples(st.just("late"), number, text),
    st.tuples(st.just("edit"), number, text),
    st.tuples(st.just("delete"), number),
)
trouble = st.one_of(disturbance, disturbance, st.just(("forget",)))
stories = st.lists(st.one_of(say, say, change, change, trouble), min_size=2, max_size=30)


def tell(flow: ChaoticRiver, teller: Teller, story: Sequence[tuple[Any, ...]]) -> None:
    for event in story:
        match event:
            case ("say", texts):
                flow.survive(partial(flow.feed, *teller.say(*texts)))
            case ("late", pick, words):
                flow.survive(partial(flow.feed, *teller.late(pick, words)))
            case ("edit", pick, words):
                flow.survive(partial(flow.feed, *teller.edit(pick, words)))
            case ("delete", pick):
                flow.survive(partial(flow.feed, *teller.edit(pick, None)))
            case ("forget",):
                flow.survive(flow.finish)
                flow.survive(flow.end)
                flow.epoch()
                flow.forget_conversations()
            case _:
                flow.disturb(event)
    flow.end()


@pytest.mark.parametrize("detector", [CutOnWord(), CutOnWordFarAhead(), CutOnWordByWindow()], ids=lambda d: type(d).__name__)
@few
@given(story=stories, luck=lucks, hold_back=st.sampled_from([0.0, 90.0]))
def test_whatever_happens_the_memory_is_that_of_the_clean_conversation(
    detector: BoundaryDetector, hold_back: float, story: list[tuple[Any, ...]], luck: random.Random
) -> None:
    flow = ChaoticRiver(luck, detector=detector, hold_back_seconds=hold_back)
    teller = Teller(flow)
    tell(flow, teller, story)
    assert [letter.reason for letter in flow.letters.letters] == []
    assert_clean(flow, teller, detector=detector)
