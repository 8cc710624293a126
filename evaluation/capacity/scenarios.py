"""``mneme bench queueing``: the flow under bursts, slow models, hot owners and endless talks, simulated and predicted.

1. Each scenario is simulated (evaluation/capacity/simulate.py), and its bottleneck's mean wait, or the time to drain, is
   predicted by a formula (evaluation/capacity/queueing.py).
2. The results of `mneme bench scaling` are bursts into the real flow: the time to drain each of them is predicted from what
   a message cost in the runs of other sizes, with one processor for the flow alone, and simulated with the same costs.

Costs are the measured coefficients, drawn from exponential distributions, which are wilder than what is seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich.console import Console

from evaluation.capacity.fit import Coefficients, fit, read
from evaluation.capacity.points import Point, Quantity, measured_bursts
from evaluation.capacity.queueing import seconds_to_drain, waiting_many, waiting_one
from evaluation.capacity.simulate import (
    EPISODE_MESSAGES,
    Arrival,
    Costs,
    Simulated,
    burst,
    constant,
    exponential,
    poisson,
    simulate,
    spread,
    with_timeouts,
)
from evaluation.report import Report, Row, print_table

_RECONCILE_SECONDS = 0.02  # of an episode: a read of what is known and what is near, from the index
_MESSAGES = 150_000  # of a steady scenario
_CONVERSATIONS = 4000
_CALLS = 64  # in flight
_FEW_CALLS = 8  # so few that they are what is waited for
_TIMEOUT_SECONDS = 30.0
_COLUMNS = ["scenario", "busy", "what", "predicted", "simulated", "error", "p50_s", "p95_s", "p99_s"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was predicted and simulated of ``what``, in seconds, and how long episodes took until they were searchable."""

    scenario: str
    busy: float
    what: str
    predicted: float
    simulated: float
    run: Simulated

    def row(self) -> Row:
        """For the table."""
        return {
            "scenario": self.scenario,
            "busy": self.busy,
            "what": self.what,
            "predicted": self.predicted,
            "simulated": self.simulated,
            "error": self.predicted / self.simulated - 1 if self.simulated else 0.0,
            **{f"p{share}_s": self.run.percentile(share / 100) for share in (50, 95, 99)},
        }


