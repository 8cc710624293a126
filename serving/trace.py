"""The trace of a search, sorted by what its steps tell, for those who show it."""

from collections.abc import Iterable

from queries.responses import SearchResponse, TraceStep


def ranked_lists(steps: Iterable[TraceStep]) -> dict[tuple[str, str, str], list[TraceStep]]:
    """The lists that were made, best first, by their stage, what they are by, and their collection.

    They are those of the legs of the recall, of the fusion, of the preference and of the reranker.
    """
    lists: dict[tuple[str, str, str], list[TraceStep]] = {}
    for step in steps:
        if step.stage not in ("agent", "compete"):
            # The reason is the collection and the place in its list.
            collection = "" if step.stage == "rerank" else step.reason.rpartition(" ")[0]
            lists.setdefault((step.stage, step.move, collection), []).append(step)
    return lists


def replacements(steps: Iterable[TraceStep]) -> list[tuple[TraceStep, str]]:
    """The episodes that gave their places up, each with the id of the fact that took it."""
    replaced = (step for step in steps if step.stage == "compete" and step.move == "replaced")
    return [(step, step.reason.removeprefix("by its fact ")) for step in replaced]


def texts_of(found: SearchResponse) -> dict[str, str]:
    """Texts of a response by id; of an episode its subject."""
    texts = {item.id: item.text for item in found.ranked()}
    for episode in (*found.episodes, *found.knowledge):
        texts |= {fact.id: fact.text for fact in episode.atomic_facts}
        texts[episode.id] = episode.subject
    return texts | {entity.id: entity.name for entity in found.graph.entities}
