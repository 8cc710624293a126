"""The results of a search as lines of an answer's context: one shape for all kinds, each with its days. Pure."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from mneme.dates import DaySpan, Grain
from mneme.records import Citation, Claim, ProfileItem, Quote
from mneme.relations import attributes_asked
from mneme.text import tokenise
from queries.answers.answer import Kind
from queries.answers.dates import day_meant, day_of, event_days, name_of
from queries.answers.telling import LONGEST, told
from queries.questions.people import is_asker, names_asker, names_person
from queries.questions.tense import asks_about_past, in_present
from queries.records import one_line
from queries.responses import (
    Found,
    FoundCase,
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    FoundProfile,
    FoundSkill,
    GraphRelationship,
    SearchResponse,
)
from queries.supersession import Asked, is_asked_for

_LABELS = {"case": "agent case", "skill": "agent skill", "knowledge": "document"}
_OF_PROFILE = ("profile", "relationship")


@dataclass(frozen=True, slots=True)
class EndedClaim:
    """A value that no longer holds, of a statement that holds in another; ``replaced_by`` is what superseded it, if known."""

    value: str
    ended: date
    replaced_by: str | None


@dataclass(frozen=True, slots=True)
class ContextMemory:
    """Something that was found.

    ``text`` is what it says, on one line, ``source`` who said it and ``citation`` where it stands, of one ``of_document``.
    ``said`` is the day it was said, ``happens`` the days it is about, ``ended`` the day from which it no longer holds in what
    is asked for, because of ``replaced_by`` if that is known. Of what holds, ``ended_claims`` are the claims that do not.
    ``plan`` says that it is expected, not told. A line of a profile has its ``category``, and ``source`` is whom it is about.
    Of a ``quote`` the text is what was said, with the days that its words mean; ``claims`` are those that it makes. A quote
    that ``names_its_day`` has the day on which its speaker said it, which is ``said``. ``score`` compares the memories of one
    search; lower ``rank`` is better. ``reading`` are the log-odds that it answers.
    """

    id: str
    kind: Kind
    text: str
    source: str = ""
    citation: Citation | None = None
    of_document: bool = False
    said_at: datetime | None = None
    said: date | None = None
    names_its_day: bool = False
    happens: DaySpan | None = None
    ended: date | None = None
    replaced_by: str | None = None
    ended_claims: tuple[EndedClaim, ...] = ()
    plan: bool = False
    category: str = ""
    quote: Quote | None = None
    claims: tuple[Claim, ...] = ()
    message_ids: tuple[str, ...] = ()
    parent: str | None = None
    rank: int | None = None
    score: float = 0.0
    reading: float | None = None

    @property
    def spans(self) -> tuple[DaySpan, ...]:
        """The dates that its line names, what it is about first."""
        days = (self.said, self.ended)
        spans = (self.happens, *(DaySpan.of_day(day) for day in days if day))
        return tuple(dict.fromkeys(span for span in spans if span))


def memories_of(found: SearchResponse, zone: tzinfo) -> list[ContextMemory]:
    """The ranked results, best first; a portrait as its statements, those that share words with the question first.

    Args:
        found: of the search for the question.
        zone: of who asks: what a day is.
    """
    parents = {episode.id: episode for episode in (*found.episodes, *found.knowledge)}
    asked = _Question.in_search(found, zone)
    return [memory for item in found.ranked() for memory in _memories(item, parents, asked)]


def surrounding_episodes(found: SearchResponse, zone: tzinfo) -> list[ContextMemory]:
    """The episodes that hold no place but whose facts do, in the order of their best: what the facts were said in."""
    return [_episode(each, zone) for each in (*found.episodes, *found.knowledge) if each.rank is None]


def nested_facts(found: SearchResponse, zone: tzinfo) -> list[ContextMemory]:
    """Facts without a place, under an episode that holds one, where they tell a day or an end that its story may not."""
    asked = _Question.in_search(found, zone)
    return [
        _fact(fact, episode, asked)
        for episode in (*found.episodes, *found.knowledge)
        if episode.rank is not None
        for fact in episode.atomic_facts
        if fact.rank is None and (fact.event_at or fact.valid_to)
    ]


def portrait_of(found: SearchResponse, zone: tzinfo) -> list[ContextMemory]:
    """The lines of a profile without a place, of those whom the question names, by name or as "I".

    Those come first that share words with the question, then the newest. Of quotes no others: they are facts as well, with a
    place of their own.
    """
    text = found.query.text
    by_oneself = names_asker(text)
    asked_for = _Question.in_search(found, zone)
    words = asked_for.words
    lines = [line for each in found.profiles if each.rank is None for line in _memories(each, {}, asked_for)]
    people = {line.source for line in lines}
    asked = {each for each in people if names_person(text, each) or (by_oneself and is_asker(each, found.query.asker))}
    return [
        line
        for line in lines
        if line.source in asked and (words & _words_of(line) or not line.text.startswith(f"{line.source}: "))
    ]


def relationships_of(found: SearchResponse, zone: tzinfo, steps: int) -> list[ContextMemory]:
    """The relationships at most so many steps from what the question names, nearest first."""
    near = [each for each in found.graph.relationships if each.hop <= steps]
    return [_relationship(each, zone) for each in sorted(near, key=lambda each: each.hop)]


@dataclass(frozen=True, slots=True)
class _Question:
    """The words of a question, its (subject, attribute) as far as known, who asks it, and in which zone."""

    words: frozenset[str]
    attributes: Asked
    asker: str | None
    zone: tzinfo

    @classmethod
    def in_search(cls, found: SearchResponse, zone: tzinfo) -> "_Question":
        """That of a search."""
        text = found.query.text
        attributes = attributes_asked(in_present(text) if asks_about_past(text) else text)
        return cls(frozenset(tokenise(text)), attributes, found.query.asker, zone)


def _memories(item: Found, parents: Mapping[str, FoundEpisode], asked: _Question) -> Iterator[ContextMemory]:
    zone, words = asked.zone, asked.words
    match item:
        case FoundFact():
            yield _fact(item, parents.get(item.parent_episode_id), asked)
        case FoundEpisode():
            yield _episode(item, zone)
        case FoundMessage():
            named = item.citation is not None and item.citation.name == item.sender_name
            yield _memory(
                item,
                "message",
                item.text,
                source="" if named else _line(item.sender_name),
                citation=item.citation,
                message_ids=(item.message_id,),
                parent=item.parent_episode_id,
                **_when_said(item.sent_at, zone),
            )
        case FoundForesight():
            yield _foresight(item, parents.get(item.parent_episode_id), asked)
        case FoundProfile():
            lines = [_portrait(item, each, zone) for each in (*item.explicit, *item.implicit)]
            lines.sort(key=lambda each: each.said or date.min, reverse=True)
            yield from sorted(lines, key=lambda each: len(words & _words_of(each)), reverse=True)
        case FoundCase():
            text = ": ".join(filter(None, (item.task_intent, item.approach, item.key_insight)))
            yield _memory(item, "case", text, message_ids=item.message_ids, parent=item.parent_episode_id)
        case FoundSkill():
            yield _memory(item, "skill", ": ".join(filter(None, (item.name, item.description, item.content))))


def _words_of(line: ContextMemory) -> set[str]:
    """The words of a line of a profile and of its kind, without the name of whom it is about."""
    return set(tokenise(f"{line.category} {line.text}")) - set(tokenise(line.source))


def _memory(item: Found, kind: Kind, text: str, **more: Any) -> ContextMemory:
    return ContextMemory(item.id, kind, _line(text), rank=item.rank, score=item.score, reading=item.reading, **more)


def _when_said(said_at: datetime | None, zone: tzinfo) -> dict[str, Any]:
    return {"said_at": said_at, "said": day_of(said_at, zone) if said_at else None}


def _became(statement: FoundFact | FoundForesight, asked: _Question) -> dict[str, Any]:
    """The fields of a statement with its sources and its end."""
    ended, replaced_by = _end_of(statement, asked)
    return {
        "citation": statement.citation,
        "ended": day_of(ended, asked.zone) if ended else None,
        "replaced_by": replaced_by,
        "ended_claims": tuple(
            EndedClaim(claim.value, day_of(claim.valid_to, asked.zone), claim.superseded_by)
            for claim in statement.claims
            if claim.valid_to and claim.value and not ended
        ),
        "claims": statement.claims,
        "message_ids": statement.said_in,
        "parent": statement.parent_episode_id,
    }


def _end_of(statement: FoundFact | FoundForesight, asked: _Question) -> tuple[datetime | None, str | None]:
    """The end of a statement and what superseded it: of the claims that are asked for, else of all of it."""
    claims = [each for each in statement.claims if not each.ends and is_asked_for(each, asked.attributes, asked.asker)]
    ends = [(each.valid_to, each.superseded_by) for each in claims if each.valid_to is not None]
    if claims and len(ends) == len(claims):
        return max(ends, key=lambda end: end[0])
    return statement.valid_to, statement.superseded_by


def _is_document(parent: FoundEpisode | None) -> bool:
    return parent is not None and parent.document_id is not None


def _fact(fact: FoundFact, parent: FoundEpisode | None, asked: _Question) -> ContextMemory:
    of_document, zone = _is_document(parent), asked.zone
    return _memory(
        fact,
        "fact",
        fact.atomic_fact,
        of_document=of_document,
        happens=event_days(fact.event_at, fact.event_until, zone) if fact.event_at else None,
        quote=fact.quote,
        **({"said_at": None, "said": None} if of_document else _when_said(fact.said_at, zone) | _day_named(fact)),
        **_became(fact, asked),
    )


def _day_named(fact: FoundFact) -> dict[str, Any]:
    """The day that a quote carries: that of its speaker's zone, which may be another than that of who asks."""
    head = fact.atomic_fact.partition(fact.quote.words)[0] if fact.quote else ""
    for days in (0, -1, 1):
        day = fact.said_at.astimezone(UTC).date() + timedelta(days=days)
        span = DaySpan.of_day(day)
        if any(
            re.search(rf"[,，]\s*{re.escape(written)}(?!\d)", head)
            for written in (span.in_english(), span.in_chinese(), str(day))
        ):
            return {"said": day, "names_its_day": True}
    return {}


