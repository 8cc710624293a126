"""The state of the segment step: the same however it was reached, and as good as never having stopped."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flows.cuts import Cut
from flows.items import Erasure, Pause, Retraction
from mneme.records import Position
from tests.flows.river import message
from tests.flows.test_segment import Bench

HEAR = st.tuples(st.just("hear"), st.integers(0, 3), st.sampled_from(["coffee", "NEW tea", "milk"]))
STEPS = st.lists(
    st.one_of(
        HEAR,
        HEAR,
        st.tuples(st.just("wait"), st.sampled_from([1, 70, 301]), st.just("")),
        st.tuples(st.just("flush"), st.integers(0, 3), st.just("")),
        st.tuples(st.just("work"), st.just(0), st.just("")),
        st.tuples(st.just("end"), st.just(0), st.just("")),
    ),
    max_size=40,
)


class Talk:
    """Drives a bench by steps; ``shown`` are the episodes that stand, by id."""

    def __init__(self) -> None:
        self.bench = Bench(hold_back_seconds=60.0)
        self.shown: dict[str, tuple[str, ...]] = {}
        self._count = 0

    def do(self, step: str, number: int, text: str) -> None:
        bench = self.bench
        if step == "hear":
            self._count += 1
            self._take(bench.hear(self._count, text, conversation=f"talk{number}"))
        elif step == "wait":
            self._take(bench.wait(number))
        elif step == "flush":
            pause = Pause(f"default/talk{number}", "flush", tenant_id="default", flush_id=f"f{self._count}")
            self._take(list(bench.lane.on_batch([pause])))
        elif step == "work":
            self.work()
        elif step == "end":
            self._take(list(bench.lane.on_batch([Pause("", "end")])))

    def work(self) -> None:
        """The pool does all it has been given, and what comes of it."""
        while self.bench.jobs:
            self._take(self.bench.work())

    def restart(self) -> None:
        """Another process goes on from the state."""
        state = self.bench.lane.snapshot()
        self.bench.jobs = []
        self.bench.start(state)

    def come_to_rest(self) -> None:
        """Everything is shown."""
        for _ in range(3):
            self.work()
            self._take(self.bench.wait(400))
        self.work()

    def _take(self, out: list[Any]) -> None:
        for item in out:
            if isinstance(item, Cut):
                self.shown[item.id] = tuple(utterance.message.message_id for utterance in item.utterances)
            elif isinstance(item, Retraction):
                self.shown.pop(item.episode_id, None)


@settings(max_examples=25)
@given(STEPS)
def test_a_state_does_not_depend_on_how_often_it_was_asked_for(steps: list[tuple[str, int, str]]) -> None:
    often, once = Talk(), Talk()
    for step in steps:
        often.do(*step)
        once.do(*step)
        often.bench.lane.snapshot()
    assert often.bench.lane.snapshot() == once.bench.lane.snapshot()


@settings(max_examples=25)
@given(STEPS)
def test_a_restart_without_anything_to_do_leaves_the_state_as_it_is(steps: list[tuple[str, int, str]]) -> None:
    talk = Talk()
    for step in steps:
        talk.do(*step)
    talk.come_to_rest()
    state = talk.bench.lane.snapshot()
    talk.restart()
    assert talk.bench.lane.snapshot() == state


@settings(max_examples=25)
@given(STEPS, STEPS, STEPS)
def test_a_run_that_restarts_shows_the_same_episodes(
    before: list[tuple[str, int, str]], between: list[tuple[str, int, str]], after: list[tuple[str, int, str]]
) -> None:
    through, stopped = Talk(), Talk()
    for steps in (before, between, after):
        for step in steps:
            through.do(*step)
            stopped.do(*step)
        stopped.restart()
    through.come_to_rest()
    stopped.come_to_rest()
    assert stopped.shown == through.shown


def test_what_is_open_is_encoded_once_for_each_change() -> None:
    bench = Bench()
    for number in range(50):
        bench.hear(number, conversation=f"talk{number}")
    bench.lane.snapshot()
    parts = dict(bench.lane._active._parts)
    bench.hear(60, conversation="talk7")
    bench.lane.snapshot()
    changed = {lane for lane, part in bench.lane._active._parts.items() if part is not parts[lane]}
    assert changed == {"default/talk7"}


def test_an_erasure_that_came_while_texts_were_read_is_in_the_next_state() -> None:
    bench = Bench()
    bench.hear(0)
    bench.wait(301)
    bench.hear(1)  # asks the pool for the texts
    bench.lane.snapshot()
    owner = message(0, "coffee").message.owner
    erasure = Erasure("default", "talk", owner, "e1", bench.now, Position(topic="t", partition=0, offset=9))
    assert list(bench.lane.on_batch([erasure])) == []
    state = bench.lane.snapshot()
    bench.jobs = []
    bench.start(state)
    bench.wait(1)
    assert erasure in bench.work()


def test_a_restart_reads_nothing_before_it_must() -> None:
    bench = Bench(hold_back_seconds=60.0)
    for number in range(20):
        bench.hear(number, conversation=f"talk{number}")
    bench.start(bench.lane.snapshot())
    bench.wait(59)
    assert bench.jobs == []
    bench.wait(2)
    assert bench.jobs
