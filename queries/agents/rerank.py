"""What several searches found, judged once by the reranker."""

from collections.abc import Sequence

from mneme.ports import Reranker
from queries.agents.evidence import Place
from queries.compete import Standing
from queries.reranking.passages import found_passage
from queries.reranking.rerank import rerank


def rerank_places(
    reranker: Reranker, top_n: int, question: str, places: Sequence[Place]
) -> tuple[Sequence[Place], Sequence[str]]:
    """The places as the reranker sees them, and notes; as they are, where it does not answer.

    Args:
        reranker: judges.
        top_n: how many places are shown to it.
        question: all that was asked, a line each.
        places: best first.
    """
    by_id = {each.item.id: each.item for each in places}
    standings = [Standing(each.item.id, each.score) for each in places]
    judged = rerank(question, standings, lambda each: found_passage(by_id[each.id]), reranker, top_n)
    return [Place(by_id[each.id], each.score) for each in judged.standings], judged.notes
