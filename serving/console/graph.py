"""The entity graph as a picture and a list, with the history of the entity in the middle."""

from collections import Counter
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

from queries.browsing.responses import Entry, History, HistoryFact, HistoryForesight, HistoryLine, HistoryRelationship
from queries.responses import Graph, GraphEntity, GraphRelationship
from serving.console.markup import chip, count, day, expected, heading, link, nothing, notice, section, tag, whole_day
from serving.console.shell import page
from serving.console.statements import cited, ended, relationship
from serving.console.visit import Visit

_MOST = 40  # entities in the picture; more of them cannot be read
_MOST_ALONE = 6  # of a picture without links; beside linked entities those that nothing is linked with are in the list only
_WORDS = {"color": "var(--ink)", "textBorderColor": "var(--surface)", "textBorderWidth": 3, "fontFamily": "inherit"}
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
    found = await visit.fetch(visit.service.memories.graph, name or None, visit.filters(), hops, _MOST)
    if not found.entities and not name:
        nothing("There are no entities yet.", "They are made of what is said, episode by episode.")
        return
    if found.entities:
        with tag("div", classes="map"):
            _picture(visit, found, name or _person(visit, found))
            _list(visit, found)
    else:
        notice(f"{name!r} is no entity of this owner, or means several. Its history may still tell of it.")
    if name:
        _history(visit, await visit.fetch(visit.service.memories.history, name, visit.filters()))


def _picture(visit: Visit, found: Graph, name: str) -> None:
    """The graph as a picture. Whoever cannot see it has the list beside it, so it is hidden from them."""
    linked = {name for edge in found.relationships for name in (edge.source, edge.target)}
    nodes = sorted(found.entities, key=lambda each: (each.name != name, each.hop, -each.mentions, each.name))
    nodes = [each for each in nodes if each.name in linked or each.name == name] if linked else nodes[:_MOST_ALONE]
    series = {
        "type": "graph",
        "layout": "force",
        "force": {"initLayout": "circular", "repulsion": 900, "edgeLength": 150, "layoutAnimation": False},
        "roam": True,
        "draggable": True,
        "autoCurveness": True,
        "label": {"show": True, "position": "bottom", **_WORDS, "fontSize": 14},
        "edgeLabel": {"show": True, "formatter": "{c}", **_WORDS, "color": "var(--quiet)"},
        "lineStyle": {"color": "var(--line-strong)", "opacity": 0.7},
        "emphasis": {"disabled": True},
        "data": [_node(each, each.name == name) for each in nodes],
        "links": [_edge(edge) for edge in found.relationships if edge.source != edge.target],
    }

    def open_node(event: EChartPointClickEventArguments) -> None:
        if event.data_type == "node":
            ui.navigate.to(visit.link("graph", entity=event.name))

    with tag("figure", classes="card picture", aria_hidden="true"):
        ui.echart({"animation": False, "series": [series]}, open_node, renderer="svg")


def _node(each: GraphEntity, is_middle: bool) -> dict[str, Any]:
    tone = f"var(--{_COLOURS.get(each.type.lower(), 'message')})"
    return {
        "name": each.name,
        "symbolSize": min(40, 14 + 4.4 * each.mentions**0.5),
        "itemStyle": {"color": tone, "borderColor": tone, "opacity": 1.0 if is_middle else 0.6},
        "label": {"fontWeight": "bold" if is_middle else "normal"},
    }


def _edge(edge: GraphRelationship) -> dict[str, Any]:
    style = {"lineStyle": {"type": "dashed"}} if edge.valid_to else {}
    return {"source": edge.source, "target": edge.target, "value": edge.relation.replace("_", " "), **style}


def _person(visit: Visit, found: Graph) -> str:
    """The entity that is the owner, or where nothing is linked with that, the person that most is linked with."""
    wanted = {visit.name.casefold(), visit.owner.id.casefold()} if visit.owner is not None else set()
    ends = Counter(name for edge in found.relationships for name in (edge.source, edge.target))
    people = [each for each in found.entities if each.type.lower() == "person"]
    people.sort(key=lambda each: (not ends[each.name], each.name.casefold() not in wanted, -ends[each.name], each.name))
    return people[0].name if people else ""


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
