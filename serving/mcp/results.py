"""Results of the tools as compact text for a model: one line for each memory."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from mneme.ids import message_id
from queries.answers.answer import AnswerResponse, CitedMemory
from queries.browsing.responses import Entry, HistoryFact, HistoryForesight, HistoryLine, HistoryRelationship, Memory
from queries.responses import Found, FoundEpisode, FoundFact, FoundForesight, GraphRelationship, SearchResponse
from serving.found import episodes_of, kind_of, origin_of, words_of
from serving.terminal.format import day, expected, until, whole_day

_MOST_SOURCES = 3  # messages that a line names


def memory_lines(found: SearchResponse, tenant_id: str) -> dict[str, str]:
    """A line for each result, best first, by its id."""
    episodes = episodes_of(found)
    return {each.id: _memory(each, episodes, tenant_id) for each in found.ranked()}


def citation_lines(answer: AnswerResponse, tenant_id: str) -> list[str]:
    """A line for each memory that an answer cites, in the order of their numbers."""
    known = memory_lines(answer.found, tenant_id)
    return [known.get(each.id) or _cited(each) for each in answer.citations]


def relation(edge: GraphRelationship) -> str:
    """A relationship in words."""
    since = f" since {whole_day(edge.date)}" if edge.date else ""
    ended = f" [{until(edge.valid_to, whole_day)}]" if edge.valid_to else ""
    return f"{edge.source} {edge.relation.replace('_', ' ')} {edge.target}{since}{ended}"


def event_line(entry: Entry) -> str:
    """An entry of a history, with the id that forget takes."""
    valid_to = None if isinstance(entry, HistoryLine) else entry.valid_to
    if isinstance(entry, HistoryFact):
        ahead = entry.event_at if entry.event_at and entry.event_at > entry.at else None
        kind, text = "fact", f"{entry.text} (about {expected(ahead, entry.event_until)})" if ahead else entry.text
    elif isinstance(entry, HistoryForesight):
        when = f" (expected for {expected(entry.start, entry.end)})" if entry.start else ""
        kind, text = "plan", f"{entry.text}{when}"
    elif isinstance(entry, HistoryRelationship):
        kind, text = "relation", f"{entry.source} {entry.relation.replace('_', ' ')} {entry.target}"
    else:
        kind, text = "profile", entry.statement
    identity = f" (id {entry.id})" if isinstance(entry, HistoryFact | HistoryForesight) else ""
    return f"{day(entry.at)} {kind}: {text}{_ended(valid_to)}{identity}"


def episode_line(episode: Memory) -> str:
    """An episode on a timeline."""
    return f"{day(episode.at)} episode: {episode.text} (conversation {episode.conversation_id})"


def numbered(lines: Iterable[str]) -> str:
    """Lines as a numbered list."""
    return "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))


def with_notes(text: str, notes: Iterable[str]) -> str:
    """A text, and below it what was left out and why."""
    return "\n".join([text, *(f"note: {note}" for note in notes)])


def _memory(found: Found, episodes: Mapping[str, FoundEpisode], tenant_id: str) -> str:
    """A result with date, end of validity, and what forget takes: its own id, its messages, or its conversation."""
    kind, text, origin = kind_of(found), words_of(found), origin_of(found, episodes)
    if origin is None:
        return f"{kind}: {text}"
    sources = [] if origin.citation is None else [str(origin.citation)]
    if (conversation := origin.conversation_id) is None:
        kind = "knowledge" if kind == "episode" else kind
    elif kind == "episode":
        sources.append(f"conversation {conversation}")
    else:
        if isinstance(found, FoundFact | FoundForesight):
            sources.append(f"id {found.id}")
        ids = [message_id(tenant_id, conversation, each) for each in origin.message_ids]
        more = f" and {len(ids) - _MOST_SOURCES} more" if len(ids) > _MOST_SOURCES else ""
        sources.append(f"from {', '.join(ids[:_MOST_SOURCES])}{more}")
    return f"{day(origin.date)} {kind}: {text}{_ended(origin.valid_to)}{_in_brackets(sources)}"


def _ended(moment: datetime | None) -> str:
    return f" [{until(moment)}]" if moment else ""


def _cited(citation: CitedMemory) -> str:
    when = f"{day(citation.said_at)} " if citation.said_at else ""
    sources = [str(citation.document)] if citation.document else []
    if citation.kind in ("fact", "foresight"):
        sources.append(f"id {citation.id}")
    return f"{when}{citation.kind}: {citation.text}{_in_brackets(sources)}"


def _in_brackets(sources: Sequence[str]) -> str:
    return f" ({'; '.join(sources)})" if sources else ""
