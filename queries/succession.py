"""What is so before what was so: a statement that superseded another never stands behind it. Pure.

A question mostly asks for what is so now, but the words of an older statement may fit it better: "Ann works at Google"
against "I start at Stripe on Monday". So in every method

1. a statement fits at least as well as what it superseded (``inherit``), and its episode is looked into as well;
2. of those that are found, what superseded another stands directly before it (``in_order``).

The older one moves down by one place and keeps its score: nothing is lost if the question was about it. A question
about the past ("where did Ann work before?", ``Question.about_past``) is ranked without this. Where a statement makes claims,
only one that the question asks for counts: a new job is no successor to the allergy that the old statement tells as well.
Where it is not known what the question asks for, only a statement that ended as a whole has a successor.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf

from mneme.rows import Row
from queries.claims import claims_of, successor_of
from queries.compete import Standing
from queries.filtering.scope import Scope
from queries.questions.understand import Question


def successors(rows: Iterable[Row], scope: Scope, question: Question) -> dict[str, str]:
    """For each statement among the rows that is superseded in what the question asks for, the id of what superseded it, older
    than the moment asked at; nothing for a question about the past.
    """
    if question.about_past:
        return {}
    found = {}
    for row in rows:
        of_all = row.body.get("validity", {}).get("superseded_by") if scope.is_superseded(row) else None
        claims = claims_of(row) if question.asked else ()
        if successor := successor_of(claims, question.asked, question.owner, scope.moment, of_all):
            found[row.id] = successor
    return found


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
                ordered[newer.id] = replace(newer, score=max(newer.score, standing.score))
    return list(ordered.values())


def best_first(row: Row, score: float) -> tuple[float, float, str]:
    """Sorts facts: best score first; of equal ones what still holds, then what held longest."""
    return -score, -row.valid_to.timestamp() if row.valid_to else -inf, row.id


def _line(statement: str, successor: Mapping[str, str]) -> list[str]:
    """What superseded a statement, what superseded that, and so on."""
    line: list[str] = []
    while (statement := successor.get(statement, "")) and statement not in line:
        line.append(statement)
    return line
