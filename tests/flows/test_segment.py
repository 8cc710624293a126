"""The segment step by itself: time, rest, the pool, and what it costs to keep many conversations."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from flows.conversations.dormant import DormantConversations, parts_in
from flows.cuts import Cut, Utterance, Verdict
from flows.items import Amended, Embedded, Pause, WriteBatch
from flows.lanes.scheduling import NotReady
from flows.segment import SegmentLane
from mneme.errors import StoreUnavailable
from mneme.ports import Put
from mneme.receipts import flush_marker
from mneme.rows import row_of
from tests.flows.river import IDENTITY, SETTINGS, START, CutOnWord, few, message, services_for
from tests.memory_index_reference import ReferenceIndex


class Windows(CutOnWord):
    """Judged in the pool, four messages at a time."""

    window = 4
    calls_a_model = True


class Asked(Windows):
    """Notes what it is asked."""

    look_ahead = 2

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[tuple[tuple[str, ...], ...]] = []

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        self.questions.append(tuple(tuple(each.message.text for each in part) for part in (context, judged, ahead)))
        return super().judge(context, judged, ahead)


class Bench:
    """A segment step whose pool and clock are in the test's hand."""

    def __init__(self, detector: CutOnWord | None = None, state: bytes | None = None, **boundaries: Any) -> None:
        self.now = START
        self.index = ReferenceIndex()
        self.index.prepare(IDENTITY)
        self.jobs: list[tuple[Callable[[], Any], Future[Any]]] = []
        self.detector = detector or CutOnWord()
        limits = {"hold_back_seconds": 0.0, "idle_seconds": 300.0, **boundaries}
        self._settings = SETTINGS.model_copy(update={"boundaries": SETTINGS.boundaries.model_copy(update=limits)})
        self.lane = self.start(state)

    def start(self, state: bytes | None) -> SegmentLane:
        """A step as a process finds it when it starts."""
        services = {"settings": self._settings, "submit": self._submit, "clock": lambda: self.now, "detector": self.detector}
        self.lane = SegmentLane(services_for(self.index, **services), state)
        return self.lane

    def hear(self, number: int, text: str = "coffee", after: float | None = None, conversation: str = "talk") -> list[Any]:
        stored = message(number, text, conversation=conversation, after=after).message
        self.index.write([Put(row_of(stored))])
        return list(self.lane.on_batch([Embedded(Utterance(stored, None))]))

    def wait(self, seconds: float) -> list[Any]:
        """Time passes; the step is polled when it asks to be."""
        out, end = [], self.now + timedelta(seconds=seconds)
        while (due := self.lane.wake_at()) is not None and due <= end:
            self.now = max(self.now, due)
            out += self.lane.poll()
        self.now = end
        return out

    def work(self) -> list[Any]:
        """The pool does what it was given."""
        jobs, self.jobs = self.jobs, []
        for call, future in jobs:
            try:
                future.set_result(call())
            except (StoreUnavailable, NotReady) as error:
                future.set_exception(error)
        return list(self.lane.poll())

    def _submit(self, call: Callable[[], Any]) -> "Future[Any]":
        self.jobs.append((call, Future()))
        return self.jobs[-1][1]


def flush(conversation: str = "talk") -> Pause:
    return Pause(f"default/{conversation}", "flush", tenant_id="default", flush_id="f1")


def at_rest(state: bytes) -> dict[str, Any]:
    """What a state tells of each conversation."""
    shelf = DormantConversations()
    for lane, part in parts_in(state):
        shelf.from_state(lane, part)
    return dict(shelf)


def ids(out: list[Any]) -> list[tuple[str, ...]]:
    return [tuple(u.message.message_id for u in item.utterances) for item in out if isinstance(item, Cut)]


def test_a_message_that_was_sent_earlier_and_came_later_does_not_keep_the_others_waiting() -> None:
    bench = Bench(hold_back_seconds=60.0)
    bench.hear(1, after=10)
    bench.now += timedelta(seconds=50)
    bench.hear(0, after=0)
    bench.wait(15)
    assert bench.lane._active["default/talk"].held == []
    assert ids(bench.wait(301)) == [("m000", "m001")]


