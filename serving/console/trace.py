"""The trace of a search, read stage by stage and drawn: recall, fusion, competition, reranking, result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from queries.responses import SearchResponse, TraceStep
from serving.console.markup import count, number, tag

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
    """The way of a search to its result. ``places`` is how many places were competed for.

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
    """Texts of the response by id; of an episode its subject."""
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


OF_A_LEG = 5
_REPLACEMENTS = 30
_LONGEST = 160  # characters


def draw_trace(found: SearchResponse, trace: Trace, texts: Mapping[str, str]) -> None:
    """The whole trace, in a section of its own."""
    ranked = {each.id: each.rank for each in found.ranked()}
    with tag("section", classes="card trace follows", aria_labelledby="trace-title"):
        with tag("header"):
            tag("h2", "How it was found", id="trace-title")
            tag("p", "Point at a record to follow it through the stages.", "quiet")
        if trace.agent:
            _agent(trace)
        numbers = iter(range(1, 9))
        with tag("ol", classes="stages"):
            _stage(next(numbers), "Recall", trace.recall, texts, ranked)
            if trace.fusion or trace.preferred:
                _stage(next(numbers), "Fusion", (*trace.fusion, *trace.preferred), texts, ranked, more=8)
            if trace.places:
                with tag("li", classes="stage"):
                    _stage_title(next(numbers), "Competition")
                    _competition(trace, texts)
            if trace.reranked:
                _stage(next(numbers), "Reranking", trace.reranked, texts, ranked, more=8)
            with tag("li", classes="stage"):
                _stage_title(next(numbers), "Result")
                best = max((abs(each.score) for each in found.ranked()), default=1.0) or 1.0
                with tag("ol", classes="places is-wide"):
                    for each in found.ranked()[:20]:
                        _draw_place(each.id, each.score, max(0.0, each.score / best), texts, ranked, f"{each.rank}. ")


def _agent(trace: Trace) -> None:
    with tag("section"):
        tag("h3", "What the agent did")
        with tag("ol", classes="steps"):
            for step in trace.agent:
                with tag("li"):
                    tag("strong", step.move)
                    with tag("span"):
                        tag("span", step.id)
                        tag("small", f" {step.reason}")


def _stage(
    place: int,
    title: str,
    legs: tuple[Leg, ...],
    texts: Mapping[str, str],
    ranked: Mapping[str, int | None],
    more: int = OF_A_LEG,
) -> None:
    with tag("li", classes="stage"):
        _stage_title(place, title)
        if not legs:
            tag("p", "nothing", "quiet")
        with tag("div", classes="legs"):
            for leg in legs:
                with tag("div", classes="leg"):
                    with tag("h4", leg.title):
                        tag("span", f"{len(leg.places):,} found")
                    with tag("ol", classes="places"):
                        for each in leg.places[:more]:
                            _draw_place(each.id, each.score, each.share, texts, ranked, title=leg.title)


def _stage_title(place: int, title: str) -> None:
    with tag("h3"):
        tag("span", str(place), "step", aria_hidden="true")
        tag("span", title)


def _draw_place(
    identity: str,
    score: float,
    share: float,
    texts: Mapping[str, str],
    ranked: Mapping[str, int | None],
    before: str = "",
    title: str = "",
) -> None:
    text = f"{before}{_short(texts.get(identity, identity))}"
    style = f"--share: {share:.3f}"
    with tag("li", classes=f"place is-{kind_of(identity, title)}", data_record=identity, style=style, title=_short(text)):
        if ranked.get(identity) is not None:
            tag("a", text, href=f"#result-{ranked[identity]}")
        else:
            tag("span", text)
        tag("span", number(score), "score")


def _competition(trace: Trace, texts: Mapping[str, str]) -> None:
    """Facts against their episodes: the fact that took the place of each."""
    said = "Facts compete with episodes for the places; one that enters takes its own episode's place first."
    taken = f"{count(trace.places, 'place')} taken, {len(trace.replacements):,} by a fact from its episode"
    tag("p", f"{taken}. {said}", "quiet")
    if trace.replacements:
        with tag("div", classes="leg"):
            tag("h4", "Which fact took the place of which episode", id="replacements-title")
            with tag("ul", classes="replacements", aria_labelledby="replacements-title"):
                for change in trace.replacements[:_REPLACEMENTS]:
                    with tag("li", classes="replacement"):
                        with tag("div", classes="side-of is-episode", data_record=change.episode_id):
                            tag("small", f"episode · {number(change.episode_score)}")
                            tag("span", _short(texts.get(change.episode_id, change.episode_id)), "text")
                        with tag("div", classes="arrow"):
                            tag("b", "→", aria_hidden="true")
                            tag("span", "replaced")
                        with tag("div", classes="side-of is-fact", data_record=change.fact_id):
                            score = "" if change.fact_score is None else f" · {number(change.fact_score)}"
                            tag("small", f"its fact{score}")
                            tag("span", _short(texts.get(change.fact_id, change.fact_id)), "text")
            if len(trace.replacements) > _REPLACEMENTS:
                tag("p", f"and {len(trace.replacements) - _REPLACEMENTS} more", "quiet")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
