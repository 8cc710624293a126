"""An engine for tests: one thread, and positions and states of the last whole epoch in memory."""

import time
from typing import Any

from flows.engines.dataflow import EMBED, EXTRACT, READ, RECONCILE, SEGMENT, Dataflow, goes_to_the_writer
from flows.engines.port import HostedLane
from flows.running.feeds import Feed

_STEPS = (READ, EMBED, SEGMENT, EXTRACT, RECONCILE)


class InMemoryEngine:
    """Each look at all sources is an epoch. States are asked for whenever a lane was at work, and count at its end."""

    def __init__(self) -> None:
        self._positions: dict[tuple[str, str], Any] = {}
        self._states: dict[tuple[int, str], bytes] = {}

    def run(self, flow: Dataflow) -> None:
        """Run a dataflow until its sources end."""
        run = _Run(flow, self._states)
        feeds: dict[tuple[str, str], Feed] = {}
        for source in flow.sources:
            for partition in source.partitions:
                place = source.name, partition
                feeds[place] = source.open(partition, self._positions.get(place))
        while feeds:
            for place, feed in list(feeds.items()):
                try:
                    run.take_in(0, flow.decoded(feed.next_batch()))
                except StopIteration:
                    del feeds[place]
            run.wake()
            self._positions |= {place: feed.resume_state() for place, feed in feeds.items()}
            self._states |= run.end_epoch()
            time.sleep(0.005)


class _Run:
    def __init__(self, flow: Dataflow, states: dict[tuple[int, str], bytes]) -> None:
        self._flow = flow
        self._hosting = [flow.hosting(step) for step in _STEPS]
        self._lanes: dict[tuple[int, str], HostedLane] = {}
        for (number, key), state in states.items():
            self._lanes[number, key] = self._hosting[number](state)
        self._at_work: dict[tuple[int, str], bytes] = {}

    def take_in(self, number: int, items: list[Any]) -> None:
        """Give items to a step, and what it hands on to the next and to the writer."""
        if writes := [item for item in items if goes_to_the_writer(item)]:
            self._flow.write(writes)
        grouped: dict[str, list[Any]] = {}
        for item in items:
            if not goes_to_the_writer(item):
                grouped.setdefault(_STEPS[number].key(item, self._flow.buckets), []).append(item)
        for key, batch in grouped.items():
            if (number, key) not in self._lanes:
                self._lanes[number, key] = self._hosting[number](None)
            self._hand_on(number, key, self._lanes[number, key].on_batch(batch))

    def wake(self) -> None:
        """Wake what waits, most of it too early: nothing may come of that, and no test waits for a timer."""
        for (number, key), lane in list(self._lanes.items()):
            if lane.wake_at() is not None:
                self._hand_on(number, key, lane.poll())

    def end_epoch(self) -> dict[tuple[int, str], bytes]:
        """The states of what was at work; the epoch is done."""
        states = {place: self._lanes[place].snapshot() for place in self._at_work}
        for place in self._at_work:
            self._lanes[place].epoch_done()
        self._at_work = {}
        return states

    def _hand_on(self, number: int, key: str, out: list[Any]) -> None:
        self._at_work[number, key] = self._lanes[number, key].snapshot()  # as often as it likes: nothing comes of it
        self.take_in(number + 1, out)
