"""Rows by their conversation, and by their owner: counted from a few columns, in memory. Pure."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mneme.ports import MOST_PEOPLE, Group, Owned, Place
from mneme.rows import Row

GROUPED = ["id", "owner_key", "conversation_id", "at"]
COUNTED = [*GROUPED, "message_ids", "people"]
OWNED = ["owner_type", "owner_id", "at"]


def latest(table: pa.Table, limit: int, after: Place | None) -> list[str]:
    """The conversations with the latest rows, those first, from behind a place.

    Args:
        table: with the columns ``GROUPED``, one row for each.
        limit: how many at most.
        after: the last time and the id of a conversation.
    """
    found = table.filter(pc.is_valid(table["conversation_id"])).group_by("conversation_id").aggregate([("at", "max")])
    found = found.sort_by([("at_max", "descending"), ("conversation_id", "ascending")])
    if after is not None:
        moment = pa.scalar(after[0].astimezone(UTC), found["at_max"].type)
        later = pc.and_(pc.equal(found["at_max"], moment), pc.greater(found["conversation_id"], after[1]))
        found = found.filter(pc.or_(pc.less(found["at_max"], moment), later))
    identities: list[str] = found["conversation_id"].slice(0, limit).to_pylist()
    return identities


def newest(table: pa.Table) -> dict[str, tuple[str, str]]:
    """Of each conversation the owner and the id of its newest row; ties by id. ``table`` has the columns ``GROUPED``."""
    ordered = table.sort_by([("at", "ascending"), ("id", "descending")])
    columns = (ordered[name].to_pylist() for name in ("conversation_id", "owner_key", "id"))
    return {conversation: (owner, identity) for conversation, owner, identity in zip(*columns, strict=True)}


def groups(table: pa.Table, order: list[str], newest_rows: Mapping[str, Row]) -> list[Group]:
    """The rows of each conversation.

    Args:
        table: with the columns ``COUNTED``.
        order: the conversations.
        newest_rows: of each its newest row.
    """
    rows: Counter[str] = Counter()
    messages: Counter[str] = Counter()
    people: dict[str, Counter[str]] = {each: Counter() for each in order}
    times: dict[str, list[datetime]] = {each: [] for each in order}
    for cells in table.select(["conversation_id", "at", "message_ids", "people"]).to_pylist():
        conversation = cells["conversation_id"]
        rows[conversation] += 1
        messages[conversation] += len(cells["message_ids"] or ())
        people[conversation].update(set(cells["people"] or ()))
        times[conversation].append(cells["at"])
    return [
        Group(
            conversation_id=each,
            rows=rows[each],
            messages=messages[each],
            people=tuple(sorted(people[each], key=lambda person: (-people[each][person], person)))[:MOST_PEOPLE],
            first_at=min(times[each]).astimezone(UTC),
            last_at=max(times[each]).astimezone(UTC),
            newest=newest_rows[each],
        )
        for each in order
        if each in newest_rows
    ]


def owned(table: pa.Table, limit: int) -> list[Owned]:
    """How much there is of each owner, that with the latest first. ``table`` has the columns ``OWNED``."""
    found = table.group_by(["owner_type", "owner_id"]).aggregate([("at", "max"), ("at", "count")])
    found = found.sort_by([("at_max", "descending"), ("owner_type", "ascending"), ("owner_id", "ascending")])
    cells: list[dict[str, Any]] = found.slice(0, limit).to_pylist()
    return [Owned(each["owner_type"], each["owner_id"], each["at_count"], each["at_max"].astimezone(UTC)) for each in cells]
