"""What became of each statement by a judge that compares them pair by pair: a pure function of those that survive.

The statements are taken in the order in which they were said (ties by id). Each newer one is compared with those that
stand:
1. ``REPLACES``: the older is no longer so from then on; it stays as history.
2. ``SAME``: the newer repeats the older, which stands for it; its sources join the older's. Compared with what stands
   only, so what is said again after it was replaced is news again.
3. Otherwise both stand.

Each is compared with the newest 1,000 that stand. Nothing else enters: no order of arrival, nothing that was decided before.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from flows.consistency.statements import Judge, Pair, Relation, Statement
from mneme.labels import joined
from mneme.records import Validity

_MOST_COMPARED = 1_000  # as many statements as are settled together at most (pairs.py), beside those that just came


def validities(statements: Iterable[Statement], relation: Callable[[Statement, Statement], Relation]) -> dict[str, Validity]:
    """The validity of each statement, by its id.

    Args:
        statements: of one owner, in any order.
        relation: what a newer statement (second) does to an older one (first).
    """
    stands: list[Statement] = []
    became: dict[str, Validity] = {}
    for newer in sorted(statements, key=lambda each: each.place):
        original: Statement | None = None
        replaced: list[Statement] = []
        for older in stands[-_MOST_COMPARED:]:
            match relation(older, newer):
                case Relation.SAME:
                    original = original or older
                case Relation.REPLACES:
                    replaced.append(older)
                case Relation.NEITHER:
                    pass
        if original in replaced:
            original = None
        for older in replaced:
            stands.remove(older)
            became[older.id] = _with(became[older.id], valid_to=_from_then_on(newer), superseded_by=(original or newer).id)
        if original is None:
            became[newer.id] = _standing(newer)
            stands.append(newer)
        else:
            became[newer.id] = _with(_standing(newer), merged_into=original.id)
            before = became[original.id]
            said_in = (*before.also_said_in, *(each for each in newer.message_ids if each not in original.message_ids))
            became[original.id] = _with(
                before,
                repeated_by=(*before.repeated_by, newer.id),
                also_said_in=tuple(dict.fromkeys(said_in)),
                also_metadata=joined([before.also_metadata, newer.metadata]),
            )
    return became


def judged_validities(
    groups: Iterable[Sequence[Statement]], compared: Callable[[Statement, Statement], bool], judge: Judge, scope: str
) -> dict[str, Validity]:
    """``validities`` of several groups with one judge, which is asked about many pairs at once: it is paid by call.

    Which pairs are needed depends on the answers, so: fold as if unknown pairs were unrelated, ask about all unknown
    pairs that came up, and fold the groups in which they did again, until none is unknown.

    Args:
        groups: statements of one owner, in any order; those of different groups are unrelated.
        compared: whether two statements of a group are compared at all; else they are unrelated too.
        judge: decides about the pairs.
        scope: see ``Judge.judge``.

    Raises:
        ModelError: from a judge that calls a model.
    """
    ahead = list(groups)
    became: dict[str, Validity] = {}
    known: dict[tuple[str, str], Relation] = {}
    unknown: list[Pair] = []

    def relation(older: Statement, newer: Statement) -> Relation:
        if not compared(older, newer):
            return Relation.NEITHER
        found = known.get((older.id, newer.id))
        if found is None:
            unknown.append((older, newer))
        return found or Relation.NEITHER

    while ahead:
        open_groups = []
        for group in ahead:
            asked = len(unknown)
            became |= validities(group, relation)
            if len(unknown) > asked:
                open_groups.append(group)
        if unknown:
            for (older, newer), answer in zip(unknown, judge.judge(unknown, scope), strict=True):
                known[older.id, newer.id] = answer
            unknown.clear()
        ahead = open_groups
    return became


def _standing(statement: Statement) -> Validity:
    return Validity(valid_from=statement.event_at or statement.said_at)


def _from_then_on(newer: Statement) -> datetime:
    """When the newer took the older's place: when it was said, or when it begins where that lies ahead."""
    begins = newer.said_at if newer.is_plan else newer.event_at or newer.said_at
    return max(newer.said_at, begins)


def _with(validity: Validity, **changes: object) -> Validity:
    return validity.model_copy(update=changes)
