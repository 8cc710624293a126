"""Rank current statements above superseded ones. Pure.

Most questions ask for what holds now, but the words of an older statement may fit them better: "Ann works at Google" against
"I start at Stripe on Monday". So in every method

1. a statement fits at least as well as what it superseded (``inherit``), and its episode is looked into as well;
2. of those that are found, the successor stands directly before what it superseded (``in_order``).

The older one moves down by one place and keeps its score: nothing is lost if the question was about it. A question about the
past ("where did Ann work before?", ``Question.about_past``) is ranked without this. Validity belongs to a claim, not to the
statement that makes it (DESIGN section 7): a new job does not supersede the allergy that the old statement tells as well.
Only a claim that the question asks for counts. Where that claim is not known, only a statement that ended as a whole has a
successor.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from math import inf, nextafter

from mneme.records import AtomicFact, Claim, Foresight
from mneme.rows import Row
from queries.compete import Standing
from queries.filtering.scope import Scope
from queries.questions.people import is_asker, names_person
from queries.questions.understand import Question
from queries.records import record_of

Asked = Sequence[tuple[str, str]]
"""(subject, attribute) of what a question asks for: ``mneme.relations.attributes_asked``."""

_ONESELF = frozenset(("", "i", "me", "my", "user", "我"))


def claims_of(row: Row) -> tuple[Claim, ...]:
    """The claims that a row makes."""
    if not row.body.get("claims"):
        return ()
    record = record_of(row)
    return record.claims if isinstance(record, AtomicFact | Foresight) else ()


def is_asked_for(claim: Claim, asked: Asked, asker: str | None) -> bool:
    """True if a claim is of a subject and an attribute that are asked for; ``asker`` is who "I" is."""
    return any(claim.attribute == attribute and _is_same(claim.subject, subject, asker) for subject, attribute in asked)


def successor_of(
    claims: Sequence[Claim], asked: Asked, asker: str | None, moment: datetime | None, of_all: str | None
) -> str | None:
    """The id of what superseded a statement, in what is asked for; None where it still holds.

    Args:
        claims: that it makes.
        asked: what is asked for; where that is not known, or it makes no claim, only what superseded all of it counts.
        asker: who "I" is.
        moment: when it is asked; None where every end that is known counts.
        of_all: what superseded all of it.
    """
    if not (claims and asked):
        return of_all
    for claim in claims:
        ended = claim.valid_to is not None and (moment is None or claim.valid_to <= moment)
        if ended and claim.superseded_by and is_asked_for(claim, asked, asker):
            return claim.superseded_by
    return None


def _is_same(subject: str, asked: str, asker: str | None) -> bool:
    """True if two names mean the same; "I" is who asks."""
    one, other = subject.casefold(), asked.casefold()
    if one == other or (other in _ONESELF and is_asker(subject, asker)):
        return True
    return bool(one and other) and (names_person(asked, subject) or names_person(subject, asked))


def successors(rows: Iterable[Row], scope: Scope, question: Question, asker: str | None) -> dict[str, str]:
    """For each statement among the rows that is superseded in what the question asks for, the id of what superseded it, older
    than the moment asked at; nothing for a question about the past. ``asker`` is who "I" is (``people.asker_among``).
    """
    if question.about_past:
        return {}
    successor_ids = {}
    for row in rows:
        ended = row.valid_to is not None and row.valid_to <= scope.moment
        claims = claims_of(row) if question.asked else ()
        if not (ended or claims):
            continue
        of_all = row.body.get("validity", {}).get("superseded_by") if ended else None
        if successor := successor_of(claims, question.asked, asker, scope.moment, of_all):
            successor_ids[row.id] = successor
    return successor_ids


def inherit(scores: Mapping[str, float], successor: Mapping[str, str]) -> dict[str, float]:
    """The scores, where each statement has at least that of those it superseded, over any number of steps."""
    raised = dict(scores)
    for older in successor:
        if older not in scores:
            continue
        for newer in _line(older, successor):
            if newer in raised:
                raised[newer] = max(raised[newer], scores[older])
    return raised


def behind(scores: Mapping[str, float], successor: Mapping[str, str]) -> dict[str, float]:
    """The scores, where of equal ones a superseded statement has the least bit less: the last place is its successor's."""
    lowered = dict(scores)
    for older in sorted(successor, key=lambda each: len(_line(each, successor))):  # the newest of a line first
        newer = successor[older]
        if older in scores and scores.get(newer) == scores[older]:
            lowered[older] = nextafter(lowered[newer], -inf)
    return lowered


def in_order(
    standings: Sequence[Standing], successor: Mapping[str, str], statement_of: Callable[[Standing], str | None]
) -> list[Standing]:
    """The standings in their order, but each directly behind what superseded it, if that is among them.

    Args:
        standings: best first.
        successor: see ``successors``.
        statement_of: which statement a standing stands for: itself, or for an episode its best fact; None for none.

    Returns:
        The same standings; one that moved up has the score of the one that it was put before, so that scores still fall.
    """
    holder: dict[str, Standing] = {}
    for standing in standings:
        statement = statement_of(standing)
        if statement is not None:
            holder.setdefault(statement, standing)
    ordered: dict[str, Standing] = {}
    for standing in standings:
        line = [holder[each] for each in _line(statement_of(standing) or "", successor) if each in holder]
        for newer in (*reversed(line), standing):
            if newer.id not in ordered:
                ordered[newer.id] = newer._replace(score=max(newer.score, standing.score))
    return list(ordered.values())


def best_first(row: Row, score: float) -> tuple[float, float, str]:
    """Sorts facts: best score first; of equal ones what still holds, then what held longest."""
    return -score, -row.valid_to.timestamp() if row.valid_to else -inf, row.id


def _line(statement: str, successor: Mapping[str, str]) -> list[str]:
    """The chain of successors of a statement."""
    line: list[str] = []
    while (statement := successor.get(statement, "")) and statement not in line:
        line.append(statement)
    return line