def test_a_flush_of_a_conversation_that_rests_is_answered_without_reading_it() -> None:
    bench = Bench()
    bench.hear(0)
    assert ids(bench.wait(301)) == [("m000",)]
    assert list(bench.lane.on_batch([flush()])) == [flush()]
    assert bench.jobs == []
    assert bench.lane._active == {}


def test_a_conversation_goes_to_rest_again_after_a_flush() -> None:
    bench = Bench()
    bench.hear(0)
    bench.wait(301)
    bench.hear(1)
    bench.work()
    bench.lane.on_batch([flush()])
    bench.wait(301)
    assert bench.lane._active == {}


def test_texts_are_read_in_the_pool_and_an_index_that_is_down_is_waited_for() -> None:
    bench = Bench()
    bench.hear(0)
    bench.wait(301)
    read = bench.index.get

    def down(*arguments: object, **named: object) -> Any:
        raise StoreUnavailable("no route to host")

    bench.index.get = down  # type: ignore[method-assign]
    bench.hear(1, "NEW things")
    bench.hear(2)
    assert bench.work() == []
    assert bench.lane.unfinished == 1
    bench.index.get = read  # type: ignore[method-assign]
    bench.wait(3)
    assert bench.work() == []  # as it was shown: closed without a word
    assert ids(list(bench.lane.on_batch([flush()]))) == [("m001", "m002")]


def test_a_process_that_ends_while_texts_are_read_forgets_nothing() -> None:
    bench = Bench(hold_back_seconds=60.0)
    bench.hear(0)
    bench.hear(1)
    bench.wait(400)
    bench.hear(2)
    list(bench.lane.on_batch([flush()]))
    state = bench.lane.snapshot()
    bench.jobs = []
    bench.start(state)
    bench.wait(1)
    out = bench.work()
    assert ids(out) == [("m000", "m001", "m002")]
    assert out[-1] == flush()


def test_messages_that_wait_for_a_verdict_count_as_unfinished() -> None:
    bench = Bench(Windows())
    for number in range(40):
        bench.hear(number)
    conversation = bench.lane._active["default/talk"]
    assert len(bench.jobs) == 1
    assert bench.lane.unfinished == len(conversation.undecided)
    while bench.jobs:
        bench.work()
    assert bench.lane.unfinished == 0
    assert len(conversation.episode) > 30


def test_a_flush_that_waited_for_a_model_is_answered_when_the_next_start_uses_none() -> None:
    bench = Bench(Windows())
    bench.hear(0)
    assert list(bench.lane.on_batch([flush()])) == []
    state = bench.lane.snapshot()
    bench.detector = CutOnWord()
    bench.jobs = []
    bench.start(state)
    assert list(bench.lane.on_batch([Pause("", "end")])) == []
    bench.lane.snapshot()
    out = bench.work()
    assert ids(out) == [("m000",)]
    assert out[-1] == flush()


def test_what_rests_is_bounded_and_nothing_that_is_not_shown_yet_is_forgotten() -> None:
    bench = Bench()
    for number in range(700):
        bench.hear(number, conversation=f"talk{number}")
    bench.start(bench.lane.snapshot())
    out, reads = bench.wait(301), []
    while bench.jobs:
        reads.append(len(bench.jobs))
        out += [*bench.work(), *bench.wait(1)]
    assert len(ids(out)) == 700
    assert max(reads) == 4  # at a time: a restart has more to do than to read what went idle meanwhile
    assert len(bench.lane._dormant) == 128
    assert bench.lane._active == bench.lane._timers._times == {}


def test_changes_at_work_are_kept_without_their_texts() -> None:
    bench = Bench()
    for number, text in enumerate(["a", "b", "NEW c", "d", "NEW e", "f", "NEW g", "h"]):
        bench.hear(number, text)
    edited = message(1, "confidential").message.model_copy(update={"version": 2})
    bench.index.write([Put(row_of(edited))])
    [asked] = bench.lane.on_batch([Amended(Utterance(edited, None))])
    assert isinstance(asked, Pause)  # waits until what was cut before is in the index
    assert bench.work() == []
    state = bench.lane.snapshot()
    assert "confidential" not in str(at_rest(state))
    bench.jobs = []
    bench.start(state)
    bench.wait(1)
    [asked] = bench.work()  # the texts; then it asks anew
    bench.index.write([Put(flush_marker("default", asked.flush_id, bench.now))])
    out = bench.work()
    assert isinstance(out[0], WriteBatch)  # the marker has done its work
    assert ids(out)[0] == ("m000", "m001")
    assert [u.message.text for u in out[1].utterances] == ["a", "confidential"]


