"""All scenarios: kills of the flow, the broker and the index, a frozen index, other numbers of processes, and a soak."""

import random
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Figure, Need, Scenario, ScenarioResult, Size, judged
from evaluation.faults.texts import Volume
from evaluation.servers import bulks_at_work
from mneme.errors import StoreError

_LONGEST_AFTER_SECONDS = 2.5  # an epoch takes one: a kill falls anywhere between two snapshots
_IN_RESUME = 0.25  # of the kills come while the flow resumes from the one before
_RECOVERY_POLL_SECONDS = 0.0005
_RESUMES_WITHIN_SECONDS = 60.0
_WHOLE_WITHIN_SECONDS = 15.0
PATIENCE_SECONDS = 90.0
PROBES = 12  # conversations, in buckets of both processes
_BULK_SECONDS = 20.0  # for which a bulk under way is waited for
_MEMORY_GROWTH = 1.1
_MOST_MB_PER_HOUR = 20.0
_WARM_UP = 0.25  # of the time: caches fill, the allocator finds its size


@dataclass(frozen=True, slots=True)
class Plan:
    """Messages that come in, at ``rate`` events a second (0: as fast as it goes), and the harm meanwhile.

    ``times``: how often it happens; ``every_seconds``: or after how many seconds each. ``seconds``: how long it lasts, or for a
    soak how long all takes. ``processes``: of the flow, one number after the other.
    """

    volume: Volume
    times: int = 0
    rate: float = 0.0
    seconds: float = 0.0
    every_seconds: float = 0.0
    processes: tuple[int, ...] = (1,)


Run = Callable[[Deployment, Plan, random.Random, int, Size], ScenarioResult]


@dataclass(frozen=True, slots=True)
class Planned:
    """A ``Scenario`` that runs a function by the plan of its size. Its random choices come from the seed."""

    name: str
    play: Run
    plans: Mapping[Size, Plan]
    needs: frozenset[Need] = frozenset()

    def run(self, deployment: Deployment, seed: int, size: Size) -> ScenarioResult:
        """See ``Scenario``."""
        return self.play(deployment, self.plans[size], random.Random(seed), seed, size)


def _killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill the flow at random moments of its progress, some of them while it resumes from the kill before.

    Everything is there once, as in an undisturbed run.
    """
    moments = sorted(rng.sample(range(plan.volume.messages), plan.times))
    started = time.monotonic()
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start()
        for moment in moments:
            deployment.until_stored(moment)
            if rng.random() > _IN_RESUME:
                deployment.flow.until_reading()
            time.sleep(rng.uniform(0, _LONGEST_AFTER_SECONDS))
            deployment.flow.kill()
            deployment.start()
    verification = judged(deployment, against_undisturbed=True)
    return ScenarioResult(verification, {"kills": plan.times, "stream_seconds": round(time.monotonic() - started, 1)})


def _killed_in_snapshot(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill the flow the moment its recovery store grows, with a snapshot half written. It resumes every time."""
    resumed = []
    with deployment.publishing(deployment.traffic(plan.volume, seed)):
        deployment.start()
        _until_recovery_grows(deployment)
        for _ in range(plan.times):
            time.sleep(rng.uniform(0, 1))
            _until_recovery_grows(deployment)
            time.sleep(rng.uniform(0, 0.01))
            deployment.flow.kill()
            restarted = time.monotonic()
            deployment.start()
            _until_recovery_grows(deployment)
            resumed.append(time.monotonic() - restarted)
    verification = judged(deployment, against_undisturbed=size is Size.LONG)
    figures = {"kills": plan.times, "resumed": len(resumed), "slowest_resume_seconds": round(max(resumed), 1)}
    return ScenarioResult(verification, figures)


def _until_recovery_grows(deployment: Deployment) -> None:
    """Wait until the next write to the recovery store.

    Raises:
        StoreError: the flow ended, or wrote nothing.
    """
    epochs = deployment.settings.data / "recovery" / "kafka" / "epochs"
    before = _write_ahead_logs(epochs)
    deployment.flow.until(lambda: _write_ahead_logs(epochs) != before, _RESUMES_WITHIN_SECONDS, poll=_RECOVERY_POLL_SECONDS)


def _write_ahead_logs(epochs: Path) -> dict[str, tuple[int, int]]:
    """Size and time of the files that SQLite writes first."""
    found = {}
    for log in epochs.glob("*-wal"):
        with suppress(FileNotFoundError):  # checkpointed away meanwhile
            status = log.stat()
            found[log.name] = status.st_size, status.st_mtime_ns
    return found


