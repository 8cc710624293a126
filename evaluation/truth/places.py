"""The places of a search response, and the first place of a statement. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.metrics import ranked_results
from evaluation.truth.material import Statement
from mneme.records import AtomicFact
from queries.responses import FoundEpisode, SearchResponse


@dataclass(frozen=True, slots=True)
class Place:
    """One place: the messages that it tells of, and its text. An episode tells of the best of what is nested in it."""

    messages: tuple[str, ...]
    text: str


def places_of(response: SearchResponse) -> list[Place]:
    """The places of a response in order of rank."""
    found = response.ranked()
    results = ranked_results(response, len)
    return [
        Place(result.messages[:1] if isinstance(one, FoundEpisode) else result.messages, one.text)
        for one, result in zip(found, results, strict=True)
    ]


def place_of(statement: Statement, places: Sequence[Place]) -> int | None:
    """The first place, from 1, that stands for a statement, or None.

    Where places of its message have its words, the others of this message are other sentences, and do not count.
    """
    of_message = [(at, place) for at, place in enumerate(places, start=1) if statement.message_id in place.messages]
    with_words = [(at, place) for at, place in of_message if has_words(place.text, statement.says)]
    return min((at for at, _ in with_words or of_message), default=None)


def stands_before(first: Statement, other: Statement, places: Sequence[Place]) -> bool:
    """Return whether a statement is found, and before another one; a place that stands for both is none before the other."""
    at, after = place_of(first, places), place_of(other, places)
    return at is not None and (after is None or at < after)


def has_words(text: str, words: str) -> bool:
    """Return whether a text has these words, however they are written."""
    return words.casefold() in text.casefold()


def is_ended(fact: AtomicFact) -> bool:
    """Return whether a fact, or any of its claims, is marked as no longer so."""
    return fact.validity.valid_to is not None or any(claim.valid_to is not None for claim in fact.claims)


def marked_ended(statement: Statement, facts: Sequence[AtomicFact]) -> bool:
    """Return whether the facts that make a statement, or one of their claims, are marked as no longer so."""
    return any(is_ended(fact) for fact in facts_of(statement, facts))


def disturbed(statement: Statement, facts: Sequence[AtomicFact]) -> bool:
    """Return whether what still holds is marked as ended: its whole fact, or the claim that has its words."""
    return any(
        fact.validity.valid_to is not None
        or any(claim.valid_to is not None and has_words(claim.value, statement.says) for claim in fact.claims)
        for fact in facts_of(statement, facts)
    )


def facts_of(statement: Statement, facts: Sequence[AtomicFact]) -> list[AtomicFact]:
    """The facts of a statement's message: those that have its words, or all where none has."""
    of_message = [fact for fact in facts if fact.message_ids[:1] == (statement.message_id,)]
    return [fact for fact in of_message if has_words(fact.atomic_fact, statement.says)] or of_message
