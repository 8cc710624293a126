"""The relation of two statements by what they claim. Pure."""

from collections.abc import Sequence

from flows.statements import Pair, Relation


class RuleJudge:
    """Compares claims."""

    looks_around = False

    def judge(self, pairs: Sequence[Pair], scope: str) -> list[Relation]:
        """One relation for each pair."""
        return [_relation(*pair) for pair in pairs]


def _relation(older, newer):  # type: ignore[no-untyped-def]
    if older.claim.about != newer.claim.about:
        return Relation.NEITHER
    if newer.claim.ends:
        return Relation.REPLACES if newer.claim.value in ("", older.claim.value) else Relation.NEITHER
    if older.claim.value == newer.claim.value:
        return Relation.SAME if older.kind == newer.kind else Relation.NEITHER
    return Relation.REPLACES
