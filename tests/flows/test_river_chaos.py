"""The steps together under bad luck: a slow pool, a model that cuts by windows, crashes anywhere, time that passes."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.cuts import BoundaryDetector, Utterance, Verdict
from flows.items import Arrived, Pause
from mneme.errors import ModelMalformed, ModelTimeout, StoreUnavailable
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection, Key, Row, Vector
from tests.flows.river import START, CutOnWord, River, contents, embed, episodes, few, lucks, message
from tests.memory_index_reference import ReferenceIndex

pytestmark = pytest.mark.slow

CONVERSATIONS = {"a": "ann", "b": "ann", "c": "eve"}  # and whose they are
TEXTS = ["coffee with Bob", "NEW topic: Paris", "rain", "NEW job at Acme", "ok", "never mind"]


# --- what disturbs ----------------------------------------------------------------------------------------------------


class SlowPool:
    """A pool that works when the test says so: jobs run in any order, and are known to be done some time later."""

    def __init__(self, luck: random.Random) -> None:
        self._luck = luck
        self._submitted: list[tuple[Callable[[], Any], Future[Any]]] = []
        self._ran: list[tuple[Future[Any], Any, Exception | None]] = []

    def __call__(self, call: Callable[[], Any]) -> "Future[Any]":
        future: Future[Any] = Future()
        self._submitted.append((call, future))
        return future

    def work(self, steps: int) -> None:
        """Run some jobs, and tell the results of some that ran."""
        for _ in range(steps):
            if self._submitted and (not self._ran or self._luck.random() < 0.5):
                call, future = self._submitted.pop(self._luck.randrange(len(self._submitted)))
                try:
                    self._ran.append((future, call(), None))
                except Exception as error:  # noqa: BLE001  as a pool does
                    self._ran.append((future, None, error))
            elif self._ran:
                future, result, failure = self._ran.pop(self._luck.randrange(len(self._ran)))
                if failure is None:
                    future.set_result(result)
                else:
                    future.set_exception(failure)

    def abandon(self) -> None:
        """The process dies, and its threads with it."""
        self._submitted.clear()
        self._ran.clear()


class Died(Exception):
    """The process ends in the middle of something."""


class ChaoticRiver(River):
    """A river whose pool is slow and whose process may die before any of its writes."""

    def __init__(self, luck: random.Random, index: MemoryIndex | None = None, **arguments: Any) -> None:
        self.pool = SlowPool(luck)
        self.writes_until_death: int | None = None
        super().__init__(index or ReferenceIndex(), submit=self.pool, **arguments)

    def _onward(self, step: int, out: list[Any]) -> None:
        if out and self.writes_until_death is not None:
            self.writes_until_death -= 1
            if self.writes_until_death < 0:
                raise Died
        super()._onward(step, out)

    def survive(self, action: Callable[[], None]) -> None:
        """Do something; if the process dies by it, start it again."""
        try:
            action()
        except Died:
            self.crash()

    def crash(self) -> None:
        self.writes_until_death = None
        self.pool.abandon()
        super().crash()

    def work(self, steps: int) -> None:
        self.pool.work(steps)
        self.turn()

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.turn()

    def come_to_rest(self) -> None:
        self.work(60)
        self.pass_time(301)
        self.work(60)

    def disturb(self, event: tuple[Any, ...]) -> None:
        """Let happen what is no event of the source."""
        match event:
            case ("work", steps):
                self.survive(partial(self.work, steps))
            case ("wait", seconds):
                self.survive(partial(self.pass_time, seconds))
            case ("rest",):
                self.survive(self.come_to_rest)
            case ("epoch",):
                self.epoch()
            case ("crash",):
                self.crash()
            case ("die", writes):
                self.writes_until_death = writes
            case _:
                raise AssertionError(event)

    def finish(self) -> None:
        """Until nothing is at work any more."""
        self.writes_until_death = None
        for _ in range(400):
            self.work(20)
            if not self.unfinished:
                return
            self.pass_time(61)
        raise AssertionError("the river does not come to rest")

    def settle(self) -> None:
        self.finish()

    def end(self) -> None:
        self.finish()
        super().end()


class CutOnWordByWindow(CutOnWord):
    """The same cuts, asked for by windows in the pool, as of a chat model."""

    window = 4
    look_ahead = 2
    calls_a_model = True


class TakesBack(CutOnWord):
    """A word begins an episode unless the next message says never mind: without look-ahead it seems to."""

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        if ahead and "never mind" in ahead[0].message.text:
            return Verdict()
        return super().judge(context, judged, ahead)


class Fickle(CutOnWordByWindow):
    """Cuts where a model might: it depends on the window, so that two runs agree on nothing but the rules."""

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        every = 2 + (len(context) + len(judged) + len(ahead)) % 2
        boundaries = [at for at in range(len(judged)) if (context or at) and at % every == 1]
        return Verdict(tuple(boundaries), tail_complete=len(judged) % 2 == 0)


class FailsNowAndThen:
    """An embedder that is busy at every fifth call and refuses every seventh."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, texts: list[str]) -> Vector:
        self._calls += 1
        if self._calls % 5 == 0:
            raise ModelTimeout("busy")
        if self._calls % 7 == 0:
            raise ModelMalformed("not a vector")
        return embed(texts)


