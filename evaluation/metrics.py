"""Metrics of a ranked list of messages for a question with known evidence.

Recall is measured on messages, whatever a search returns. A fact stands for all messages that say it, its own first, an episode
for those of its nested facts, best first; a raw message for itself, and anything else for the messages it cites. An episode's
narrative covers all its messages. A list of results stands for the distinct messages in the order in which they first appear.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from queries.responses import SearchResponse


@dataclass(frozen=True, slots=True)
class Result:
    """One place of a ranked list.

    ``messages`` are those it stands for, best first; ``covered`` those that its text tells of; ``tokens`` is the length
    of that text.
    """

    messages: tuple[str, ...]
    covered: frozenset[str]
    tokens: int


def distinct_messages(results: Sequence[Result]) -> list[str]:
    """The messages that results stand for, each where it first appears."""
    return list(dict.fromkeys(message for result in results for message in result.messages))


def hit_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any evidence is among the first ``k`` messages, else 0."""
    return float(any(message in evidence for message in messages[:k]))


def recall_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """The share of the evidence among the first ``k`` messages."""
    return len(set(messages[:k]) & set(evidence)) / len(set(evidence))


def session_hit_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1 if any session of the evidence is among the first ``k`` sessions, else 0; ids are ``SESSION:PLACE``.

    It is what LongMemEval's users call the recall@k of sessions (any, not all).
    """
    sessions = list(dict.fromkeys(message.partition(":")[0] for message in messages))
    return hit_at(sessions, {message.partition(":")[0] for message in evidence}, k)


def ndcg_at(messages: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k`` messages, with evidence as gain 1.

    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002; the discount of the
    message at place ``n`` is ``1 / log2(n + 1)``.
    """
    gain = sum(1 / math.log2(place + 1) for place, message in enumerate(messages[:k], 1) if message in evidence)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(evidence))) + 1))
    return gain / ideal


def reciprocal_rank(messages: Sequence[str], evidence: Collection[str]) -> float:
    """One over the place of the first evidence; 0 without any."""
    return next((1 / place for place, message in enumerate(messages, 1) if message in evidence), 0.0)


def recall_within_tokens(results: Sequence[Result], evidence: Collection[str], budget: int) -> float:
    """The share of the evidence that the returned texts tell of, as many as fit into ``budget`` tokens.

    Texts are taken by rank; one that does not fit is left out, and the next is tried.
    """
    left = budget
    found: set[str] = set()
    for result in results:
        if result.tokens <= left:
            left -= result.tokens
            found |= result.covered
    return len(found & set(evidence)) / len(set(evidence))


def tokens_for_messages(results: Sequence[Result], k: int) -> int:
    """The tokens of the results that it takes to see the first ``k`` distinct messages."""
    seen: set[str] = set()
    tokens = 0
    for result in results:
        if len(seen) >= k:
            break
        seen |= set(result.messages)
        tokens += result.tokens
    return tokens


CountTokens = Callable[[str], int]


def ranked_results(response: SearchResponse, count_tokens: CountTokens) -> list[Result]:
    """The places of a response in order of rank, each with its messages and the length of its text."""
    places = {rank: Result(messages, covered, count_tokens(text)) for rank, messages, covered, text in _places(response)}
    return [places[rank] for rank in sorted(places)]


def _places(response: SearchResponse) -> Iterator[tuple[int, tuple[str, ...], frozenset[str], str]]:
    for episode in (*response.episodes, *response.knowledge):
        if episode.rank is not None:
            inside = [(fact.score, fact.said_in) for fact in episode.atomic_facts]
            inside.sort(key=lambda each: -each[0])
            nested = tuple(dict.fromkeys(message for _, messages in inside for message in messages))
            yield episode.rank, nested, frozenset(episode.message_ids), episode.episode
        for fact in episode.atomic_facts:
            if fact.rank is not None:
                yield fact.rank, fact.said_in, frozenset(fact.said_in), fact.atomic_fact
    for message in response.raw_messages:
        if message.rank is not None:
            yield message.rank, (message.message_id,), frozenset((message.message_id,)), message.text
    for foresight in response.foresights:
        if foresight.rank is not None:
            yield foresight.rank, foresight.said_in, frozenset(foresight.said_in), foresight.statement
    for case in response.agent_memory.cases:
        if case.rank is not None:
            text = f"{case.task_intent} {case.approach} {case.key_insight}"
            yield case.rank, case.message_ids, frozenset(case.message_ids), text
    for skill in response.agent_memory.skills:
        if skill.rank is not None:
            yield skill.rank, (), frozenset(), f"{skill.name} {skill.description} {skill.content}"
    for profile in response.profiles:
        if profile.rank is not None:
            items = (*profile.explicit, *profile.implicit)
            cited = tuple(
                dict.fromkeys(message for item in items for mention in item.evidence for message in mention.message_ids)
            )
            yield profile.rank, cited, frozenset(cited), " ".join(item.statement for item in items)
