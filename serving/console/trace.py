"""The trace of a search, drawn stage by stage: recall, fusion, competition, reranking, result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count as numbers

from queries.responses import SearchResponse, TraceStep
from serving.console.markup import count, number, section, tag
from serving.found import ranked_lists, replacements
from serving.terminal.format import shortened

OF_A_LIST = 5
_MORE_OF_A_LIST = 8  # where there are few lists
_REPLACEMENTS = 30
_LONGEST = 160  # characters
_LEGS = {"bm25": "words", "cosine": "meaning"}


def shown_ids(steps: Sequence[TraceStep], of_a_list: int = OF_A_LIST) -> list[str]:
    """The ids of all that is drawn, where of each list the first few are."""
    ids = [step.id for listed in ranked_lists(steps).values() for step in listed[:of_a_list]]
    ids += [identity for step, fact in replacements(steps) for identity in (step.id, fact)]
    return list(dict.fromkeys(ids))


def kind_of(identity: str, title: str = "") -> str:
    """The kind of a record, as its id or the list that holds it tells, for its colour."""
    last = identity.rsplit("/", 2)
    if len(last) == 3 and last[1] in ("f", "m"):
        return {"f": "fact", "m": "message"}[last[1]]
    if title.startswith(("entities", "graph")):
        return "entity"
    return "message" if title.startswith("messages") else "foresight" if title.startswith("memories") else "episode"


def draw_trace(found: SearchResponse, texts: Mapping[str, str]) -> None:
    """The whole trace, in a section of its own."""
    drawing = _Drawing(texts, {each.id: each.rank for each in found.ranked()})
    steps = found.trace or ()
    lists = ranked_lists(steps)

    def of(*stages: str) -> list[tuple[str, Sequence[TraceStep]]]:
        return [(_title(*named), listed) for named, listed in lists.items() if named[0] in stages]

    with section("trace", "How it was found", "card trace follows"):
        tag("p", "Point at a record to follow it through the stages.", "quiet")
        if of_agent := [step for step in steps if step.stage == "agent"]:
            _agent(of_agent)
        place = numbers(1)
        with tag("ol", classes="stages"):
            drawing.stage(next(place), "Recall", of("recall"))
            if fused := of("fuse", "prefer"):
                drawing.stage(next(place), "Fusion", fused, more=_MORE_OF_A_LIST)
            if any(step.stage == "compete" for step in steps):
                with tag("li", classes="stage"):
                    _stage_title(next(place), "Competition")
                    drawing.competition([step for step in steps if step.stage == "compete"])
            if reranked := of("rerank"):
                drawing.stage(next(place), "Reranking", reranked, more=_MORE_OF_A_LIST)
            with tag("li", classes="stage"):
                _stage_title(next(place), "Result")
                best = max((abs(each.score) for each in found.ranked()), default=1.0) or 1.0
                with tag("ol", classes="places is-wide"):
                    for each in found.ranked()[:20]:
                        drawing.place(each.id, each.score, best, before=f"{each.rank}. ")


def _title(stage: str, move: str, collection: str) -> str:
    by = _LEGS.get(move, "" if stage in ("fuse", "rerank") else move)
    return f"{collection} by {by}" if by else collection or "places"


def _agent(steps: Sequence[TraceStep]) -> None:
    with tag("section"):
        tag("h3", "What the agent did")
        with tag("ol", classes="steps"):
            for step in steps:
                with tag("li"):
                    tag("strong", step.move)
                    with tag("span"):
                        tag("span", step.id)
                        tag("small", f" {step.reason}")


def _stage_title(place: int, title: str) -> None:
    with tag("h3"):
        tag("span", str(place), "step", aria_hidden="true")
        tag("span", title)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Draws records by their texts, those among the results as links to them."""

    texts: Mapping[str, str]
    ranked: Mapping[str, int | None]

    def text(self, identity: str) -> str:
        return shortened(self.texts.get(identity, identity), _LONGEST)

    def stage(self, place: int, title: str, lists: Sequence[tuple[str, Sequence[TraceStep]]], more: int = OF_A_LIST) -> None:
        with tag("li", classes="stage"):
            _stage_title(place, title)
            if not lists:
                tag("p", "nothing", "quiet")
            with tag("div", classes="legs"):
                for name, steps in lists:
                    best = max((abs(step.score) for step in steps), default=0.0) or 1.0
                    with tag("div", classes="leg"):
                        with tag("h4", name):
                            tag("span", f"{len(steps):,} found")
                        with tag("ol", classes="places"):
                            for each in steps[:more]:
                                self.place(each.id, each.score, best, title=name)

    def place(self, identity: str, score: float, best: float, before: str = "", title: str = "") -> None:
        """A record in a list; its bar is its score against the best of the list."""
        text, style = f"{before}{self.text(identity)}", f"--share: {max(0.0, min(1.0, score / best)):.3f}"
        with tag("li", classes=f"place is-{kind_of(identity, title)}", data_record=identity, style=style, title=text):
            if self.ranked.get(identity) is not None:
                tag("a", text, href=f"#result-{self.ranked[identity]}")
            else:
                tag("span", text)
            tag("span", number(score), "score")

    def competition(self, steps: Sequence[TraceStep]) -> None:
        """Facts against their episodes: the fact that took the place of each."""
        scores = {step.id: step.score for step in steps if step.move == "entered"}
        replaced = replacements(steps)
        said = "Facts compete with episodes for the places; one that enters takes its own episode's place first."
        taken = f"{count(len(scores), 'place')} taken, {len(replaced):,} by a fact from its episode"
        tag("p", f"{taken}. {said}", "quiet")
        if not replaced:
            return
        with tag("div", classes="leg"):
            tag("h4", "Which fact took the place of which episode", id="replacements-title")
            with tag("ul", classes="replacements", aria_labelledby="replacements-title"):
                for step, fact in replaced[:_REPLACEMENTS]:
                    with tag("li", classes="replacement"):
                        self._side("episode", step.id, "episode", step.score)
                        with tag("div", classes="arrow"):
                            tag("b", "→", aria_hidden="true")
                            tag("span", "replaced")
                        self._side("fact", fact, "its fact", scores.get(fact))
            if len(replaced) > _REPLACEMENTS:
                tag("p", f"and {len(replaced) - _REPLACEMENTS} more", "quiet")

    def _side(self, kind: str, identity: str, said: str, score: float | None) -> None:
        with tag("div", classes=f"side-of is-{kind}", data_record=identity):
            tag("small", said if score is None else f"{said} · {number(score)}")
            tag("span", self.text(identity), "text")
