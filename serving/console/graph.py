"""The entity graph as a picture and a list, with the history of the entity in the middle."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from queries.browsing.responses import Entry, History, HistoryFact, HistoryForesight, HistoryLine, HistoryRelationship
from queries.responses import Graph, GraphEntity, GraphRelationship
from serving.console.markup import chip, count, day, expected, heading, link, nothing, notice, section, tag, whole_day
from serving.console.shell import page
from serving.console.statements import cited, ended, relationship
from serving.console.visit import Visit

_MOST = 40  # entities in the picture; more of them cannot be read
_MOST_ALONE = 6  # of a picture without links; beside linked entities those that nothing is linked with are in the list only
_WIDTH, _HEIGHT, _MARGIN = 900, 520, 100
_COLOURS = {"person": "episode", "organization": "case", "organisation": "case", "location": "entity", "event": "foresight"}


@page("graph", "Graph")
async def graph(visit: Visit) -> None:
    """Show the most linked entities, or those around the entity that the address names."""
    name = visit.parameter("entity")
    hops = 2 if visit.parameter("hops") == "2" else 1
    said = "Who and what is spoken of most. Each name opens what is around it, and its history."
    heading(name or "Graph", "" if name else said)
    with visit.question_form("graph", "entity", "Name", "A name", ("hops", "2", "two steps"), "Show"):
        if name:
            link("All", visit.link("graph"), "button")
    graph = await visit.fetch(visit.service.memories.graph, name or None, visit.filters(), hops, _MOST)
    if not graph.entities and not name:
        nothing("There are no entities yet.", "They are made of what is said, episode by episode.")
        return
    for each in graph.notes if not name else ():  # the history of a name says the same
        notice(each)
    if graph.entities:
        with tag("div", classes="map"):
            _picture(visit, graph, name or _person(visit, graph))
            _list(visit, graph)
    else:
        notice(f"{name!r} is no entity of this owner, or means several. Its history may still tell of it.")
    if name:
        _history(visit, await visit.fetch(visit.service.memories.history, name, visit.filters()))


def _picture(visit: Visit, found: Graph, name: str) -> None:
    """The graph as a picture. Whoever cannot see it has the list beside it, so it is hidden from them."""
    linked = {name for edge in found.relationships for name in (edge.source, edge.target)}
    nodes = sorted(found.entities, key=lambda each: (each.name != name, each.hop, -each.mentions, each.name))
    nodes = [each for each in nodes if each.name in linked or each.name == name] if linked else nodes[:_MOST_ALONE]
    at = positions(
        [each.name for each in nodes],
        [(each.source, each.target) for each in found.relationships],
        _WIDTH - 2 * _MARGIN,
        _HEIGHT - _MARGIN,
    )
    with (
        tag("figure", classes="card picture") as figure,
        tag("svg", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", aria_hidden="true"),
        tag("g", transform=f"translate({_MARGIN} {_MARGIN / 2})"),
    ):
        for edge in found.relationships:
            if edge.source in at and edge.target in at and edge.source != edge.target:
                _edge(edge, at)
        below: Counter[str] = Counter()  # how far the neighbours of each lie below it: then its name stands above
        for edge in found.relationships:
            if edge.source in at and edge.target in at:
                down = round(at[edge.target][1] - at[edge.source][1])
                below.update({edge.source: down, edge.target: -down})
        for each in nodes:
            _node(visit, each, at[each.name], each.name == name, below[each.name] > 0)
    with figure, tag("div", classes="zoom"):
        for way, title in (("in", "Nearer"), ("out", "Further"), ("all", "All of it")):
            tag("button", title, type="button", data_zoom=way)


def _person(visit: Visit, found: Graph) -> str:
    """The entity that is the owner, or where nothing is linked with that, the person that most is linked with."""
    wanted = {visit.name.casefold(), visit.owner.id.casefold()} if visit.owner is not None else set()
    ends = Counter(name for edge in found.relationships for name in (edge.source, edge.target))
    people = [each for each in found.entities if each.type.lower() == "person"]
    people.sort(key=lambda each: (not ends[each.name], each.name.casefold() not in wanted, -ends[each.name], each.name))
    return people[0].name if people else ""


def _edge(edge: GraphRelationship, at: dict[str, tuple[float, float]]) -> None:
    (x1, y1), (x2, y2) = sorted((at[edge.source], at[edge.target]))  # from left to right: no words stand on their head
    x, y, turn = (x1 + x2) / 2, (y1 + y2) / 2, math.degrees(math.atan2(y2 - y1, x2 - x1))
    with tag("g", classes=f"edge{' is-over' if edge.valid_to else ''}"):
        tag("line", x1=round(x1, 1), y1=round(y1, 1), x2=round(x2, 1), y2=round(y2, 1))
        words = edge.relation.replace("_", " ")
        tag("text", words, x=0, y=-5, transform=f"translate({x:.1f} {y:.1f}) rotate({turn:.1f})")


def _node(visit: Visit, each: GraphEntity, at: tuple[float, float], is_middle: bool, name_above: bool) -> None:
    (x, y), radius = at, min(20, 7 + 2.2 * each.mentions**0.5)
    to = visit.link("graph", entity=each.name)
    classes = f"node is-{_COLOURS.get(each.type.lower(), 'message')}{' is-middle' if is_middle else ''}"
    with tag("a", classes=classes, href=to, tabindex="-1"):
        tag("circle", cx=round(x, 1), cy=round(y, 1), r=round(radius, 1))
        place = (
            {"y": round(y - radius - 6, 1)} if name_above else {"y": round(y + radius + 3, 1), "dominant_baseline": "hanging"}
        )
        tag("text", each.name, x=round(x, 1), **place)


def _list(visit: Visit, found: Graph) -> None:
    """The same in words."""
    with section("entities", count(len(found.entities), "entity", "entities"), "card listed"):
        with tag("ul", classes="names"):
            for each in sorted(found.entities, key=lambda each: (each.hop, -each.mentions, each.name)):
                with tag("li"):
                    link(each.name, visit.link("graph", entity=each.name))
                    tag("small", f" {each.type} · {count(each.mentions, 'time')}")
        if found.relationships:
            tag("h2", count(len(found.relationships), "relationship"))
            with tag("ul", classes="statements is-entity"):
                for edge in found.relationships:
                    with tag("li", classes="is-over" if edge.valid_to else ""):
                        relationship(visit, edge.source, edge.relation, edge.target)
                        if edge.date or edge.valid_to:
                            dates = [f"since {whole_day(edge.date)}"] if edge.date else []
                            tag("small", ", ".join([*dates, *([f"until {whole_day(edge.valid_to)}"] if edge.valid_to else [])]))


def _history(visit: Visit, history: History) -> None:
    entries = history.timeline()
    with tag("section", classes="card", aria_labelledby="history-title"):
        with tag("header"):
            tag("h2", f"What is remembered of {history.name}", id="history-title")
            aliases = [each for each in history.names if each != history.name]
            said = [history.type, *([f"also {', '.join(aliases)}"] if aliases else [])]
            tag("p", " · ".join(filter(None, said)), "quiet")
        if history.summary:
            tag("p", history.summary)
        for each in history.notes:
            notice(each)
        if history.others:
            with tag("p", "It may also mean ", "quiet"):
                for other in history.others:
                    link(other, visit.link("graph", entity=other), "chip is-entity")
        if not entries:
            nothing("Nothing is told of it.")
        with tag("ol", classes="entries"):
            for entry in entries:
                _entry(visit, entry)


_KINDS = {HistoryFact: "fact", HistoryForesight: "foresight", HistoryRelationship: "entity", HistoryLine: "profile"}


def _entry(visit: Visit, entry: Entry) -> None:
    with tag("li", classes=f"entry is-{_KINDS[type(entry)]}"):
        tag("time", _date(entry), "when")
        with tag("div", classes="field"):
            if isinstance(entry, HistoryRelationship):
                with tag("span"):
                    relationship(visit, entry.source, entry.relation, entry.target)
                    ended(entry.valid_to)
            elif isinstance(entry, HistoryFact | HistoryForesight):
                _statement(visit, entry)
            else:
                tag("span", entry.statement)
                tag("small", f"portrait of {entry.about} · {entry.category}{'' if entry.holds else ' · not in it now'}")


def _date(entry: Entry) -> str:
    dated = entry.event_at if isinstance(entry, HistoryFact) else entry.date if isinstance(entry, HistoryRelationship) else None
    return whole_day(entry.at) if dated == entry.at else day(entry.at)


def _statement(visit: Visit, entry: HistoryFact | HistoryForesight) -> None:
    with tag("span", classes="is-gone" if entry.superseded_by else ""):
        tag("span", entry.text)
        if entry.times_said > 1:
            chip(f"said {count(entry.times_said, 'time')}", "fact")
        if isinstance(entry, HistoryForesight):
            chip("lies behind" if entry.expired else f"expected {expected(entry.start, entry.end)}", "foresight")
    if entry.superseded_by is not None:
        tag("small", f"since {day(entry.valid_to or entry.superseded_by.said_at)}: {entry.superseded_by.text}", "newer")
    for older in entry.supersedes:
        tag("small", f"before: {older.text}")
    with tag("small"):
        cited(visit, entry.citation)
        if entry.conversation_id:
            link(entry.conversation_id, visit.link("conversation", id=entry.conversation_id))


_ROUNDS = 250
_SPRING, _GRAVITY = 0.1, 0.25  # weak: names stand beside the nodes, and need room


def positions(
    nodes: Sequence[str], edges: Sequence[tuple[str, str]], width: float, height: float
) -> dict[str, tuple[float, float]]:
    """The place of each node within a frame, the same for the same graph (the springs of Fruchterman and Reingold).

    Args:
        nodes: their names, the most important first: it is in the middle.
        edges: pairs of names; what is no node is left out.
        width: of the frame, in its units.
        height: of the frame.
    """
    if not nodes:
        return {}
    place = {name: number for number, name in enumerate(nodes)}
    pairs = np.array([(place[a], place[b]) for a, b in edges if a in place and b in place and a != b], dtype=int).reshape(-1, 2)
    turn = np.arange(len(nodes)) * 2.399963  # the golden angle: a spiral fills a disk evenly
    at = np.sqrt(np.arange(len(nodes)) / len(nodes))[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    near = 1.6 / np.sqrt(len(nodes))
    degree = np.sqrt(1.0 + np.bincount(pairs.ravel(), minlength=len(nodes)))  # what is linked much gets room for its links
    weights = np.outer(degree, degree)
    for heat in np.linspace(0.12, 0.002, _ROUNDS):
        apart = at[:, None] - at[None]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
        force = (apart * (weights * near**2 / distance**2)[..., None]).sum(axis=1)
        if len(pairs):
            pull = at[pairs[:, 0]] - at[pairs[:, 1]]
            pull *= _SPRING * np.linalg.norm(pull, axis=1, keepdims=True) / near
            np.subtract.at(force, pairs[:, 0], pull)
            np.add.at(force, pairs[:, 1], pull)
        force -= _GRAVITY * at  # towards the middle, or what is linked to nothing would drift away
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / length * np.minimum(length, heat)
        at[0] = 0.0  # the first stays in the middle
    low, high = np.maximum(-at.min(axis=0), 1e-6), np.maximum(at.max(axis=0), 1e-6)
    scaled = 0.5 + np.where(at < 0, at / low, at / high) / 2  # each side fills its half of the frame
    return {name: (float(x * width), float(y * height)) for name, (x, y) in zip(nodes, scaled, strict=True)}
