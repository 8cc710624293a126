"""``mneme bench embedders``: variants of the local embedder, quality of the vectors against texts a second.

1. Embed the messages and questions of a LoCoMo file with each variant; compare the vectors with the exact ones, and find
   messages by plain vector search: cosine within the conversation, nothing else. What hybrid search makes of them is measured
   by `mneme bench locomo --embedder local --embedder local:int8`.
2. Embed a sample of the messages again and again, in batches of several sizes, sorted by length and as they come, shared out to
   one and to two threads, the variants in turn; medians of the rounds.

On a machine with other work the clock tells of that work as well: ``cpu_ms`` is the time of the processor for one text.
"""

import random
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from connectors.files.chat_events import text_of
from evaluation.embedders.variants import EXACT, Embed, open_variants
from evaluation.metrics import recall_at
from evaluation.report import Report, Row, print_table
from evaluation.retrieval.bootstrap import Values, interval
from evaluation.retrieval.question_set import QuestionSet
from evaluation.retrieval.sets import LOADERS
from evaluation.retrieval.systems import owner_name
from mneme.errors import InputError
from mneme.rows import Vector
from mneme.settings import Settings

BATCHES = (1, 8, 32, 100)
THREADS = (1, 2)
K = 10
_AS_SHIPPED = 8  # texts of a batch in connectors/embedders/local_embedder.py
_QUALITY = ["variant", "cosine_mean", "cosine_min", f"recall@{K}", "less_exact", "low", "high"]
_SPEED = ["variant", "batch", "sorted", "threads", "texts_s", "texts_s_least", "texts_s_most", "cpu_ms"]


@dataclass(frozen=True, slots=True)
class Shape:
    """How texts are handed to a variant."""

    batch: int
    by_length: bool
    threads: int


@dataclass(frozen=True, slots=True)
class Speed:
    """What one pass over the sample took."""

    texts_s: float
    cpu_ms: float


def run_embedders(
    paths: Sequence[Path], settings: Settings, out: Path, texts: int = 200, rounds: int = 5, console: Console | None = None
) -> Report:
    """Measure, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        paths: LoCoMo files.
        settings: ``embedder.path`` and ``cache`` are used.
        out: where the JSON goes.
        texts: messages of the sample that throughput is measured with.
        rounds: passes over the sample for each figure.
        console: where tables and progress go; None is standard output.

    Raises:
        InputError: a file is not LoCoMo's, or ``out`` cannot be written.
        SettingsError: the local embedder cannot be opened.
    """
    console = console or Console()
    questions = LOADERS["locomo"](paths)
    if not questions.events:
        raise InputError("locomo: there is no message in it; give a LoCoMo JSON")
    messages = [f"{event['sender_name']}: {text_of(event['content'])}" for event in questions.events]
    with console.status("opening and distilling"):
        variants = open_variants(settings)
    # 1.
    vectors: dict[str, tuple[Vector, Vector]] = {}
    for name, embed in track(variants.items(), "embedding", console=console, transient=True):
        vectors[name] = (_in_batches(embed, messages), _in_batches(embed, [each.text for each in questions.questions]))
    quality = _quality(questions, vectors)
    # 2.
    sample = random.Random(1).sample(messages, min(texts, len(messages)))
    speed = _speed(variants, sample, rounds, console)
    report = Report(
        bench="embedders",
        settings={"messages": len(messages), "questions": len(questions.questions), "sample": len(sample), "rounds": rounds},
        rows=quality,
        headline=_headline(quality, speed),
        parts={"speed": speed},
    )
    print_table(console, f"Vectors, and plain vector search over {len(messages)} messages", quality, _QUALITY)
    print_table(console, f"Texts a second, medians of {rounds}", speed, _SPEED)
    report.write(out)
    _plot(quality, speed, out.with_suffix(".png"))
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def _in_batches(embed: Embed, texts: Sequence[str], size: int = _AS_SHIPPED) -> Vector:
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    batches = [order[start : start + size] for start in range(0, len(texts), size)]
    found = np.concatenate([embed([texts[at] for at in batch]) for batch in batches])
    vectors = np.empty_like(found)
    vectors[order] = found
    return vectors


# --- quality ---------------------------------------------------------------------------------------------------------