# --- what happens -----------------------------------------------------------------------------------------------------

say = st.tuples(st.sampled_from("aaaabc"), st.sampled_from(TEXTS))
several = st.lists(say, min_size=1, max_size=5).map(lambda said: ("batch", said))
flush = st.tuples(st.just("flush"), st.sampled_from([*CONVERSATIONS, "unknown"]))
work = st.tuples(st.just("work"), st.sampled_from([1, 3, 10, 40]))
wait = st.tuples(st.just("wait"), st.sampled_from([1, 61, 301]))
disturbance = st.one_of(
    st.sampled_from([("epoch",), ("crash",), ("rest",)]), st.tuples(st.just("die"), st.integers(0, 8)), work, wait
)
trouble = st.one_of(disturbance, disturbance, flush)
rounds = st.tuples(several, st.lists(trouble, max_size=3)).map(lambda both: [both[0], *both[1]])
stories = st.lists(rounds, min_size=1, max_size=10).map(lambda told: [event for one in told for event in one])


@dataclass
class Told:
    """What was said in a story, to be compared with what is remembered."""

    messages: dict[str, list[str]] = field(default_factory=dict)
    before_flush: dict[str, tuple[str, list[str]]] = field(default_factory=dict)

    def say(self, conversation: str, text: str) -> Arrived:
        """The next message of a conversation, a minute after the last."""
        number = sum(map(len, self.messages.values()))
        self.messages.setdefault(conversation, []).append(f"m{number:03d}")
        for flush_id, (flushed, _) in self.before_flush.items():
            if flushed == conversation:  # while its answer is under way, what is said next may open the episode again
                self.before_flush[flush_id] = flushed, []
        return message(number, text, conversation=conversation, user_id=CONVERSATIONS[conversation])

    def flush(self, conversation: str) -> Pause:
        """The next flush of a conversation."""
        identity = f"f{len(self.before_flush)}"
        self.before_flush[identity] = conversation, list(self.messages.get(conversation, []))
        return Pause(f"default/{conversation}", "flush", tenant_id="default", flush_id=identity)


def tell(flow: ChaoticRiver, story: Sequence[tuple[Any, ...]], disturbed: bool = True) -> Told:
    """Play a story; an undisturbed river hears only what is said."""
    told = Told()
    for event in story:
        match event:
            case ("batch", batch):
                items = [told.say(conversation, text) for conversation, text in batch]
                flow.survive(partial(flow.feed, *items))
            case _ if not disturbed:
                continue
            case ("flush", conversation):
                flow.survive(partial(flow.feed, told.flush(conversation)))
            case _:
                flow.disturb(event)
        for flush_id in told.before_flush:
            _flush_holds(flow.index, told, flush_id)
    flow.end()
    for flush_id in told.before_flush:
        assert _is_marked(flow.index, flush_id), f"{flush_id} was never answered"
    return told


def _is_marked(index: MemoryIndex, flush_id: str) -> bool:
    return bool(index.get([flush_marker("default", flush_id, START).key]))


def _flush_holds(index: MemoryIndex, told: Told, flush_id: str) -> None:
    """Who sees the marker finds everything that was said before the flush."""
    conversation, before = told.before_flush[flush_id]
    if _is_marked(index, flush_id) and before:
        told.before_flush[flush_id] = conversation, []  # once: an episode may be open again afterwards
        rows = [row for row in index.scan(Collection.EPISODES) if row.conversation_id == conversation]
        assert set(before) <= {identity for row in rows for identity in row.body["message_ids"]}


