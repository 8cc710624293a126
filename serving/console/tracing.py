"""The trace of a search, drawn: recall, fusion, competition, result; and what an agent did. Pointing at a record follows it."""

from collections.abc import Mapping

from queries.responses import SearchResponse
from serving.console.markup import tag
from serving.console.trace import Leg, Trace, kind_of
from serving.console.words import count, number

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
                        _place(each.id, each.score, max(0.0, each.score / best), texts, ranked, f"{each.rank}. ")


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
                            _place(each.id, each.score, each.share, texts, ranked, title=leg.title)


def _stage_title(place: int, title: str) -> None:
    with tag("h3"):
        tag("span", str(place), "step", aria_hidden="true")
        tag("span", title)


def _place(
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
    """Facts against their episodes: which fact took the place of which episode."""
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
