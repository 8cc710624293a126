"""Results of the tools as data (``structuredContent``), and as compact text for a model: one line for each memory."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from mneme.ids import message_id
from queries.answers.answer import AnswerResponse, CitedMemory
from queries.browsing.responses import Entry, HistoryFact, HistoryForesight, HistoryLine, HistoryRelationship
from queries.responses import Found, FoundEpisode, GraphRelationship, ResponseModel, SearchResponse
from serving.found import episodes_of, kind_of, origin_of, words_of
from serving.terminal.format import day, expected, until, whole_day


class Memory(ResponseModel):
    """One memory."""

    id: str
    kind: Annotated[str, Field(description="fact, episode, message, foresight, profile, case, skill or knowledge")]
    text: str
    date: Annotated[datetime | None, Field(description="when it was said or began; when it happens stands in the text")] = None
    until: Annotated[datetime | None, Field(description="it does not hold any more since then")] = None
    conversation_id: str | None = None
    message_ids: Annotated[tuple[str, ...], Field(description="the messages it comes from; what forget takes")] = ()
    document: Annotated[str | None, Field(description="file and page, where it stands in a document")] = None


class SearchResult(ResponseModel):
    """Results, best first."""

    memories: tuple[Memory, ...]
    relations: Annotated[tuple[str, ...], Field(description="how the people and things in question are related")] = ()
    notes: tuple[str, ...] = ()


class AskResult(ResponseModel):
    """An answer; its numbers in brackets are places in ``citations``, from 1."""

    answer: str
    abstained: Annotated[bool, Field(description="the memories do not tell")]
    citations: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()


class ContextResult(ResponseModel):
    """A text of memories; its numbers in brackets are places in ``memory_ids``, from 1."""

    text: str
    tokens: int
    memory_ids: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class RememberResult(ResponseModel):
    """Messages that are stored durably."""

    conversation_id: str
    message_ids: tuple[str, ...]
    searchable: Annotated[bool, Field(description="facts and episodes were made and are found; the words are within seconds")]


class ForgetResult(ResponseModel):
    """Erasure, done or as a preview."""

    erased: Annotated[bool, Field(description="nothing is left of it")]
    under_way: Annotated[bool, Field(description="it was ordered and is not finished yet")] = False
    target: str
    preview: Annotated[str, Field(description="what would go; the user has to agree first")] = ""


class Event(ResponseModel):
    """Something on a timeline."""

    date: datetime
    kind: str
    text: str
    until: datetime | None = None
    id: str
    conversation_id: str | None = None


class TimelineResult(ResponseModel):
    """Events, the oldest first."""

    about: str
    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()


class Line(ResponseModel):
    """One line of a portrait."""

    about: str
    statement: str
    since: datetime
    inferred: Annotated[bool, Field(description="nobody said so; it was concluded from what was said")] = False


class ProfileResult(ResponseModel):
    """Current profile of the owner."""

    lines: tuple[Line, ...]
    recent: Annotated[tuple[str, ...], Field(description="what the last conversations were about, the newest first")] = ()


_MOST_SOURCES = 3  # messages that a line of text names; all of them are in the data


def memories_of(found: SearchResponse, tenant_id: str) -> tuple[Memory, ...]:
    """Results, best first."""
    episodes = episodes_of(found)
    return tuple(_memory(each, episodes, tenant_id) for each in found.ranked())


def relations_of(found: SearchResponse, most: int) -> tuple[str, ...]:
    """The relationships around the question, nearest first."""
    return tuple(_relation(edge) for edge in found.graph.relationships[:most])


def cited(answer: AnswerResponse, tenant_id: str) -> tuple[Memory, ...]:
    """Citations of an answer, in the order of their numbers."""
    known = {memory.id: memory for memory in memories_of(answer.found, tenant_id)}
    return tuple(known.get(each.id) or _cited(each) for each in answer.citations)


def lines(memories: Iterable[Memory]) -> str:
    """Memories as a numbered list."""
    return "\n".join(f"[{number}] {_memory_line(memory)}" for number, memory in enumerate(memories, 1))


def event(entry: Entry) -> Event:
    """An entry of a history."""
    match entry:
        case HistoryFact():
            ahead = entry.event_at if entry.event_at and entry.event_at > entry.at else None
            return _statement(entry, "fact", "about", ahead, entry.event_until)
        case HistoryForesight():
            return _statement(entry, "plan", "expected for", entry.start, entry.end)
        case HistoryRelationship():
            text = f"{entry.source} {entry.relation.replace('_', ' ')} {entry.target}"
            return Event(date=entry.at, kind="relation", text=text, until=entry.valid_to, id=entry.id)
        case HistoryLine():
            return Event(date=entry.at, kind="profile", text=entry.statement, id=entry.evidence[0].episode_id)


def _statement(
    entry: HistoryFact | HistoryForesight, kind: str, word: str, start: datetime | None, end: datetime | None
) -> Event:
    return Event(
        date=entry.at,
        kind=kind,
        text=f"{entry.text} ({word} {expected(start, end)})" if start else entry.text,
        until=entry.valid_to,
        id=entry.id,
        conversation_id=entry.conversation_id,
    )


def event_lines(events: Iterable[Event]) -> str:
    """Events, one a line."""
    return "\n".join(
        f"{day(each.date)} {each.kind}: {each.text}{_until(each.until)}"
        + (f" (conversation {each.conversation_id})" if each.kind == "episode" else "")
        for each in events
    )


def with_notes(text: str, notes: Iterable[str]) -> str:
    """A text, and below it what was left out and why."""
    return "\n".join([text, *(f"note: {note}" for note in notes)])


def _memory(found: Found, episodes: Mapping[str, FoundEpisode], tenant_id: str) -> Memory:
    """A result as a line shows it, with date, source and end of validity."""
    kind, text, origin = kind_of(found), words_of(found), origin_of(found, episodes)
    if origin is None:
        return Memory(id=found.id, kind=kind, text=text)
    conversation = origin.conversation_id
    return Memory(
        id=found.id,
        kind="knowledge" if kind == "episode" and conversation is None else kind,
        text=text,
        date=origin.date,
        until=origin.valid_to,
        conversation_id=conversation,
        message_ids=_ids(tenant_id, conversation, origin.message_ids),
        document=_document(origin.citation),
    )


def _ids(tenant_id: str, conversation: str | None, messages: Iterable[str]) -> tuple[str, ...]:
    """The ids of messages, as forget takes them; of chunks of documents none, which are forgotten with their document."""
    return tuple(message_id(tenant_id, conversation, each) for each in messages) if conversation else ()


def _document(citation: object) -> str | None:
    return None if citation is None else str(citation)


def _cited(citation: CitedMemory) -> Memory:
    return Memory(
        id=citation.id, kind=citation.kind, text=citation.text, date=citation.said_at, document=_document(citation.document)
    )


def _memory_line(memory: Memory) -> str:
    when = f"{day(memory.date)} " if memory.date else ""
    sources = [memory.document] if memory.document else []
    if memory.kind == "episode":
        sources.append(f"conversation {memory.conversation_id}")
    elif memory.message_ids:
        more = f" and {len(memory.message_ids) - _MOST_SOURCES} more" if len(memory.message_ids) > _MOST_SOURCES else ""
        sources.append(f"from {', '.join(memory.message_ids[:_MOST_SOURCES])}{more}")
    return f"{when}{memory.kind}: {memory.text}{_until(memory.until)}" + (f" ({'; '.join(sources)})" if sources else "")


def _relation(edge: GraphRelationship) -> str:
    since = f" since {whole_day(edge.date)}" if edge.date else ""
    ended = f" [{until(edge.valid_to, whole_day)}]" if edge.valid_to else ""
    return f"{edge.source} {edge.relation.replace('_', ' ')} {edge.target}{since}{ended}"


def _until(moment: datetime | None) -> str:
    return f" [{until(moment)}]" if moment else ""
