"""Extracted records in lists: facts, foresights, entities, relationships; and the page Profile."""

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby

from nicegui.elements.mixins.text_element import TextElement

from mneme.records import Citation, Quote
from queries.browsing.responses import Change, HistoryLine, InspectedEpisode, InspectedStatement
from serving.console.markup import chip, count, day, expected, heading, link, nothing, notice, section, tag, whole_day
from serving.console.shell import page
from serving.console.visit import Visit

_STATES = {"superseded": "no longer holds", "merged": "repeats another", "expired": "lies behind"}


def made_of(visit: Visit, episode: InspectedEpisode, texts: Mapping[str, str]) -> None:
    """Everything that was made of an episode, kind by kind."""
    in_document = episode.document_id is not None
    _statements("Facts", "fact", episode.facts, texts, in_document)
    _statements("Expected", "foresight", episode.foresights, texts, in_document)
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
                    ended(edge.valid_to)
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


def ended(at: datetime | None) -> None:
    """The day on which an edge ended, if it did."""
    if at:
        chip(f"until {whole_day(at)}", "over")


def cited(visit: Visit, citation: Citation | None) -> None:
    """Show a citation as a link to its document."""
    if citation is not None:
        link(str(citation), visit.link("document", id=citation.document_id), "citation")


def shown_words(text: str, quote: Quote | None, in_document: bool) -> str:
    """The words of a quote, in a document behind the line that introduces them; the text of what is no quote."""
    if quote is None:
        return text
    return f"{quote.context.words} {quote.words}" if in_document and quote.context else quote.words


def replied_to(quote: Quote | None, in_document: bool) -> str:
    """The words that a quote replies to; none in a document."""
    before = quote and (quote.question or quote.context)
    return f"in reply to “{before.words}”" if before and not in_document else ""


def _statements(
    title: str, kind: str, statements: tuple[InspectedStatement, ...], texts: Mapping[str, str], in_document: bool
) -> None:
    if not statements:
        return
    with _made(title, kind, len(statements)), tag("ul", classes="statements"):
        for each in statements:
            with tag("li", classes={"holds": "", "expired": "is-past"}.get(each.state, "is-over")):
                tag("span", shown_words(each.text, each.quote, in_document))
                if each.quote is not None and not in_document:
                    tag("small", " · ".join(filter(None, (each.quote.speaker, replied_to(each.quote, in_document)))))
                if each.times_said > 1:
                    chip(f"said {count(each.times_said, 'time')}", "fact")
                if each.state != "holds":
                    _what_became(each, texts)
                if each.start or each.end:
                    tag("small", f"expected {expected(each.start, each.end)}")


def _what_became(each: InspectedStatement, texts: Mapping[str, str]) -> None:
    other = each.superseded_by or each.merged_into
    when = f" since {day(each.valid_to)}" if each.valid_to and each.state == "superseded" else ""
    chip(f"{_STATES[each.state]}{when}", "over")
    if other is not None and other in texts:
        tag("small", f"now: {texts[other]}", "newer")


def _made(title: str, kind: str, number: int) -> TextElement:
    section = tag("section", classes=f"made is-{kind}")
    with section, tag("h3", title):
        tag("span", str(number), "count")
    return section


@page("profile", "Profile")
async def profile(visit: Visit) -> None:
    """The portrait, then the changes, the newest first."""
    portrait = await visit.fetch(visit.service.memories.portrait, visit.filters(knowledge=None))
    heading(f"Profile of {visit.name}", f"As of {day(portrait.updated_at)}" if portrait.updated_at else "No portrait yet")
    for each in portrait.notes:
        notice(each)
    holding = [line for line in portrait.lines if line.holds]
    if not portrait.lines:
        nothing("Nothing is known yet.", "A portrait is made of what is said again and again.")
    with tag("div", classes="portraits"):
        _profile_lines("Said", [line for line in holding if not line.implicit])
        _profile_lines("Shown, not said", [line for line in holding if line.implicit])
        _profile_lines("Not in the portrait now", [line for line in portrait.lines if not line.holds])
    with section("changes", "What changed"):
        if not portrait.changes:
            tag("p", "No fact has taken the place of another yet.", "quiet")
        with tag("ol", classes="replacements"):
            for change in portrait.changes:
                _change(change)


def _profile_lines(title: str, lines: list[HistoryLine]) -> None:
    if not lines:
        return
    with tag("section", classes="card"):
        with tag("h2", title):
            tag("span", str(len(lines)), "count")
        ordered = sorted(lines, key=lambda line: (line.category, line.about))
        for category, group in groupby(ordered, key=lambda line: line.category):
            with tag("section", classes="made is-profile"):
                tag("h3", category)
                with tag("ul", classes="statements"):
                    for line in group:
                        _profile_line(line)


def _profile_line(line: HistoryLine) -> None:
    with tag("li", classes="" if line.holds else "is-past"):
        tag("span", line.statement)
        chip(line.about, "profile")
        with tag("details", classes="raw"):
            tag("summary", f"shown {count(len(line.evidence), 'time')}, since {day(line.at)}")
            with tag("ul", classes="evidence"):
                for mention in line.evidence:
                    with tag("li"):
                        tag("time", day(mention.at), "when")
                        tag("span", mention.text)


def _change(change: Change) -> None:
    with tag("li", classes="replacement"):
        with tag("div", classes="side-of is-episode"):
            tag("small", f"said {day(change.older.said_at)}")
            tag("span", change.older.text, "text")
        with tag("div", classes="arrow"):
            tag("b", "→", aria_hidden="true")
            tag("span", f"since {day(change.at)}")
        with tag("div", classes="side-of is-fact"):
            if change.newer is None:
                tag("span", "holds no longer", "text")
            else:
                tag("small", f"said {day(change.newer.said_at)}")
                tag("span", change.newer.text, "text")
