"""Rows by their conversation, and by their owner: counted from a few columns, in memory. Pure."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mneme.ports import MOST_PEOPLE, Group, Owned, Place
from mneme.rows import Row

GROUPED = ["conversation_id", "at"]
COUNTED = [*GROUPED, "id", "owner_key", "message_ids", "people"]
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
        found = behind(found, found["at_max"], found["conversation_id"], after)
    identities: list[str] = found["conversation_id"].slice(0, limit).to_pylist()
    return identities


def behind(table: pa.Table, times: pa.ChunkedArray, ids: pa.ChunkedArray, place: Place) -> pa.Table:
    """The rows behind a place in a list, newest first, ties by id."""
    moment = pa.scalar(place[0].astimezone(UTC), times.type)
    later = pc.and_(pc.equal(times, moment), pc.greater(ids, place[1]))
    return table.filter(pc.or_(pc.less(times, moment), later))


def newest(table: pa.Table) -> dict[str, tuple[str, str]]:
    """Of each conversation the owner and the id of its newest row; ties by id. ``table`` has the columns ``COUNTED``."""
    ordered = table.sort_by([("at", "ascending"), ("id", "descending")])
    columns = (ordered[name].to_pylist() for name in ("conversation_id", "owner_key", "id"))
    return {conversation: (owner, identity) for conversation, owner, identity in zip(*columns, strict=True)}


def groups(table: pa.Table, newest_rows: Mapping[str, Row]) -> dict[str, Group]:
    """The rows of each conversation.

    Args:
        table: with the columns ``COUNTED``.
        newest_rows: of each conversation its newest row.
    """
    lengths = pc.fill_null(pc.list_value_length(table["message_ids"]), 0)
    counted = table.append_column("messages", lengths).group_by("conversation_id")
    found = counted.aggregate([("at", "count"), ("messages", "sum"), ("at", "min"), ("at", "max")]).to_pylist()
    people = _people(table)
    return {
        each["conversation_id"]: Group(
            conversation_id=each["conversation_id"],
            rows=each["at_count"],
            messages=each["messages_sum"],
            people=people.get(each["conversation_id"], ()),
            first_at=each["at_min"].astimezone(UTC),
            last_at=each["at_max"].astimezone(UTC),
            newest=newest_rows[each["conversation_id"]],
        )
        for each in found
        if each["conversation_id"] in newest_rows
    }


def _people(table: pa.Table) -> dict[str, tuple[str, ...]]:
    """The people of each conversation, those in most rows first; ties by name."""
    people = table["people"].combine_chunks()
    rows = pc.list_parent_indices(people)
    said = pa.table({"in": table["conversation_id"].take(rows), "who": pc.list_flatten(people), "row": rows})
    found = said.group_by(["in", "who"]).aggregate([("row", "count_distinct")])
    found = found.sort_by([("row_count_distinct", "descending"), ("who", "ascending")])
    by_conversation: dict[str, list[str]] = {}
    for conversation, who in zip(found["in"].to_pylist(), found["who"].to_pylist(), strict=True):
        by_conversation.setdefault(conversation, []).append(who)
    return {conversation: tuple(named[:MOST_PEOPLE]) for conversation, named in by_conversation.items()}


def owned(table: pa.Table, limit: int) -> list[Owned]:
    """Count the rows of each owner, that with the latest first. ``table`` has the columns ``OWNED``."""
    found = table.group_by(["owner_type", "owner_id"]).aggregate([("at", "max"), ("at", "count")])
    found = found.sort_by([("at_max", "descending"), ("owner_type", "ascending"), ("owner_id", "ascending")])
    cells: list[dict[str, Any]] = found.slice(0, limit).to_pylist()
    return [Owned(each["owner_type"], each["owner_id"], each["at_count"], each["at_max"].astimezone(UTC)) for each in cells]
