"""All scenarios: kills of the flow and of its servers, a frozen index, other numbers of processes, and a soak.

``SCENARIOS`` are for Bytewax, ``FLINK_SCENARIOS`` for a flow on Flink.
"""

import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluation.faults.deployment import Deployment
from evaluation.faults.scenario import Figure, Plan, Play, Scenario, ScenarioResult
from evaluation.faults.texts import Volume
from evaluation.own_index import bulks_at_work
from mneme.errors import StoreError

_LONGEST_AFTER_SECONDS = 2.5  # an epoch takes one: a kill falls anywhere between two snapshots
_IN_RESUME = 0.25  # of the kills come while the flow resumes from the one before
_RECOVERY_POLL_SECONDS = 0.0005
_RESUMES_WITHIN_SECONDS = 60.0
_WHOLE_WITHIN_SECONDS, _GOES_ON_WITHIN_SECONDS = 15.0, 20.0  # after a kill of a process, of a server of Flink
_BULK_SECONDS = 20.0  # for which a bulk under way is waited for
_MEMORY_GROWTH = 1.1
_MOST_MB_PER_HOUR = 20.0
_WARM_UP = 0.25  # of the time: caches fill, the allocator finds its size


def _killed(play: Play) -> ScenarioResult:
    """Kill the flow at random moments of its progress, some of them while it resumes from the kill before.

    Everything is there once, as in an undisturbed run.
    """
    deployment, rng = play.deployment, play.rng
    moments = sorted(rng.sample(range(play.plan.volume.messages), play.plan.times))
    started = time.monotonic()
    with play.traffic():
        deployment.start()
        for moment in moments:
            deployment.until_stored(moment)
            if rng.random() > _IN_RESUME:
                deployment.flow.until_reading()
            time.sleep(rng.uniform(0, _LONGEST_AFTER_SECONDS))
            deployment.flow.kill()
            deployment.start()
    figures = {"kills": play.plan.times, "stream_seconds": round(time.monotonic() - started, 1)}
    return ScenarioResult(play.judged(against_undisturbed=True), figures)


def _killed_in_snapshot(play: Play) -> ScenarioResult:
    """Kill the flow the moment its recovery store grows, with a snapshot half written. It resumes every time."""
    deployment, resumed = play.deployment, []
    with play.traffic():
        deployment.start()
        _until_recovery_grows(deployment)
        for _ in range(play.plan.times):
            time.sleep(play.rng.uniform(0, 1))
            _until_recovery_grows(deployment)
            time.sleep(play.rng.uniform(0, 0.01))
            deployment.flow.kill()
            restarted = time.monotonic()
            deployment.start()
            _until_recovery_grows(deployment)
            resumed.append(time.monotonic() - restarted)
    figures = {"kills": play.plan.times, "resumed": len(resumed), "slowest_resume_seconds": round(max(resumed), 1)}
    return ScenarioResult(play.judged(against_undisturbed=play.is_long), figures)


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


def _process_killed(play: Play) -> ScenarioResult:
    """Kill a random one of two processes: the unit is whole again, and goes on, in 15 seconds.

    A dataflow goes on with all of its processes or not at all.
    """
    flow, whole, missed = play.deployment.flow, [], list[str]()
    with play.traffic():
        play.start()
        for _ in play.moments(play.plan.times, 2.0):
            supervisor, *members = flow.members()
            flow.signal(signal.SIGKILL, play.rng.choice(members))
            whole.append(play.seconds_until_answered())
            now = flow.members()
            if now[:1] != [supervisor] or set(members) & set(now):
                missed.append(f"of the processes {supervisor}, {members} there were {now} left")
    verification = play.judged(against_undisturbed=play.is_long)
    slowest = round(max(whole), 1)
    if play.is_long and slowest > _WHOLE_WITHIN_SECONDS:
        missed.append(f"it was whole again after {slowest} s; {_WHOLE_WITHIN_SECONDS:.0f} is the most")
    return ScenarioResult(verification, {"kills": play.plan.times, "slowest_whole_seconds": slowest}, tuple(missed))