def _episode(episode: FoundEpisode, zone: tzinfo) -> ContextMemory:
    of_document = _is_document(episode)
    return _memory(
        episode,
        "knowledge" if of_document else "episode",
        f"Subject: {episode.subject}. Episode: {episode.episode}",
        source="" if of_document else _line(", ".join(episode.participants)),
        citation=episode.citation,
        of_document=of_document,
        message_ids=episode.message_ids,
        **_when_said(None if of_document else episode.started_at, zone),
    )


def _foresight(foresight: FoundForesight, parent: FoundEpisode | None, asked: _Question) -> ContextMemory:
    zone = asked.zone
    span = event_days(foresight.start, foresight.end, zone) if foresight.start else None
    fields = {"of_document": _is_document(parent), "happens": span, "plan": True} | _when_said(foresight.said_at, zone)
    return _memory(foresight, "foresight", foresight.statement, **fields, **_became(foresight, asked))


def _portrait(profile: FoundProfile, item: ProfileItem, zone: tzinfo) -> ContextMemory:
    return _memory(
        profile,
        "profile",
        item.statement,
        source=_line(item.about),
        category=_line(item.category),
        message_ids=tuple(dict.fromkeys(identity for mention in item.evidence for identity in mention.message_ids)),
        **_when_said(item.evidence[-1].at if item.evidence else None, zone),  # the newest wording stands
    )


