"""What the trace of a search tells, stage by stage, in the shape in which it is drawn. No page is needed to make one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from queries.responses import SearchResponse, TraceStep

_LEGS = {"bm25": "words", "cosine": "meaning"}


@dataclass(frozen=True, slots=True)
class Place:
    """A record in a list of the trace; ``share`` is its score against the best of the list, from 0 to 1."""

    id: str
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One list that was made: of a leg of the recall, of the fusion, or of the reranker; the best first."""

    title: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Replacement:
    """A fact that took the place of its episode."""

    episode_id: str
    episode_score: float
    fact_id: str
    fact_score: float | None


@dataclass(frozen=True, slots=True)
class Trace:
    """How a search came to its result. ``places`` is how many places were competed for.

    ``agent`` are the steps of the agent, in order, where there was one.
    """

    recall: tuple[Leg, ...]
    fusion: tuple[Leg, ...]
    preferred: tuple[Leg, ...]
    replacements: tuple[Replacement, ...]
    places: int
    reranked: tuple[Leg, ...]
    agent: tuple[TraceStep, ...]

    def shown(self, of_a_leg: int) -> list[str]:
        """The ids of all that is drawn, where of each list the first few are."""
        legs = (*self.recall, *self.fusion, *self.preferred, *self.reranked)
        ids = [place.id for leg in legs for place in leg.places[:of_a_leg]]
        ids += [identity for each in self.replacements for identity in (each.episode_id, each.fact_id)]
        return list(dict.fromkeys(ids))


def read_trace(steps: Sequence[TraceStep]) -> Trace:
    """Sort the steps of a trace by what they tell."""
    competed = [step for step in steps if step.stage == "compete"]
    entered = {step.id: step.score for step in competed if step.move == "entered"}
    replaced = [(step, step.reason.removeprefix("by its fact ")) for step in competed if step.move == "replaced"]
    return Trace(
        recall=_legs(steps, "recall"),
        fusion=_legs(steps, "fuse"),
        preferred=_legs(steps, "prefer"),
        replacements=tuple(Replacement(step.id, step.score, fact, entered.get(fact)) for step, fact in replaced),
        places=len(entered),
        reranked=_legs(steps, "rerank"),
        agent=tuple(step for step in steps if step.stage == "agent"),
    )


def texts_of(found: SearchResponse) -> dict[str, str]:
    """What the response says of each id; of an episode its subject."""
    texts = {item.id: item.text for item in found.ranked()}
    for episode in (*found.episodes, *found.knowledge):
        texts |= {fact.id: fact.text for fact in episode.atomic_facts}
        texts[episode.id] = episode.subject
    return texts | {entity.id: entity.name for entity in found.graph.entities}


def kind_of(identity: str, title: str = "") -> str:
    """The kind of a record, as its id or the list that holds it tells, for its colour."""
    last = identity.rsplit("/", 2)
    if len(last) == 3 and last[1] in ("f", "m"):
        return {"f": "fact", "m": "message"}[last[1]]
    if title.startswith(("entities", "graph")):
        return "entity"
    return "message" if title.startswith("messages") else "foresight" if title.startswith("memories") else "episode"


def _legs(steps: Iterable[TraceStep], stage: str) -> tuple[Leg, ...]:
    """The lists of a stage. The reason of their steps is the collection and the place in its list."""
    lists: dict[str, list[TraceStep]] = {}
    for step in steps:
        if step.stage == stage:
            collection = "" if stage == "rerank" else step.reason.rpartition(" ")[0]
            by = _LEGS.get(step.move, "" if stage in ("fuse", "rerank") else step.move)
            lists.setdefault(f"{collection} by {by}" if by else collection or "places", []).append(step)
    return tuple(Leg(title, _places(listed)) for title, listed in lists.items())


def _places(steps: Sequence[TraceStep]) -> tuple[Place, ...]:
    best = max((abs(step.score) for step in steps), default=0.0) or 1.0
    return tuple(Place(step.id, step.score, max(0.0, min(1.0, step.score / best))) for step in steps)