def _manager_killed(play: Play, name: str) -> ScenarioResult:
    """Kill a server of the Flink cluster, and start it again: what was sent afterwards is answered within 20 seconds.

    The JobManager that is started in the place of a killed one knows no job.
    """
    server, went_on = play.server(name), []
    with play.traffic():
        play.start()
        for _ in play.moments(play.plan.times, 2.0):
            server.kill()
            killed_at = time.monotonic()
            server.start()
            play.seconds_until_answered()
            went_on.append(time.monotonic() - killed_at)
    verification = play.judged(against_undisturbed=True)
    slowest = round(max(went_on), 1)
    late = (f"it went on after {slowest} s; {_GOES_ON_WITHIN_SECONDS:.0f} is the most",)
    figures = {"kills": play.plan.times, "slowest_seconds": slowest}
    return ScenarioResult(verification, figures, late if play.is_long and slowest > _GOES_ON_WITHIN_SECONDS else ())


def _rescaled(play: Play) -> ScenarioResult:
    """Stop the flow and start it with another number of processes while conversations are open.

    No conversation is cut by it: the episodes are those of a run that never stopped.
    """
    others = play.plan.processes[1:]
    with play.traffic():
        play.start()
        for number in play.moments(len(others)):
            play.deployment.stop()
            play.deployment.start(others[number])
            play.deployment.flow.until_reading()
    figures: dict[str, Figure] = {"restarts": len(others), "processes": "-".join(map(str, play.plan.processes))}
    return ScenarioResult(play.judged(against_undisturbed=True), figures)


def _broker_killed(play: Play) -> ScenarioResult:
    """Kill the broker under a live producer: acknowledged messages are remembered, and the flow goes on by itself."""
    broker = play.server("broker")
    with play.traffic() as producer:
        play.deployment.start()
        for _ in play.moments(play.plan.times, 1.0):
            broker.kill()
            time.sleep(play.rng.uniform(0, 2))
            broker.start()
    verification, sent = play.judged(against_undisturbed=play.is_long), producer.result()
    fewer = f"{sent} messages were acknowledged, and {verification.messages} are remembered"
    figures = {"kills": play.plan.times, "acknowledged": sent}
    return ScenarioResult(verification, figures, (fewer,) if verification.messages != sent else ())


def _index_killed(play: Play) -> ScenarioResult:
    """Kill the index while it writes a bulk. Everything is there once, and the flow goes on by itself."""
    index, in_bulk = play.server("index"), 0
    with play.traffic():
        play.deployment.start()
        for _ in play.moments(play.plan.times):
            in_bulk += _until_bulk(play.deployment)
            index.kill()
            index.start()
    return ScenarioResult(play.judged(against_undisturbed=play.is_long), {"kills": play.plan.times, "in_bulk": in_bulk})


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