def _relationship(edge: GraphRelationship, zone: tzinfo) -> ContextMemory:
    return ContextMemory(
        edge.id,
        "relationship",
        _line(f"{edge.source} | {edge.relation.replace('_', ' ')} | {edge.target}"),
        said=day_meant(edge.date, zone) if edge.date else None,
        ended=day_of(edge.valid_to, zone) if edge.valid_to else None,
        message_ids=edge.message_ids,
    )


def lines_of(numbered: Iterable[tuple[int, ContextMemory]], line: Callable[[ContextMemory, int], str]) -> Iterator[str]:
    """The lines of memories under the lines that they share: their day; of profiles, whom and what they are about.

    Args:
        numbered: the memories with their numbers, in the order of ``in_order``.
        line: of one memory with its number.
    """
    head = ""
    for number, memory in numbered:
        if (above := head_of(memory)) != head:
            head = above
            if head:
                yield head
        yield line(memory, number)


def head_of(memory: ContextMemory) -> str:
    """The line above a memory, which it shares with those beside it; empty for none.

    >>> head_of(ContextMemory("f", "fact", "Jonas rowed", said=date(2026, 3, 2)))
    '2026-03-02 (Monday):'
    >>> head_of(ContextMemory("p", "profile", "likes boats", "Jonas", category="hobby"))
    'About Jonas, hobby:'
    """
    if memory.kind == "relationship":
        return "Relationships:"
    if memory.kind == "profile":
        return f"About {escaped(', '.join(filter(None, (memory.source, memory.category))))}:"  # no name looks like a number
    return f"{name_of(DaySpan.of_day(memory.said))}:" if memory.said else ""


