"""``mneme bench locomo``: how well each search method finds the turns that answer LoCoMo's questions.

1. Ingest the file through the flow into an index of its own.
2. Ask every question of categories 1 to 4 by each method, within the memory of its conversation.
3. Measure on messages (evaluation/metrics.py), as a whole and by category, and report.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

from connectors.tokens import token_counter
from evaluation.locomo import CATEGORIES, LocomoQuestion, load_questions
from evaluation.metrics import (
    distinct_messages,
    hit_at,
    ndcg_at,
    recall_at,
    recall_within_tokens,
    reciprocal_rank,
    tokens_for_messages,
)
from evaluation.report import Report, Row, plot_by_k, print_table
from evaluation.results import CountTokens, ranked_results
from flows import IngestReport, ingest
from mneme.ids import short_hash
from mneme.settings import Settings
from mneme.times import utc_now
from queries import Memories
from queries.responses import SearchResponse

METHODS = ("keyword", "vector", "hybrid")
KS = (5, 10, 20, 40)
TOKEN_BUDGET = 600
ALL = "all"


@dataclass(frozen=True, slots=True)
class Answered:
    """What one question measured by one method."""

    method: str
    category: str
    conversation: str
    figures: Mapping[str, float]


def run_locomo(
    path: Path, settings: Settings, out: Path, methods: Sequence[str] = METHODS, console: Console | None = None
) -> Report:
    """Measure, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        path: LoCoMo's JSON.
        settings: ``index.backend`` says which index is filled. The embedded one lies in a temporary folder, in
            OpenSearch its indices have a prefix of their own; both are gone afterwards.
        out: where the JSON goes.
        methods: which search methods are measured.
        console: where tables and progress go; None is standard output.

    Raises:
        InputError: the file is not LoCoMo's, or ``out`` cannot be written.
        MnemeError: whatever the flow or a search raises.
    """
    console = console or Console()
    questions = load_questions(path)
    with fresh_index(settings, "locomo") as own:
        # 1.
        with console.status("ingesting"):
            ingested = ingest([path], own)
        console.print(
            f"{ingested.messages} messages, {ingested.episodes} episodes and {ingested.facts} facts in {ingested.seconds:.1f} s"
        )
        # 2. and 3.
        with Memories.connect(own) as memories:
            answered = ask_all(memories, questions, methods, token_counter().count, console)
    report = _report(own, ingested, answered, methods)
    _show(console, report, methods)
    report.write(out)
    overall = _overall(report)
    plot_by_k(overall, "recall", KS, out.with_suffix(".png"), f"LoCoMo, {own.index.backend} index")
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def ask_all(
    memories: Memories,
    questions: Sequence[LocomoQuestion],
    methods: Sequence[str],
    count_tokens: CountTokens,
    console: Console,
) -> list[Answered]:
    """Every question by every method."""
    answered = []
    for method in methods:
        for question in track(questions, f"asking, {method}", console=console, transient=True):
            started = time.perf_counter()
            found = memories.search(question.question, method, {"group_id": question.sample_id, "expired": True}, top_k=max(KS))
            seconds = time.perf_counter() - started
            figures = {**measure(found, question.evidence, count_tokens), "milliseconds": 1000 * seconds}
            answered.append(Answered(method, question.category, question.sample_id, figures))
    return answered


def measure(found: SearchResponse, evidence: frozenset[str], count_tokens: CountTokens) -> dict[str, float]:
    """The figures of one response."""
    results = ranked_results(found, count_tokens)
    messages = distinct_messages(results)
    figures: dict[str, float] = {}
    for name, metric in (("hit", hit_at), ("recall", recall_at), ("ndcg", ndcg_at)):
        figures |= {f"{name}@{k}": metric(messages, evidence, k) for k in KS}
    return {
        **figures,
        "mrr": reciprocal_rank(messages, evidence),
        f"recall@{TOKEN_BUDGET}tokens": recall_within_tokens(results, evidence, TOKEN_BUDGET),
        "tokens@10": float(tokens_for_messages(results, 10)),
        "tokens": float(sum(result.tokens for result in results)),
    }


@contextmanager
def fresh_index(settings: Settings, bench: str) -> Iterator[Settings]:
    """Settings of an empty index that is erased afterwards."""
    with tempfile.TemporaryDirectory(prefix=f"mneme-{bench}-") as folder:
        prefix = f"{settings.opensearch.index_prefix}-bench-{short_hash(f'{folder} {utc_now()}')}"
        opensearch = settings.opensearch.model_copy(update={"index_prefix": prefix})
        own = settings.model_copy(update={"data": Path(folder), "opensearch": opensearch})
        try:
            yield own
        finally:
            if own.index.backend == "opensearch":
                from connectors.opensearch_client import drop_indices

                drop_indices(own.opensearch)


def _report(settings: Settings, ingested: IngestReport, answered: Sequence[Answered], methods: Sequence[str]) -> Report:
    conversations = sorted({each.conversation for each in answered})
    rows = [_row(answered, method, category, ALL) for method in methods for category in (ALL, *CATEGORIES.values())]
    shown = {row["method"]: row for row in rows if row["category"] == ALL}
    rows += [_row(answered, method, ALL, conversation) for method in methods for conversation in conversations]
    headline = {f"{method}_recall@10": row["recall@10"] for method, row in shown.items()}
    return Report(
        bench="locomo",
        settings={
            "index": settings.index.backend,
            "embedder": settings.embedder.model_dump(mode="json", include={"provider", "quantize", "model"}),
            "extractor": settings.extraction.extractor,
            "boundaries": settings.boundaries.model_dump(mode="json"),
            "retrieval": settings.retrieval.model_dump(mode="json"),
            "messages": ingested.messages,
            "episodes": ingested.episodes,
            "facts": ingested.facts,
            "ingest_seconds": round(ingested.seconds, 1),
        },
        rows=[row for row in rows if row["questions"]],
        headline={"index": settings.index.backend, **headline, "ingest_seconds": round(ingested.seconds, 1)},
    )


def _row(answered: Sequence[Answered], method: str, category: str, conversation: str) -> dict[str, str | float | int]:
    figures = [
        each.figures
        for each in answered
        if each.method == method and category in (ALL, each.category) and conversation in (ALL, each.conversation)
    ]
    means = {name: statistics.fmean(each[name] for each in figures) for name in figures[0]} if figures else {}
    if figures:
        means["milliseconds"] = statistics.median(each["milliseconds"] for each in figures)
    return {"method": method, "category": category, "conversation": conversation, "questions": len(figures), **means}


def _overall(report: Report) -> list[Row]:
    return [row for row in report.rows if row["category"] == row["conversation"] == ALL]


def _show(console: Console, report: Report, methods: Sequence[str]) -> None:
    figures = [*(f"recall@{k}" for k in KS), "hit@10", "ndcg@10", "mrr", f"recall@{TOKEN_BUDGET}tokens", "tokens@10"]
    print_table(console, "LoCoMo, by method", _overall(report), ["method", "questions", *figures, "milliseconds"])
    last = methods[-1]
    for kind in ("category", "conversation"):
        rows = [row for row in report.rows if row["method"] == last and row[kind] != ALL]
        print_table(console, f"LoCoMo, {last}, by {kind}", rows, [kind, "questions", *figures])