def _index_frozen(play: Play) -> ScenarioResult:
    """Stop the index from answering, with all connections open. The sources wait: no restart, and memory does not grow."""
    index = play.server("index")
    with play.deployment.sampling(0.5) as seen, play.traffic():
        play.deployment.start()
        play.deployment.until_stored(play.plan.volume.messages // 3)
        frozen = seen.seconds()
        index.pause()
        try:
            time.sleep(play.plan.seconds)
        finally:
            index.resume()
        thawed = seen.seconds()
    verification = play.judged(against_undisturbed=play.is_long)
    before, during = seen.peak_mb(until=frozen), seen.peak_mb(since=frozen, until=thawed)
    figures = {"frozen_seconds": play.plan.seconds, "mb_before": round(before, 1), "mb_frozen": round(during, 1)}
    grown = f"memory grew from {before:.0f} to {during:.0f} MB while the index was frozen; 10 % is the most"
    return ScenarioResult(verification, figures, (grown,) if play.is_long and during > _MEMORY_GROWTH * before else ())


def _soak(play: Play) -> ScenarioResult:
    """Send steady traffic, and kill the flow every so often (``every_seconds``; 0: never).

    Without kills memory grows by less than 20 MB an hour after a warm-up.
    """
    deployment, plan, kills = play.deployment, play.plan, 0
    deployment.start()
    with deployment.sampling(1.0) as seen, play.traffic() as producer:
        while plan.every_seconds and not producer.is_done:
            producer.wait(plan.every_seconds * play.rng.uniform(0.8, 1.2))
            if not producer.is_done:
                deployment.flow.kill()
                deployment.start()
                kills += 1
    verification = play.judged(against_undisturbed=False)
    slope = seen.slope_mb_per_hour(since=_WARM_UP * plan.seconds) if not plan.every_seconds else 0.0
    figures = {
        "minutes": round(plan.seconds / 60, 1),
        "rate": plan.rate,
        "kills": kills,
        "most_lag": max(seen.lag, default=0),
        "peak_mb": round(seen.peak_mb(), 1),
        "mb_per_hour": round(slope, 1),
        "largest_store_mb": round(max(seen.store, default=0) / 1e6, 1),
    }
    grows = f"memory grows by {slope:.0f} MB an hour; {_MOST_MB_PER_HOUR:.0f} is the most"
    return ScenarioResult(verification, figures, (grows,) if play.is_long and slope > _MOST_MB_PER_HOUR else ())


_FEW, _SOME, _MANY = Volume(160, 8), Volume(240, 8), Volume(20_000, 400)
_FLUSHED = Volume(240, 10, flushes=5)
_HOUR = Plan(Volume(360_000, 4000), rate=100, seconds=3600)
_FROZEN = Plan(Volume(60_000, 1200), rate=100, seconds=300.0)

SCENARIOS: Sequence[Scenario] = (
    Scenario("killed", _killed, Plan(_FLUSHED, 2, rate=30), Plan(Volume(100_000, 2000, flushes=500), 20)),
    Scenario("killed-in-snapshot", _killed_in_snapshot, Plan(_FEW, 1), Plan(_MANY, 20)),
    Scenario("process-killed", _process_killed, Plan(_FEW, 1, 20, processes=(2,)), Plan(_MANY, 10, 100, processes=(2,))),
    Scenario(
        "rescaled", _rescaled, Plan(_FEW, rate=20, processes=(1, 2, 1)), Plan(_MANY, rate=100, processes=(1, *(2, 4, 1) * 3, 2))
    ),
    Scenario("broker-killed", _broker_killed, Plan(_SOME, 1, 40), Plan(Volume(60_000, 1200), 5, 200), ("broker",)),
    Scenario("index-killed", _index_killed, Plan(_SOME, 1, 40), Plan(_MANY, 10, 100), ("index",)),
    Scenario("index-frozen", _index_frozen, Plan(_SOME, rate=40, seconds=3.0), _FROZEN, ("index",)),
    Scenario("soak", _soak, Plan(Volume(200, 8), rate=40, seconds=5), _HOUR),
    Scenario("soak-with-kills", _soak, Plan(_SOME, rate=40, seconds=6, every_seconds=4), replace(_HOUR, every_seconds=300)),
)

_SHORT = Plan(Volume(240, 8, flushes=5), 1, rate=20, processes=(2,))
_LONG = Plan(Volume(4000, 80, flushes=20), 5, rate=40, processes=(2,))
_ONE, _OTHERS = (1,), (2, 4, 2)  # numbers of processes

FLINK_SCENARIOS: Sequence[Scenario] = (
    Scenario("taskmanager-killed", partial(_manager_killed, name="taskmanager"), _SHORT, _LONG, ("taskmanager",)),
    Scenario(
        "jobmanager-killed", partial(_manager_killed, name="jobmanager"), _SHORT, replace(_LONG, times=1), ("jobmanager",)
    ),
    Scenario("rescaled", _rescaled, replace(_SHORT, processes=_OTHERS), replace(_LONG, processes=_OTHERS)),
    Scenario("broker-killed", _broker_killed, Plan(_SOME, 1, rate=20), Plan(Volume(4000, 80), 3, rate=40), ("broker",)),
    Scenario(
        "index-killed", _index_killed, replace(_SHORT, processes=_ONE), replace(_LONG, times=3, processes=_ONE), ("index",)
    ),
)
