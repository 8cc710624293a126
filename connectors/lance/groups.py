"""Rows by their conversation, and by their owner: counted from a few columns, in memory. Pure."""

from collections import Counter, defaultdict
from datetime import UTC
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mneme.ports import MOST_PEOPLE, Group, Owned, Place
from mneme.rows import Row

GROUPED = ["conversation_id", "at"]
COUNTED = [*GROUPED, "id", "owner_key", "message_ids", "people"]
OWNED = ["owner_type", "owner_id", "at"]

Cells = list[dict[str, Any]]  # some columns of rows


def latest(table: pa.Table, limit: int, after: Place | None) -> list[str]:
    """The conversations with the latest rows, those first, from behind a place.

    Args:
        table: with the columns ``GROUPED``, one row for each.
        limit: how many at most.
        after: the last time and the id of a conversation.
    """
    conversations = table.filter(pc.is_valid(table["conversation_id"])).group_by("conversation_id").aggregate([("at", "max")])
    conversations = conversations.sort_by([("at_max", "descending"), ("conversation_id", "ascending")])
    if after is not None:
        conversations = behind(conversations, conversations["at_max"], conversations["conversation_id"], after)
    identities: list[str] = conversations["conversation_id"].slice(0, limit).to_pylist()
    return identities


def behind(table: pa.Table, times: pa.ChunkedArray, ids: pa.ChunkedArray, place: Place) -> pa.Table:
    """The rows behind a place in a list, newest first, ties by id."""
    moment = pa.scalar(place[0].astimezone(UTC), times.type)
    later = pc.and_(pc.equal(times, moment), pc.greater(ids, place[1]))
    return table.filter(pc.or_(pc.less(times, moment), later))


def by_conversation(table: pa.Table) -> dict[str, Cells]:
    """The rows of each conversation. ``table`` has the columns ``COUNTED``."""
    found: defaultdict[str, Cells] = defaultdict(list)
    for each in table.to_pylist():
        found[each["conversation_id"]].append(each)
    return found


def newest(rows: Cells) -> tuple[str, str]:
    """The owner and the id of the newest of some rows; ties by id."""
    found = max(sorted(rows, key=itemgetter("id")), key=itemgetter("at"))
    return found["owner_key"], found["id"]


def group(rows: Cells, newest_row: Row) -> Group:
    """All about the rows of a conversation. People are those in most rows first, ties by name."""
    people = Counter(who for each in rows for who in set(each["people"] or ()))
    times = [each["at"].astimezone(UTC) for each in rows]
    return Group(
        conversation_id=rows[0]["conversation_id"],
        rows=len(rows),
        messages=sum(len(each["message_ids"] or ()) for each in rows),
        people=tuple(sorted(people, key=lambda who: (-people[who], who))[:MOST_PEOPLE]),
        first_at=min(times),
        last_at=max(times),
        newest=newest_row,
    )


def owned(table: pa.Table, limit: int) -> list[Owned]:
    """Count the rows of each owner, that with the latest first. ``table`` has the columns ``OWNED``."""
    owners = table.group_by(["owner_type", "owner_id"]).aggregate([("at", "max"), ("at", "count")])
    owners = owners.sort_by([("at_max", "descending"), ("owner_type", "ascending"), ("owner_id", "ascending")])
    cells: Cells = owners.slice(0, limit).to_pylist()
    return [Owned(each["owner_type"], each["owner_id"], each["at_count"], each["at_max"].astimezone(UTC)) for each in cells]