def run_queueing(out: Path, measured: Path | None = None, console: Console | None = None) -> Report:
    """Simulate, predict, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        out: where the JSON goes.
        measured: a folder with results of `mneme bench scaling`; None compares with no measurement.
        console: where the tables go; None is standard output.

    Raises:
        InputError: the folder cannot be read, or ``out`` not be written.
    """
    console = console or Console()
    costs = read()
    with console.status("simulating"):
        outcomes = scenarios(costs)
        rows = [outcome.row() for outcome in outcomes]
    bursts = compare(measured_bursts(measured)) if measured is not None else []
    errors = [abs(float(row["error"])) for row in rows]
    headline = {"scenarios": len(rows), "median_error": sorted(errors)[len(errors) // 2], "largest_error": max(errors)}
    if bursts:
        headline |= {"bursts": len(bursts), "largest_burst_error": max(abs(float(row["error"])) for row in bursts)}
    report = Report("queueing", {"flow_ms": costs.of(Quantity.FLOW_MS).at()}, rows, headline, parts={"bursts": bursts})
    print_table(console, "Seconds predicted and simulated", rows, _COLUMNS)
    if bursts:
        print_table(console, "Bursts into the real flow, seconds to drain", bursts, list(bursts[0]))
    report.write(out)
    plot(costs, out.with_suffix(".png"))
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def scenarios(coefficients: Coefficients, messages: int = _MESSAGES) -> list[Outcome]:
    """All of them, of one process of the flow."""
    service = coefficients.of(Quantity.FLOW_MS).at() / 1000
    capacity = 1 / service
    even = spread(_CONVERSATIONS)
    local = Costs(exponential(service), constant(0.0), constant(_RECONCILE_SECONDS), calls=_CALLS)
    found = []
    for share in (0.5, 0.8, 0.95):
        run = simulate(poisson(share * capacity, messages, even), local)
        predicted = waiting_one(share * capacity, service, 1.0)
        found.append(
            Outcome(f"steady, {share:.0%} busy", share, "wait for the worker", predicted, fmean(run.worker_waits), run)
        )
    found.append(_burst(service, capacity, local, messages))
    found += [_slow_model(service, capacity, seconds, timeouts, messages) for seconds, timeouts in ((1, 0), (10, 0), (1, 0.05))]
    found += [_hot_owner(service, share, messages) for share in (0.5, 0.8)]
    found += [_endless_talk(service, seconds, messages) for seconds in (1.0, 10.0)]
    return found


def _burst(service: float, capacity: float, costs: Costs, messages: int) -> Outcome:
    """Ten minutes' worth of messages at once, on top of a worker that is half busy."""
    at_once = int(600 * 0.5 * capacity)
    steady = poisson(0.5 * capacity, max(messages, 4 * at_once), spread(_CONVERSATIONS))
    arrivals = sorted([*burst(at_once, spread(_CONVERSATIONS)), *steady], key=lambda each: each.at)
    run = simulate(arrivals, costs)
    free = zip(arrivals, run.worker_waits, strict=True)
    simulated = next((each.at for each, waited in free if each.at > 0 and waited < service), math.inf)
    predicted = seconds_to_drain(at_once, 0.5 * capacity, capacity)
    return Outcome(f"burst of {at_once:,} at 50 % busy", 0.5, "time to drain", predicted, simulated, run)


def _slow_model(service: float, capacity: float, seconds: float, timeouts: float, messages: int) -> Outcome:
    """So many messages that the calls in flight are 85 % busy, or the worker is before."""
    call = seconds + timeouts / (1 - timeouts) * _TIMEOUT_SECONDS
    rate = min(0.85 * _FEW_CALLS / call * EPISODE_MESSAGES, 0.85 * capacity)
    calls = exponential(seconds) if not timeouts else with_timeouts(exponential(seconds), timeouts, _TIMEOUT_SECONDS)
    costs = Costs(exponential(service), calls, constant(_RECONCILE_SECONDS), calls=_FEW_CALLS)
    run = simulate(poisson(rate, messages, spread(_CONVERSATIONS)), costs)
    variance = seconds**2 + timeouts / (1 - timeouts) ** 2 * _TIMEOUT_SECONDS**2
    predicted = waiting_many(rate / EPISODE_MESSAGES, call, _FEW_CALLS, variance / call**2)
    name = f"model of {seconds:g} s" + (f", {timeouts:.0%} time out after {_TIMEOUT_SECONDS:g} s" if timeouts else "")
    busy = rate / EPISODE_MESSAGES * call / _FEW_CALLS
    return Outcome(f"{name}, {_FEW_CALLS} calls", busy, "wait for a call", predicted, fmean(run.extract_waits), run)


def _hot_owner(service: float, busy: float, messages: int) -> Outcome:
    """Half of all messages are one owner's, whose lane has so much to do."""
    reconcile = 2 * busy / (0.5 / service) * EPISODE_MESSAGES  # seconds of an episode with which its lane is so busy
    costs = Costs(exponential(service), constant(0.0), exponential(reconcile), calls=_CALLS)
    rate = 0.5 / service
    run = simulate(poisson(rate, messages, spread(_CONVERSATIONS, hot_owner=0.5)), costs)
    predicted = waiting_one(rate / 2 / EPISODE_MESSAGES, reconcile, 1.0) + reconcile
    name = f"hot owner, {reconcile * 1000:.0f} ms an episode"
    return Outcome(name, busy, "time in the owner's lane", predicted, fmean(run.hot_times), run)


def _endless_talk(service: float, seconds: float, messages: int) -> Outcome:
    """A tenth of all messages are one conversation, with calls of a model one after the other."""
    costs = Costs(exponential(service), constant(seconds), constant(_RECONCILE_SECONDS), calls=_CALLS)
    lane = EPISODE_MESSAGES / seconds  # messages a second
    rate = min(0.5 / service, 0.4 * _CALLS / seconds * EPISODE_MESSAGES)
    count = min(messages, int(200 * rate))
    arrivals = poisson(rate, count, spread(_CONVERSATIONS, endless_talk=0.1))
    run = simulate(arrivals, costs)
    own = sum(each.conversation < 0 for each in arrivals)
    predicted = max(arrivals[-1].at, own / lane)
    name = f"endless talk of {own} messages, model of {seconds:g} s"
    return Outcome(name, 0.1 * rate / lane, "until all is searchable", predicted, run.ended, run)


def compare(bursts: Sequence[tuple[str, int, float, float]]) -> list[Row]:
    """Measured seconds to drain beside those predicted from the other bursts, and simulated with the same costs.

    Args:
        bursts: the source, how many messages, seconds by the clock, and milliseconds of the flow's processor for a message.
    """
    rows: list[Row] = []
    for number, (source, messages, seconds, _) in enumerate(bursts):
        others = [Point(Quantity.FLOW_MS, size, ms, name) for at, (name, size, _, ms) in enumerate(bursts) if at != number]
        if not others:
            continue
        service = fit(others)[Quantity.FLOW_MS].at(messages) / 1000
        arrivals: list[Arrival] = burst(messages, spread(max(1, messages // 20)))
        costs = Costs(exponential(service), constant(0.0), constant(_RECONCILE_SECONDS), calls=_CALLS)
        predicted = messages * service
        rows.append(
            {
                "source": source,
                "messages": messages,
                "measured": seconds,
                "predicted": predicted,
                "simulated": simulate(arrivals, costs).ended,
                "error": predicted / seconds - 1,
            }
        )
    return rows


def plot(coefficients: Coefficients, out: Path) -> None:
    """How long a message waits for the worker, by how busy it is: predicted and simulated."""
    from matplotlib.figure import Figure

    service = coefficients.of(Quantity.FLOW_MS).at() / 1000
    costs = Costs(exponential(service), constant(0.0), constant(_RECONCILE_SECONDS), calls=_CALLS)
    shares = [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]
    runs = [simulate(poisson(share / service, _MESSAGES, spread(_CONVERSATIONS)), costs) for share in shares]
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(shares, [1000 * waiting_one(share / service, service, 1.0) for share in shares], label="predicted (Kingman)")
    axes.plot(shares, [1000 * fmean(run.worker_waits) for run in runs], "o", label="simulated")
    axes.plot(shares, [1000 * sorted(run.worker_waits)[int(0.99 * _MESSAGES)] for run in runs], "x", label="simulated, p99")
    axes.set(xlabel="share of the processor that is busy", ylabel="milliseconds in line", yscale="log")
    axes.set_title("Waiting for a process of the flow")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(out, dpi=130)