def nothing_is_lost_doubled_or_orphaned(index: MemoryIndex, told: Told) -> None:
    """What must hold of every index when the river is at rest."""
    rows = {collection: {row.id: row for row in index.scan(collection)} for collection in Collection}
    episodes = rows[Collection.EPISODES]
    for conversation, said in told.messages.items():
        own = sorted((e for e in episodes.values() if e.conversation_id == conversation), key=lambda row: row.at)
        assert [identity for episode in own for identity in episode.body["message_ids"]] == said
    listed = Counter(identity for episode in episodes.values() for identity in episode.body["fact_ids"])
    assert set(listed) == set(rows[Collection.FACTS])
    assert all(fact.parent_id in episodes for fact in rows[Collection.FACTS].values())
    for aggregate in rows[Collection.GRAPH].values():
        for mention in aggregate.body["mentions"]:
            assert aggregate.id in episodes[mention["episode_id"]].body["aggregate_ids"]
    for episode in episodes.values():
        for identity in episode.body["aggregate_ids"]:
            assert identity in rows[Collection.GRAPH]


# --- what must hold ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("detector", [CutOnWord(), CutOnWordByWindow(), TakesBack()], ids=lambda d: type(d).__name__)
@few
@given(story=stories, luck=lucks, hold_back=st.sampled_from([0.0, 90.0]))
def test_whatever_happens_the_memory_is_that_of_an_undisturbed_run(
    detector: BoundaryDetector, hold_back: float, story: list[tuple[Any, ...]], luck: random.Random
) -> None:
    disturbed = ChaoticRiver(luck, detector=detector, hold_back_seconds=hold_back)
    undisturbed = ChaoticRiver(luck, detector=detector, hold_back_seconds=hold_back)
    told = tell(disturbed, story)
    tell(undisturbed, story, disturbed=False)
    nothing_is_lost_doubled_or_orphaned(disturbed.index, told)
    assert contents(disturbed.index) == contents(undisturbed.index)
    assert disturbed.tally["duplicate"] == 0


@few
@given(story=stories, luck=lucks, hold_back=st.sampled_from([0.0, 90.0]))
def test_a_model_that_never_says_the_same_twice_loses_and_doubles_nothing(
    story: list[tuple[Any, ...]], luck: random.Random, hold_back: float
) -> None:
    flow = ChaoticRiver(luck, detector=Fickle(), hold_back_seconds=hold_back, max_messages=5)
    nothing_is_lost_doubled_or_orphaned(flow.index, tell(flow, story))
    assert all(len(episode) <= 5 for episode in episodes(flow.index))


@few
@given(story=stories, luck=lucks)
def test_an_embedder_that_fails_costs_vectors_and_nothing_else(story: list[tuple[Any, ...]], luck: random.Random) -> None:
    flow = ChaoticRiver(luck, detector=CutOnWordByWindow(), embedding=FailsNowAndThen())
    nothing_is_lost_doubled_or_orphaned(flow.index, tell(flow, story))


@pytest.mark.parametrize("dies", [False, True])
def test_what_was_shown_and_turns_out_not_to_begin_there_is_taken_back(dies: bool) -> None:
    flow = River(ReferenceIndex(), detector=TakesBack())
    flow.feed(message(0, "coffee"), message(1, "NEW things"))
    flow.wait(301)
    assert episodes(flow.index) == [("m000",), ("m001",)]
    if dies:
        flow.crash()  # nobody pauses this time
    flow.feed(message(2, "never mind"))
    flow.end()
    assert episodes(flow.index) == [("m000", "m001", "m002")]
    assert flow.index.count(Collection.FACTS) == 3


def test_what_only_the_process_that_died_had_added_to_an_episode_is_taken_out_again() -> None:
    flow = River(ReferenceIndex(), detector=TakesBack(), look_ahead=1)
    flow.feed(message(0, "coffee"))
    flow.wait(301)
    flow.epoch()
    flow.feed(message(1, "NEW things"), message(2, "never mind"))
    flow.wait(301)
    assert episodes(flow.index) == [("m000", "m001", "m002")]
    flow._detector = CutOnWord()  # a restart with other settings decides otherwise
    flow.crash()
    flow.end()
    assert episodes(flow.index) == [("m000",), ("m001", "m002")]


def test_what_was_said_of_an_entity_outlasts_an_episode_that_had_to_wait_for_the_index() -> None:
    class DownForOne(ReferenceIndex):
        down = True

        def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
            if self.down and any(key.collection is Collection.EPISODES and "/b/" in key.id for key in keys):
                raise StoreUnavailable("this shard is moving")
            return super().get(keys, with_vectors)

    index = DownForOne()
    flow = River(index)
    flow.feed(message(0, "Bob bakes", "a"), message(1, "quiet", "b"), message(2, "Bob sings", "c"), Pause("", "end"))
    for _ in range(5):
        flow.epoch()
    index.down = False
    flow.wait(60)
    [bob] = index.scan(Collection.GRAPH)
    assert [mention["text"] for mention in bob.body["mentions"]] == ["Bob in Bob bakes", "Bob in Bob sings"]
