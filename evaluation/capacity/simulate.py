"""The flow as a network of queues, simulated event by event, and what the formulas of waiting say of the same load.

    messages -> worker (one thread, in order) -> extract (so many calls at a time, one of a conversation)
             -> reconcile (threads, one of an owner, up to 32 episodes at once)

The worker takes each message; every so many messages of a conversation are an episode, which goes on. That is the flow of
flows/engine.py with the waits that matter: the conversation's and the owner's lane keep their order, so that neither can have
more than one job at work. The events are kept in a heap.
"""

import heapq
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

MOST_EPISODES = 32  # of one job of reconcile (flows/reconcile.py)
EPISODE_MESSAGES = 20  # make one: LoCoMo has 2,760 in 128
HOT = -1  # the owner, and the conversation, of which there is too much

Service = Callable[[random.Random], float]  # seconds, drawn anew for each job


@dataclass(frozen=True, slots=True)
class Costs:
    """How long the steps take. ``episode`` is how many messages make one."""

    worker: Service
    extract: Service
    reconcile: Service
    calls: int
    threads: int = 16
    episode: int = EPISODE_MESSAGES


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message: when it comes, of which conversation, whose."""

    at: float
    conversation: int
    owner: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """Seconds from the arrival of the last message of each episode until the episode is searchable, and when all was done.

    Waits are seconds in line: of messages for the worker, of episodes for a call. ``hot_times`` are seconds that episodes of
    the owner ``HOT`` spend in its lane.
    """

    delays: tuple[float, ...]
    worker_waits: tuple[float, ...]
    extract_waits: tuple[float, ...]
    hot_times: tuple[float, ...]
    ended: float

    def percentile(self, share: float) -> float:
        """The delay that this share of the episodes does not exceed."""
        ordered = sorted(self.delays)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@dataclass(slots=True, eq=False)
class _Episode:
    conversation: int
    owner: int
    complete_at: float


@dataclass(slots=True, eq=False)
class _Lanes:
    """Jobs that wait, in order within each lane, and lanes that could begin one, in the order in which they could."""

    servers: int
    waiting: dict[int, deque[_Episode]] = field(default_factory=lambda: defaultdict(deque))
    ready: deque[int] = field(default_factory=deque)
    busy: set[int] = field(default_factory=set)

    def add(self, lane: int, episode: _Episode) -> None:
        if not self.waiting[lane] and lane not in self.busy:
            self.ready.append(lane)
        self.waiting[lane].append(episode)

    def begin(self, most: int) -> Iterator[tuple[int, list[_Episode]]]:
        """The jobs that begin now, at most ``most`` episodes each."""
        while self.ready and len(self.busy) < self.servers:
            lane = self.ready.popleft()
            self.busy.add(lane)
            line = self.waiting[lane]
            yield lane, [line.popleft() for _ in range(min(most, len(line)))]

    def end(self, lane: int) -> None:
        self.busy.discard(lane)
        if self.waiting[lane]:
            self.ready.append(lane)


def simulate(arrivals: Sequence[Arrival], costs: Costs, seed: int = 1) -> Simulated:
    """Let messages, in the order of their times, pass through the flow."""
    luck = random.Random(seed)
    extracts, owners = _Lanes(costs.calls), _Lanes(costs.threads)
    events: list[tuple[float, int, Callable[[float], None]]] = []
    order = count()
    delays: list[float] = []
    extract_waits: list[float] = []
    hot_times: list[float] = []
    since: dict[int, float] = {}
    last = 0.0

    def at(when: float, act: Callable[[float], None]) -> None:
        heapq.heappush(events, (when, next(order), act))

    def begin_extracts(now: float) -> None:
        for lane, (episode,) in extracts.begin(1):
            extract_waits.append(now - since.pop(id(episode)))
            at(now + costs.extract(luck), partial(extracted, lane, episode))

    def extracted(lane: int, episode: _Episode, now: float) -> None:
        extracts.end(lane)
        since[id(episode)] = now
        owners.add(episode.owner, episode)
        begin_extracts(now)
        begin_reconciles(now)

    def begin_reconciles(now: float) -> None:
        for lane, job in owners.begin(MOST_EPISODES):
            seconds = sum(costs.reconcile(luck) for _ in job)
            at(now + seconds, partial(reconciled, lane, job))

    def reconciled(lane: int, job: list[_Episode], now: float) -> None:
        nonlocal last
        last = now
        owners.end(lane)
        times = [now - since.pop(id(episode)) for episode in job]
        hot_times.extend(times if lane == HOT else ())
        delays.extend(now - episode.complete_at for episode in job)
        begin_reconciles(now)

    def complete(episode: _Episode, now: float) -> None:
        since[id(episode)] = now
        extracts.add(episode.conversation, episode)
        begin_extracts(now)

    said: dict[int, int] = {}
    waits: list[float] = []
    free = 0.0
    for message in arrivals:  # the worker: one after the other
        while events and events[0][0] <= message.at:
            now, _, act = heapq.heappop(events)
            act(now)
        begins = max(free, message.at)
        waits.append(begins - message.at)
        free = begins + costs.worker(luck)
        if message.conversation not in said:  # none begins just now
            said[message.conversation] = luck.randrange(costs.episode)
        said[message.conversation] += 1
        if said[message.conversation] % costs.episode == 0:
            episode = _Episode(message.conversation, message.owner, message.at)
            at(free, partial(complete, episode))
    while events:
        now, _, act = heapq.heappop(events)
        act(now)
    return Simulated(tuple(delays), tuple(waits), tuple(extract_waits), tuple(hot_times), max(last, free))


def poisson(rate: float, messages: int, talks: Callable[[random.Random], tuple[int, int]], seed: int = 1) -> list[Arrival]:
    """Messages at random times, ``rate`` a second; ``talks`` draws the conversation and its owner."""
    luck = random.Random(seed)
    now, found = 0.0, []
    for _ in range(messages):
        now += luck.expovariate(rate)
        found.append(Arrival(now, *talks(luck)))
    return found


def burst(messages: int, talks: Callable[[random.Random], tuple[int, int]], seed: int = 1) -> list[Arrival]:
    """Messages that are all there at once."""
    luck = random.Random(seed)
    return [Arrival(0.0, *talks(luck)) for _ in range(messages)]


def spread(conversations: int, hot_owner: float = 0.0, endless_talk: float = 0.0) -> Callable[[random.Random], tuple[int, int]]:
    """Conversations with an owner each; ``hot_owner`` of them have one owner, ``endless_talk`` of the messages are in one."""

    def draw(luck: random.Random) -> tuple[int, int]:
        if luck.random() < endless_talk:
            return HOT, HOT
        talk = luck.randrange(conversations)
        return talk, HOT if talk < hot_owner * conversations else talk

    return draw


def constant(seconds: float) -> Service:
    """Always the same."""
    return lambda luck: seconds


def exponential(seconds: float) -> Service:
    """Of this mean, with a variation of 1."""
    return lambda luck: luck.expovariate(1 / seconds)


def with_timeouts(service: Service, share: float, timeout: float) -> Service:
    """Some take until a time-out, and then as long as another attempt."""

    def draw(luck: random.Random) -> float:
        seconds = service(luck)
        while luck.random() < share:
            seconds += timeout
        return seconds

    return draw
