"""shown: the question and what was found for it, as lines that a model reads. Pure.

Each memory and each relationship is one line behind its number, whatever line breaks it held: what was remembered can neither
look like another line, nor like a heading, nor like a rule. The best come first, and what is too much is left out from the end.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, time

from mneme.tokens import estimate_tokens
from queries.agents.evidence import Episodic, Evidence
from queries.reranking.passages import one_line
from queries.responses import FoundEpisode, FoundFact, FoundMessage, GraphRelationship

MOST_MEMORIES = 20  # the best of each search among them; what stands lower rarely decides
MOST_RELATIONSHIPS = 20
LONGEST_LINE = 600  # characters: some 150 tokens, twenty of them some 3,000
LONGEST_QUESTION = 2000
_NESTED_FACTS = 2  # of an episode: what it was found for


def question_shown(question: str) -> str:
    """The question, as the user part of a prompt."""
    return f"Question: {one_line(question, LONGEST_QUESTION)}"


def evidence_shown(question: str, found: Evidence, tokens: int) -> str:
    """The question, what was searched for and what that found, as the user part of a prompt.

    Relationships, which are short and say most about a way, take a quarter of what the best memory leaves at most.

    Args:
        question: what is to be answered.
        found: by all searches so far.
        tokens: how many it may have, by estimate; the question, the queries and the best memory are there in any case.
    """
    head = [
        question_shown(question),
        "Searched for so far:",
        *(f"- {one_line(query, LONGEST_LINE)}" for query in found.queries),
    ]
    room = tokens - estimate_tokens("\n".join([*head, "Memories:", "Relationships:"]))
    lines = _memory_lines(found)
    best = next(lines, "(none)")
    room -= _cost([best])
    relationships = _that_fit(_relationship_lines(found), room // 4)
    memories = [best, *_that_fit(lines, room - _cost(relationships))]
    parts = [*head, "Memories:", *memories]
    return "\n".join([*parts, "Relationships:", *relationships] if relationships else parts)


def _that_fit(lines: Iterator[str], tokens: int) -> list[str]:
    """The first lines, as many as fit."""
    fitting: list[str] = []
    for line in lines:
        tokens -= _cost([line])
        if tokens < 0:
            break
        fitting.append(line)
    return fitting


def _cost(lines: list[str]) -> int:
    return sum(estimate_tokens(f"{line}\n") for line in lines)


def _memory_lines(found: Evidence) -> Iterator[str]:
    episodes = found.episodes()
    for number, place in enumerate(found.places(MOST_MEMORIES), start=1):
        yield one_line(f"{number} {_memory(place.item, episodes)}", LONGEST_LINE)


def _memory(item: Episodic, episodes: Mapping[str, FoundEpisode]) -> str:
    match item:
        case FoundEpisode():
            facts = episodes.get(item.id, item).atomic_facts[:_NESTED_FACTS]
            told = [item.text, *(fact.text + _when(fact) for fact in facts if fact.text not in item.text)]
            return f"{_day(item.started_at)}: {' / '.join(told)}"
        case FoundFact():
            return f"{_day(item.said_at)}: {item.text}{_when(item)}"
        case FoundMessage():
            return f"{_day(item.sent_at)}: {item.sender_name}: {item.text}"


def _when(fact: FoundFact) -> str:
    """When it happens, where that is not the day on which it was said, and until when it held."""
    parts = [f"on {_moment(fact.event_at)}"] if fact.event_at and fact.event_at.date() != fact.said_at.date() else []
    parts += [f"until {_moment(fact.valid_to)}"] if fact.valid_to else []
    return f" ({'; '.join(parts)})" if parts else ""


def _relationship_lines(found: Evidence) -> Iterator[str]:
    for number, edge in enumerate(found.graph().relationships[:MOST_RELATIONSHIPS], start=1):
        yield one_line(f"{number} {_relationship(edge)}", LONGEST_LINE)


def _relationship(edge: GraphRelationship) -> str:
    times = [f"on {_moment(edge.date)}"] if edge.date else []
    times += [f"until {_moment(edge.valid_to)}"] if edge.valid_to else []
    dated = f" ({'; '.join(times)})" if times else ""
    return f"{edge.source} — {edge.relation.replace('_', ' ')} — {edge.target}{dated}"


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _moment(moment: datetime) -> str:
    """A day, or a time of UTC: the 27th begins at 22:00 of the 26th in Berlin, and must not be told as the 26th."""
    return _day(moment) if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M} UTC"