def _quality(questions: QuestionSet, vectors: dict[str, tuple[Vector, Vector]]) -> list[Row]:
    exact_messages, _ = vectors[EXACT]
    recalls = {name: _recalls(questions, *both) for name, both in vectors.items()}
    rows: list[Row] = []
    for name, (messages, _) in vectors.items():
        row: dict[str, str | float | int] = {"variant": name, f"recall@{K}": float(recalls[name].mean())}
        if messages.shape == exact_messages.shape:  # else the two do not live in one space
            cosines = (messages * exact_messages).sum(axis=1)
            row |= {"cosine_mean": float(cosines.mean()), "cosine_min": float(cosines.min())}
        if name != EXACT:
            less = recalls[name] - recalls[EXACT]
            row["less_exact"] = float(less.mean())
            if spread := interval(less[:, None]):
                row |= {"low": float(spread.low[0]), "high": float(spread.high[0])}
        rows.append(row)
    return rows


def _recalls(questions: QuestionSet, messages: Vector, asked: Vector) -> Values:
    """The recall of each question."""
    of_owner: dict[str, list[int]] = defaultdict(list)
    for at, event in enumerate(questions.events):
        of_owner[owner_name(event)].append(at)
    recalls = []
    for question, vector in zip(questions.questions, asked, strict=True):
        places = of_owner[owner_name(question.owner)]
        best = np.argsort(-(messages[places] @ vector), kind="stable")[:K]
        found = [str(questions.events[places[at]]["message_id"]) for at in best]
        recalls.append(recall_at(found, question.evidence, K))
    return np.array(recalls)


# --- throughput ------------------------------------------------------------------------------------------------------


def _speed(variants: dict[str, Embed], sample: Sequence[str], rounds: int, console: Console) -> list[Row]:
    shapes = [
        Shape(batch, by_length, threads)
        for batch, by_length, threads in product(BATCHES, (False, True), THREADS)
        if batch > 1 or not by_length
    ]
    for embed in variants.values():  # whatever is done once is done
        embed(sample[: max(BATCHES)])
    taken: dict[tuple[str, Shape], list[Speed]] = defaultdict(list)
    for _ in track(range(rounds), "timing", console=console, transient=True):
        for shape, (name, embed) in product(shapes, variants.items()):
            taken[name, shape].append(timed(embed, sample, shape))
    return [_row(name, shape, taken[name, shape]) for name in variants for shape in shapes]


def timed(embed: Embed, texts: Sequence[str], shape: Shape) -> Speed:
    """One pass over the texts."""
    ordered = sorted(texts, key=len) if shape.by_length else texts
    batches = [ordered[start : start + shape.batch] for start in range(0, len(ordered), shape.batch)]
    with ThreadPoolExecutor(shape.threads) as pool:
        began, worked = time.perf_counter(), time.process_time()
        for _ in pool.map(embed, batches):
            pass
        wall, cpu = time.perf_counter() - began, time.process_time() - worked
    return Speed(len(texts) / wall, 1000 * cpu / len(texts))


def _row(name: str, shape: Shape, passes: Sequence[Speed]) -> Row:
    clock = [each.texts_s for each in passes]
    return {
        "variant": name,
        "batch": shape.batch,
        "sorted": "yes" if shape.by_length else "no",
        "threads": shape.threads,
        "texts_s": float(np.median(clock)),
        "texts_s_least": min(clock),
        "texts_s_most": max(clock),
        "cpu_ms": float(np.median([each.cpu_ms for each in passes])),
    }


def _as_shipped(speed: Sequence[Row]) -> dict[str, Row]:
    """Of each variant the row with batches as the embedder makes them, on all threads."""
    wanted = (_AS_SHIPPED, "yes", max(THREADS))
    return {str(row["variant"]): row for row in speed if (row["batch"], row["sorted"], row["threads"]) == wanted}


def _headline(quality: Sequence[Row], speed: Sequence[Row]) -> dict[str, str | float | int]:
    shipped = _as_shipped(speed)
    found: dict[str, str | float | int] = {}
    for row in quality:
        name = str(row["variant"])
        short = name.replace(" ", "_")
        found |= {
            f"{short}_recall@{K}": row[f"recall@{K}"],
            f"{short}_texts_s": shipped[name]["texts_s"],
            f"{short}_cpu_ms": shipped[name]["cpu_ms"],
        }
    return found


def _plot(quality: Sequence[Row], speed: Sequence[Row], out: Path) -> None:
    """Recall over texts a second, as a PNG."""
    from matplotlib.figure import Figure

    shipped = _as_shipped(speed)
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    for row in quality:
        name, recall = str(row["variant"]), float(row[f"recall@{K}"])
        axes.scatter(float(shipped[name]["texts_s"]), recall, label=name)
    axes.set(
        xscale="log",
        xlabel=f"texts a second, batches of {_AS_SHIPPED}, {max(THREADS)} threads",
        ylabel=f"recall@{K}, vector search alone",
        title="Embedders",
    )
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    figure.savefig(out, dpi=130)
