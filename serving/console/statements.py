"""What was made of a conversation, in lists: facts, what is expected, entities, relationships, lines of a portrait."""

from collections.abc import Mapping

from nicegui.elements.mixins.text_element import TextElement

from mneme.records import Citation
from queries.browsing.responses import InspectedEpisode, InspectedStatement
from serving.console.markup import chip, link, tag
from serving.console.visit import Visit
from serving.console.words import count, expected, whole_day

_STATES = {"superseded": "no longer holds", "merged": "repeats another", "expired": "lies behind"}


def made_of(visit: Visit, episode: InspectedEpisode, texts: Mapping[str, str]) -> None:
    """Everything that was made of an episode, kind by kind."""
    _statements("Facts", "fact", episode.facts, texts)
    _statements("Expected", "foresight", episode.foresights, texts)
    if episode.entities:
        with _made("Entities", "entity", len(episode.entities)), tag("ul", classes="chips"):
            for entity in episode.entities:
                name = entity.same_as or entity.name
                with tag("li"), link("", visit.link("graph", entity=name), "chip is-entity"):
                    tag("span", entity.name)
                    tag("small", entity.type if not entity.same_as else f"{entity.type}, known as {entity.same_as}")
    if episode.relationships:
        with _made("Relationships", "entity", len(episode.relationships)), tag("ul", classes="statements"):
            for edge in episode.relationships:
                with tag("li", classes="is-over" if edge.valid_to or edge.ended else ""):
                    relationship(visit, edge.source, edge.relation, edge.target)
                    if edge.date:
                        tag("small", f"since {whole_day(edge.date)}")
                    if edge.valid_to:
                        chip(f"until {whole_day(edge.valid_to)}", "over")
    if episode.profile:
        with _made("Portrait", "profile", len(episode.profile)), tag("ul", classes="statements"):
            for line in episode.profile:
                with tag("li", classes="" if line.holds else "is-over"):
                    tag("span", line.statement)
                    tag("small", f"{line.about} · {line.category}{' · shown, not said' if line.implicit else ''}")
    if episode.case is not None:
        with _made("Case", "case", 1):
            tag("p", episode.case.task_intent)
            tag("p", episode.case.approach, "quiet")
            if episode.case.key_insight:
                tag("p", episode.case.key_insight)
            chip(f"quality {episode.case.quality_score:.2f}", "case")


def relationship(visit: Visit, source: str, relation: str, target: str) -> None:
    """An edge as a line; both ends lead to the graph."""
    link(source, visit.link("graph", entity=source))
    tag("span", relation.replace("_", " "), "relation")
    link(target, visit.link("graph", entity=target))


def cited(visit: Visit, citation: Citation | None) -> None:
    """Where it stands in a document, as a link to the place."""
    if citation is not None:
        link(str(citation), visit.link("document", id=citation.document_id), "citation")


def _statements(title: str, kind: str, statements: tuple[InspectedStatement, ...], texts: Mapping[str, str]) -> None:
    if not statements:
        return
    with _made(title, kind, len(statements)), tag("ul", classes="statements"):
        for each in statements:
            with tag("li", classes={"holds": "", "expired": "is-past"}.get(each.state, "is-over")):
                tag("span", each.text)
                if each.times_said > 1:
                    chip(f"said {count(each.times_said, 'time')}", "fact")
                if each.state != "holds":
                    _what_became(each, texts)
                if each.start or each.end:
                    tag("small", f"expected {expected(each.start, each.end)}")


def _what_became(each: InspectedStatement, texts: Mapping[str, str]) -> None:
    other = each.superseded_by or each.merged_into
    when = f" since {whole_day(each.valid_to)}" if each.valid_to and each.state == "superseded" else ""
    chip(f"{_STATES[each.state]}{when}", "over")
    if other is not None and other in texts:
        tag("small", f"now: {texts[other]}", "newer")


def _made(title: str, kind: str, number: int) -> TextElement:
    section = tag("section", classes=f"made is-{kind}")
    with section, tag("h3", title):
        tag("span", str(number), "count")
    return section
