"""rerank: the best places of a search, judged once more, by a cross-encoder or a chat model. Off by default.

A reranker only changes the order, and a search never fails because of one:

1. The first ``top_n`` places are shown to it, as passages (queries/reranking/passages.py).
2. Those that it scored come first, best score first, ties in the order of before. Those that it left out follow in the
   order of before, then the places that it was not shown.
3. Without a usable answer everything stays as it was, and a note says why.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from connectors.models import open_chat_for_queries
from mneme.errors import ModelError
from mneme.ports import Reranker
from mneme.settings import Settings
from queries.compete import Standing
from queries.responses import TraceStep


@dataclass(frozen=True, slots=True)
class Reranked:
    """The standings in their new order, with scores that fall.

    What was judged has the reranker's score; what follows it its own, but no more than the lowest of those. ``judged`` is
    how many were, and ``trace`` what became of each of them. Without a usable answer ``standings`` are those of before.
    """

    standings: Sequence[Standing]
    judged: int
    milliseconds: float
    trace: tuple[TraceStep, ...] = ()
    notes: tuple[str, ...] = ()


def rerank(
    question: str, standings: Sequence[Standing], passage_of: Callable[[Standing], str], reranker: Reranker, top_n: int
) -> Reranked:
    """The standings as a reranker sees them.

    Args:
        question: the text of the question.
        standings: the places, best first.
        passage_of: what is shown of a standing.
        reranker: judges the passages; may raise a ModelError.
        top_n: how many places are shown to it.
    """
    started = time.perf_counter()
    # 1.
    shown = standings[:top_n]
    if len(shown) < 2:  # there is no order
        return Reranked(standings, 0, 0.0)
    scores, note = _scores(question, [passage_of(each) for each in shown], reranker)
    milliseconds = round(1000 * (time.perf_counter() - started), 3)
    judged = [(place, score) for place, score in enumerate(scores) if score is not None]
    if not judged:
        # 3.
        return Reranked(standings, 0, milliseconds, notes=(f"rerank off: {note or 'the reranker scored nothing'}",))
    # 2.
    judged.sort(key=lambda each: -each[1])
    lowest = judged[-1][1]
    first = [replace(shown[place], score=score) for place, score in judged]
    seen = {each.id for each in first}
    behind = [replace(each, score=min(each.score, lowest)) for each in standings if each.id not in seen]
    trace = tuple(
        TraceStep(stage="rerank", move="judged", id=shown[before].id, score=score, reason=f"place {now}, before {before + 1}")
        for now, (before, score) in enumerate(judged, start=1)
    )
    return Reranked([*first, *behind], len(judged), milliseconds, trace)


def open_reranker(settings: Settings) -> Reranker | None:
    """The reranker of ``MNEME_RERANK__PROVIDER``; None for ``none``.

    Raises:
        SettingsError: it lacks an address or a model.
    """
    match settings.rerank.provider:
        case "none":
            return None
        case "endpoint":
            from connectors.endpoints.rerank import RerankEndpoint

            return RerankEndpoint(settings.rerank)
        case "model":
            from queries.reranking.model_reranker import ModelReranker

            return ModelReranker(open_chat_for_queries(settings, settings.rerank.timeout_seconds))


def _scores(question: str, passages: Sequence[str], reranker: Reranker) -> tuple[Sequence[float | None], str]:
    try:
        return reranker.rerank(question, passages), ""
    except ModelError as error:
        return (), f"the reranker did not answer ({error})"