def _process_killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill a random one of two processes: the unit is whole again, and goes on, in 15 seconds.

    A dataflow goes on with all of its processes or not at all. The seconds are judged in the long form only: in the tests
    other things run beside it.
    """
    whole, missed = [], list[str]()
    flow = deployment.flow
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start(plan.processes[0])
        flow.until_reading()
        for number in range(plan.times):
            deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
            time.sleep(rng.uniform(0, 2))
            supervisor, *members = flow.members()
            flow.signal(signal.SIGKILL, rng.choice(members))
            killed_at = time.monotonic()
            # What was sent after the kill is answered, whichever process has to.
            deployment.wait_for_markers(deployment.flush_some(PROBES, rng), PATIENCE_SECONDS)
            whole.append(time.monotonic() - killed_at)
            now = flow.members()
            if now[:1] != [supervisor] or set(members) & set(now):
                missed.append(f"of the processes {supervisor}, {members} there were {now} left")
    verification = judged(deployment, against_undisturbed=size is Size.LONG)
    slowest = round(max(whole), 1)
    if size is Size.LONG and slowest > _WHOLE_WITHIN_SECONDS:
        missed.append(f"it was whole again after {slowest} s; {_WHOLE_WITHIN_SECONDS:.0f} is the most")
    return ScenarioResult(verification, {"kills": plan.times, "slowest_whole_seconds": slowest}, tuple(missed))


def rescaled(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Stop the flow and start it with another number of processes while conversations are open.

    No conversation is cut by it: the episodes are those of a run that never stopped.
    """
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start(plan.processes[0])
        deployment.flow.until_reading()
        for number, processes in enumerate(plan.processes[1:]):
            deployment.until_stored(plan.volume.messages * (number + 1) // (len(plan.processes) + 1))
            deployment.restart(processes)
            deployment.flow.until_reading()
    verification = judged(deployment, against_undisturbed=True)
    figures: dict[str, Figure] = {"restarts": len(plan.processes) - 1, "processes": "-".join(map(str, plan.processes))}
    return ScenarioResult(verification, figures)


def broker_killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill the broker under a live producer: acknowledged messages are remembered, and the flow goes on by itself."""
    broker = deployment.servers.broker
    assert broker is not None, "it is needed"
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate) as producer:
        deployment.start()
        for number in range(plan.times):
            deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
            time.sleep(rng.uniform(0, 1))
            broker.kill()
            time.sleep(rng.uniform(0, 2))
            broker.start()
    verification = judged(deployment, against_undisturbed=size is Size.LONG)
    fewer = f"{producer.sent} messages were acknowledged, and {verification.messages} are remembered"
    figures = {"kills": plan.times, "acknowledged": producer.sent}
    return ScenarioResult(verification, figures, (fewer,) if verification.messages != producer.sent else ())


def index_killed(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Kill the index while it writes a bulk. Everything is there once, and the flow goes on by itself."""
    index = deployment.servers.index
    assert index is not None, "it is needed"
    in_bulk = 0
    with deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start()
        for number in range(plan.times):
            deployment.until_stored(plan.volume.messages * (number + 1) // (plan.times + 2))
            in_bulk += _until_bulk(deployment)
            index.kill()
            index.start()
    verification = judged(deployment, against_undisturbed=size is Size.LONG)
    return ScenarioResult(verification, {"kills": plan.times, "in_bulk": in_bulk})


def _until_bulk(deployment: Deployment) -> bool:
    """Wait until the index works at a bulk; False if none was seen for a while."""
    until = time.monotonic() + _BULK_SECONDS
    while time.monotonic() < until:
        try:
            if bulks_at_work(deployment.settings.opensearch):
                return True
        except StoreError:  # it is busy with its start
            time.sleep(0.1)
    return False


def _index_frozen(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Stop the index from answering, with all connections open. The sources wait: no restart, and memory does not grow.

    Memory is judged in the long form only: in the first seconds it grows by itself.
    """
    index = deployment.servers.index
    assert index is not None, "it is needed"
    with deployment.sampling(0.5) as seen, deployment.publishing(deployment.traffic(plan.volume, seed), plan.rate):
        deployment.start()
        deployment.until_stored(plan.volume.messages // 3)
        frozen = seen.seconds()
        index.pause()
        try:
            time.sleep(plan.seconds)
        finally:
            index.resume()
        thawed = seen.seconds()
    verification = judged(deployment, against_undisturbed=size is Size.LONG)
    before, during = seen.peak_mb(until=frozen), seen.peak_mb(since=frozen, until=thawed)
    figures = {"frozen_seconds": plan.seconds, "mb_before": round(before, 1), "mb_frozen": round(during, 1)}
    grown = f"memory grew from {before:.0f} to {during:.0f} MB while the index was frozen; 10 % is the most"
    has_grown = size is Size.LONG and during > _MEMORY_GROWTH * before
    return ScenarioResult(verification, figures, (grown,) if has_grown else ())


def _soak(deployment: Deployment, plan: Plan, rng: random.Random, seed: int, size: Size) -> ScenarioResult:
    """Send steady traffic, and kill the flow every so often (``every_seconds``; 0: never).

    Without kills memory grows by less than 20 MB an hour after a warm-up. The slope is judged in the long form only.
    """
    kills = 0
    deployment.start()
    traffic = deployment.traffic(plan.volume, seed)
    with deployment.sampling(1.0) as seen, deployment.publishing(traffic, plan.rate) as producer:
        while plan.every_seconds and not producer.is_done:
            producer.wait(plan.every_seconds * rng.uniform(0.8, 1.2))
            if not producer.is_done:
                deployment.flow.kill()
                deployment.start()
                kills += 1
    verification = judged(deployment, against_undisturbed=False)
    slope = seen.slope_mb_per_hour(since=_WARM_UP * plan.seconds) if not plan.every_seconds else 0.0
    figures = {
        "minutes": round(plan.seconds / 60, 1),
        "rate": plan.rate,
        "kills": kills,
        "most_lag": max(seen.lag, default=0),
        "peak_mb": round(seen.peak_mb(), 1),
        "mb_per_hour": round(slope, 1),
    }
    grows = f"memory grows by {slope:.0f} MB an hour; {_MOST_MB_PER_HOUR:.0f} is the most"
    return ScenarioResult(verification, figures, (grows,) if size is Size.LONG and slope > _MOST_MB_PER_HOUR else ())


_HOUR = Plan(Volume(360_000, 4000), rate=100, seconds=3600)

SCENARIOS: Sequence[Scenario] = (
    Planned(
        "killed",
        _killed,
        {
            Size.SHORT: Plan(Volume(240, 10, flushes=5), 2, rate=30),
            Size.LONG: Plan(Volume(100_000, 2000, flushes=500), 20),
        },
    ),
    Planned(
        "killed-in-snapshot",
        _killed_in_snapshot,
        {Size.SHORT: Plan(Volume(160, 8), 2), Size.LONG: Plan(Volume(20_000, 400), 20)},
    ),
    Planned(
        "process-killed",
        _process_killed,
        {
            Size.SHORT: Plan(Volume(160, 8), 1, rate=20, processes=(2,)),
            Size.LONG: Plan(Volume(20_000, 400), 10, rate=100, processes=(2,)),
        },
    ),
    Planned(
        "rescaled",
        rescaled,
        {
            Size.SHORT: Plan(Volume(160, 8), rate=20, processes=(1, 2, 1)),
            Size.LONG: Plan(Volume(20_000, 400), rate=100, processes=(1, *(2, 4, 1) * 3, 2)),
        },
    ),
    Planned(
        "broker-killed",
        broker_killed,
        {Size.SHORT: Plan(Volume(240, 8), 1, rate=40), Size.LONG: Plan(Volume(60_000, 1200), 5, rate=200)},
        frozenset({Need.BROKER}),
    ),
    Planned(
        "index-killed",
        index_killed,
        {Size.SHORT: Plan(Volume(240, 8), 1, rate=40), Size.LONG: Plan(Volume(20_000, 400), 10, rate=100)},
        frozenset({Need.INDEX}),
    ),
    Planned(
        "index-frozen",
        _index_frozen,
        {
            Size.SHORT: Plan(Volume(240, 8), rate=40, seconds=3.0),
            Size.LONG: Plan(Volume(60_000, 1200), rate=100, seconds=300.0),
        },
        frozenset({Need.INDEX}),
    ),
    Planned("soak", _soak, {Size.SHORT: Plan(Volume(200, 8), rate=40, seconds=5), Size.LONG: _HOUR}),
    Planned(
        "soak-with-kills",
        _soak,
        {
            Size.SHORT: Plan(Volume(240, 8), rate=40, seconds=6, every_seconds=4),
            Size.LONG: replace(_HOUR, every_seconds=300),
        },
    ),
)
