"""What every Reranker promises (mneme/ports/), as tests.

Subclass ``RerankerContract`` as ``TestSomething`` and supply the fixture ``reranker``: a model behind ``model_server``.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mneme.errors import ModelError
from mneme.ports import Reranker
from tests.servers.models import Fault, ModelServer

QUERY = "When is the pottery class?"
TEXTS = [
    "2026-03-02: Anna: The pottery class moves to Thursday.",
    "2026-03-02: Ben: The quarterly figures are due.",
    "2026-03-03: Anna: I booked the class room.",
]
ODD = ["", " ", "\n\n", "!!!", "我们下周四去爬山。", "\x00", "x" * 20_000, "\ud800"]


class RerankerContract:
    """The promises."""

    def test_what_answers_scores_higher(self, reranker: Reranker) -> None:
        best, worst, middle = (score or 0.0 for score in reranker.rerank(QUERY, TEXTS))
        assert best > middle > worst

    def test_each_text_has_its_own_score_whatever_its_place(self, reranker: Reranker) -> None:
        assert reranker.rerank(QUERY, TEXTS[::-1]) == reranker.rerank(QUERY, TEXTS)[::-1]

    def test_no_texts_have_no_scores_and_cost_nothing(self, reranker: Reranker, model_server: ModelServer) -> None:
        assert reranker.rerank(QUERY, []) == []
        assert model_server.requests == []

    def test_odd_texts_are_scored_too(self, reranker: Reranker) -> None:
        assert len(reranker.rerank(QUERY, [*ODD, *TEXTS])) == len(ODD) + len(TEXTS)

    def test_several_threads_get_what_one_gets(self, reranker: Reranker) -> None:
        expected = reranker.rerank(QUERY, TEXTS)
        with ThreadPoolExecutor(4) as pool:
            assert all(scores == expected for scores in pool.map(lambda _: reranker.rerank(QUERY, TEXTS), range(4)))

    def test_a_refusal_is_a_model_error(self, reranker: Reranker, model_server: ModelServer) -> None:
        model_server.script(Fault("status", status=403))
        with pytest.raises(ModelError):
            reranker.rerank(QUERY, TEXTS)