def is_of_profile(memory: ContextMemory) -> bool:
    """True for what stands in one list of people and things, each line with its own day: portraits and relationships."""
    return memory.kind in _OF_PROFILE


def in_order(memory: ContextMemory) -> tuple[bool, bool, str, str, date, datetime, int]:
    """The order: first by time, what was not said at one time before what was; then portraits by person and kind; then
    relationships.
    """
    return (
        memory.kind == "relationship",
        memory.kind == "profile",
        memory.source if memory.kind == "profile" else "",
        memory.category,
        memory.said if memory.said and memory.said_at else date.min,
        memory.said_at or datetime.min.replace(tzinfo=UTC),
        memory.rank or 0,
    )


def line_of(memory: ContextMemory, number: int, numbers: Mapping[str, int], asked: date, shown: Collection[str] = ()) -> str:
    """Render a memory as one line of the context, which cannot end a block. What it shares with others stands above.

    >>> memory = ContextMemory("f", "fact", "Jonas works at the shipyard", said=date(2026, 3, 2), ended=date(2026, 4, 11))
    >>> line_of(memory, 3, {}, date(2026, 5, 1))
    '[3] Jonas works at the shipyard (held until 2026-04-11: outdated)'

    Args:
        memory: what to tell.
        number: by which it is cited.
        numbers: of all memories in the context, by id: what replaced it is named by its own.
        asked: the day of the question.
        shown: see ``telling.told``.
    """
    if memory.kind == "relationship":
        day = f" (since {memory.said.isoformat()})" if memory.said else ""
        return f"[{number}] {escaped(memory.text)}{day}{_end(memory, numbers, asked)}"
    if memory.kind == "profile":
        day = f" ({memory.said.isoformat()})" if memory.said else ""
        return f"[{number}] {escaped(memory.text.removeprefix(f'{memory.source}: '))}{day}"
    source = ", ".join(filter(None, (memory.source, _cited(memory.citation))))
    head = f"{_LABELS.get(memory.kind, '')} {escaped(source)}".strip()
    before = f" {head}:" if head else ""
    words = told(memory.text, memory.quote, shown)
    return f"[{number}]{before} {escaped(words)}{_about(memory, words)}{_end(memory, numbers, asked)}"


_BEFORE_DAYS = {Grain.DAY: "on", Grain.MONTH: "in", Grain.YEAR: "in", Grain.RANGE: "from"}


def _about(memory: ContextMemory, words: str) -> str:
    """The days that a memory is about, where neither the day above nor its words give them: a quote's dates stand behind it.

    Never that it happened: a plan of last week may have come to nothing.
    """
    span = memory.happens
    if span is None or span.first == span.last == memory.said:
        return ""
    if memory.quote is not None and words.endswith("]") and span.in_english() in words.rpartition(" [")[2]:
        return ""
    is_ahead = memory.said is not None and span.first > memory.said
    return f" ({'expected' if memory.plan or is_ahead else _BEFORE_DAYS[span.grain]} {name_of(span)})"


def _end(memory: ContextMemory, numbers: Mapping[str, int], asked: date) -> str:
    """The end of a memory; of one that holds in part those of its claims, each behind its value."""
    if memory.ended is not None:
        return f" ({_until(memory.ended, memory.replaced_by, numbers, asked)})"
    return "".join(
        f" ({escaped(_line(claim.value))}: {_until(claim.ended, claim.replaced_by, numbers, asked)})"
        for claim in memory.ended_claims
    )


def _until(day: date, replaced_by: str | None, numbers: Mapping[str, int], asked: date) -> str:
    by = f", replaced by [{numbers[replaced_by]}]" if replaced_by and replaced_by in numbers else ""
    return f"holds until {day.isoformat()}{by}" if day > asked else f"held until {day.isoformat()}{by}: outdated"


def _cited(citation: Citation | None) -> str:
    """``offer.pdf, page 2, section "Prices"``."""
    if citation is None:
        return ""
    section = f'section "{citation.section}"' if citation.section else ""
    return _line(", ".join(filter(None, (citation.name, citation.place, section))))


def _line(text: str) -> str:
    return one_line(text, LONGEST)


def escaped(text: str) -> str:
    """A text without what could open or end a block; what is quoted from it in an answer still reads well."""
    return text.replace("<", "‹")


def said_in(memories: Iterable[ContextMemory]) -> set[str]:
    """The ids of the messages whose quotes are among memories."""
    return {memory.message_ids[0] for memory in memories if memory.quote is not None and memory.message_ids}
