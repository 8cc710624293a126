"""The relation of two statements by what they claim. Pure, and rather too careful: a wrong REPLACES hides what is true."""

from collections.abc import Sequence
from datetime import timedelta

from flows.consistency.claims.attributes import adds_nothing, is_news
from flows.consistency.claims.values import Agreement, agreement, is_moved, parts
from flows.consistency.statements import Pair, Relation, Statement

_LONG_AGO = timedelta(days=365)  # what happened longer before it was told says nothing of the present
_PASSING = ("none", "seeks")  # what a new value ends


class RuleJudge:
    """Compares the claims of statements.

    Of two about the same, in this order:
    1. What is told of long ago, and a plan whose day was over when the newer was said, is history: both stand.
    2. An ending replaces what it ends; of another value it is news of its own.
    3. The same value is the same again, if the newer has no more to say (so nothing is lost by merging it) and both are
       facts or both foresights.
    4. Another value replaces the older one; of two plans only when the newer says that it is the same one.
    """

    looks_around = False

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        """One relation for each pair, in order; ``scope`` is not needed: nothing is kept."""
        return [relation(*pair) for pair in pairs]


def relation(older: Statement, newer: Statement) -> Relation:
    """What a newer statement does to an older one."""
    before, after = older.claim, newer.claim
    if before.about != after.about or set(newer.message_ids) <= set(older.message_ids):
        return Relation.NEITHER  # one message says several things, none of them against another
    if before.about.startswith("said|"):
        return _again(older, newer)
    if _history(older) or _history(newer) or _is_past_plan(older, newer):
        return Relation.NEITHER
    agreed = agreement(before.value, after.value)
    if after.ends:
        if before.ends:
            return _again(older, newer) if before.value == after.value else Relation.NEITHER
        ended = agreed is Agreement.EQUAL or (agreed is Agreement.COMPATIBLE and _ends_any(newer))
        return Relation.REPLACES if after.value == "" or ended else Relation.NEITHER
    if before.ends:
        return Relation.NEITHER  # what ended has ended, whatever came after
    if "seeks" in parts(after.value).values():
        return _again(older, newer)
    if before.value in _PASSING and after.value not in _PASSING:
        return Relation.REPLACES
    if after.value == "none":
        return Relation.REPLACES if before.value not in _PASSING else _again(older, newer)
    if agreed is Agreement.DIFFERENT or (is_moved(after.value) and agreed is not Agreement.EQUAL):
        return Relation.REPLACES if is_news(before.about, newer.text, before.value, after.value) else Relation.NEITHER
    return _again(older, newer) if agreed is Agreement.EQUAL else Relation.NEITHER


def _ends_any(newer: Statement) -> bool:
    """Whether an ending that says more than is known of the older means it all the same: the name of a partner, the hour of
    a plan; but what is off "next week" may be another time of the same."""
    return newer.claim.about.endswith("|partner") or (
        newer.claim.about.startswith("plan|") and "around" not in parts(newer.claim.value)
    )


def _again(older: Statement, newer: Statement) -> Relation:
    """Whether it is only said again."""
    if older.kind != newer.kind or not adds_nothing(older.text, newer.text):
        return Relation.NEITHER
    return Relation.SAME


def _history(statement: Statement) -> bool:
    if statement.claim.about.startswith("plan|") or statement.event_at is None:
        return False
    return statement.said_at - statement.event_at > _LONG_AGO and " since " not in statement.text


def _is_past_plan(older: Statement, newer: Statement) -> bool:
    """Whether the day of the older plan was over when the newer was said: another has the same name."""
    if older.event_at is None or not older.claim.about.startswith("plan|") or "day" not in parts(older.claim.value):
        return False
    return newer.said_at - older.event_at > timedelta(days=1)
