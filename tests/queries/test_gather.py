"""What competes in a hybrid search: every episode that is looked into has a place in the order of looking."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from mneme.settings import Retrieval
from queries.complete import Completer, Evidence
from queries.entities.graph import Walk
from queries.filtering.filters import Filters
from queries.gather import gather
from queries.questions.understand import understand
from tests.queries.world import NOW, WordEmbedder, filled


class AlongAWorseWay(Completer):
    """Finds one more episode. The walk in the end knows a better way, which passes neither this nor what it led to at first."""

    def complete(self, *arguments: Any, **more: Any) -> Evidence:
        evidence = super().complete(*arguments, **more)
        some = next(iter(evidence.episodes.values()))
        return replace(evidence, walk=Walk(), episodes={**evidence.episodes, "e": some, "default/elsewhere/1-x": some})


def test_an_episode_that_the_graph_led_to_by_the_way_is_looked_into_as_well() -> None:
    index, embedder = filled(), WordEmbedder()
    scope = Filters.parse({"user_id": "maya"}).scope(NOW, 180)
    question = understand("Where does Jonas live?", embedder, asked_at=NOW, owner="maya")
    with ThreadPoolExecutor(2) as pool:
        gathered = gather(index, AlongAWorseWay(index, pool), question, scope, Retrieval(), lambda question, people: None, {})
    assert set(gathered.evidence.episodes) <= gathered.fused.keys()
    assert {"e", "default/elsewhere/1-x"} <= gathered.fused.keys()