def test_a_pause_waits_for_changes() -> None:
    bench = Bench()
    for number, text in enumerate(["a", "b", "NEW c", "d", "NEW e", "f"]):
        bench.hear(number, text)
    late = message(9, "late", after=30).message
    bench.index.write([Put(row_of(late))])
    [asked] = bench.lane.on_batch([Embedded(Utterance(late, None))])
    assert list(bench.lane.on_batch([flush()])) == []
    assert bench.lane.unfinished == 1
    bench.index.write([Put(flush_marker("default", asked.flush_id, bench.now))])
    out = bench.work()
    assert ids(out)[0] == ("m000", "m009", "m001")
    assert out[-1] == flush()


def test_the_reason_for_which_an_episode_begins_goes_with_it() -> None:
    bench = Bench(max_messages=3)
    out = [item for number, text in enumerate(["a", "NEW b", "c", "d", "e", "f"]) for item in bench.hear(number, text)]
    out += bench.wait(301)
    assert [cut.begins_because for cut in out if isinstance(cut, Cut)] == [("start",), ("NEW after a",), ("limit",)]


def played(events: Sequence[str], is_pool_quick: Sequence[bool]) -> tuple[list[Any], list[Any]]:
    """What is asked and what comes out when a conversation is played, and the pool works behind some of the events."""
    detector = Asked()
    bench, out = Bench(detector), list[Any]()

    def passed(items: Iterable[Any]) -> None:
        for item in items:
            if isinstance(item, Pause) and item.flush_id not in ("", flush().flush_id):  # that the index has caught up
                bench.index.write([Put(flush_marker("default", item.flush_id, bench.now))])
            else:
                out.append(item)

    def work() -> None:
        while bench.jobs:
            passed(bench.work())

    for number, (event, is_quick) in enumerate(zip(events, is_pool_quick, strict=True)):
        if event == "flush":
            passed(bench.lane.on_batch([flush()]))
        elif event == "edit":
            edited = message(number - 1, f"edited {number}").message.model_copy(update={"version": 2})
            bench.index.write([Put(row_of(edited))])
            passed(bench.lane.on_batch([Amended(Utterance(edited, None))]))
        else:
            passed(bench.hear(number, f"{event} {number}"))
        if is_quick:
            work()
    passed(bench.lane.on_batch([Pause("", "end")]))
    work()
    assert bench.lane.unfinished == 0
    return detector.questions, [item if isinstance(item, Pause) else ids([item]) for item in out]


said = st.lists(st.sampled_from(["a", "b", "NEW c"]), max_size=9)
LONG_TALK = st.tuples(said, st.sampled_from(["flush", "edit"]), said).map(
    lambda parts: ["a", *parts[0], "b", parts[1], *parts[2]]
)


@few
@given(st.data())
def test_what_a_model_is_asked_does_not_depend_on_how_quick_the_pool_is(data: st.DataObject) -> None:
    events = data.draw(LONG_TALK)
    quick = played(events, [True] * len(events))
    assert played(events, data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))) == quick


def test_what_is_shown_of_an_edited_talk_does_not_depend_on_what_waits_behind_the_edit() -> None:
    events = ["a", "NEW c", "a", "b", "edit", "a"]
    assert played(events, [False] * len(events)) == played(events, [True] * len(events))


def test_a_window_ends_with_the_first_message_that_a_cheap_signal_finds_behind_half_a_window() -> None:
    questions, _ = played(["a", "b", "c", "NEW d", "e", "f", "NEW g", "h", "i", "j"], [False] * 10)
    assert [[text.rstrip(" 0123456789") for text in judged] for _, judged, _ in questions] == [
        ["a", "b", "c", "NEW d"],
        ["e", "f", "NEW g"],
        ["h", "i", "j"],
    ]
