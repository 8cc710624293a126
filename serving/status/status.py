"""How a Mneme is doing at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from connectors.telemetry.exposition import Samples


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """What a model was asked since its process began."""

    role: str
    model: str
    calls: int
    failed: int
    tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Status:
    """How a Mneme is doing. What cannot be told is None.

    Attributes:
        where: what was looked at.
        health: green, or red with ``problems``.
        problems: what is wrong, each with its remedy.
        lag: events not read yet, by lane.
        flow: whether a flow runs.
        rows: of the index, by collection.
        written: by a service: rows that it wrote since it began, by kind, newer versions of a row too.
        messages: in the index, or read since a service began: what a rate is taken from.
        dead_letters: how many there are; by a service: since it began.
        index_bytes: how large the index is.
        embedder: of the index.
        models: what chat models were asked.
    """

    where: str
    health: Literal["green", "red"] = "green"
    problems: tuple[str, ...] = ()
    lag: Mapping[str, int] = field(default_factory=dict)
    flow: Literal["runs", "rests", "unknown"] = "unknown"
    rows: Mapping[str, int] = field(default_factory=dict)
    written: Mapping[str, int] = field(default_factory=dict)
    messages: int | None = None
    dead_letters: int | None = None
    index_bytes: int | None = None
    embedder: str | None = None
    models: tuple[ModelStatus, ...] = ()


def model_statuses(samples: Samples) -> tuple[ModelStatus, ...]:
    """What the metrics of a process tell of its models."""
    calls: dict[tuple[str, str], list[float]] = {}
    wanted = (("mneme_model_calls_total", 0), ("mneme_model_tokens_total", 2), ("mneme_model_cost_total", 3))
    for name, place in wanted:
        for labels, value in samples.get(name, ()):
            sums = calls.setdefault((labels["role"], labels["model"]), [0, 0, 0, 0])
            sums[place] += value
            if place == 0 and labels["outcome"] not in ("ok", "left"):
                sums[1] += value
    return tuple(
        ModelStatus(role, model, int(asked), int(failed), int(tokens), cost)
        for (role, model), (asked, failed, tokens, cost) in sorted(calls.items())
    )


def by_label(samples: Samples, name: str, label: str) -> dict[str, int]:
    """The values of a metric, added up by one of its labels."""
    sums: dict[str, int] = {}
    for labels, value in samples.get(name, ()):
        sums[labels[label]] = sums.get(labels[label], 0) + int(value)
    return sums
