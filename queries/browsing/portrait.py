"""What is known of an owner, with what shows it and what changed: ``Memories.portrait``."""

from dataclasses import replace

from mneme.ids import profile_id
from mneme.ports import Filter, MemoryIndex
from mneme.records import AtomicFact, Profile
from mneme.rows import Collection, Key
from queries.browsing.history import told_line
from queries.browsing.listed import Change, Portrait
from queries.browsing.listing import own_rows
from queries.browsing.told import Link
from queries.filtering.scope import Scope, statement_key
from queries.granularity.portrait import lines_of

MOST_CHANGES = 200  # the facts that were said last, of those that something else took the place of


def read_portrait(index: MemoryIndex, scope: Scope) -> Portrait:
    """The portrait of the owners of a scope, its lines in the order of the profile, and the changes, the latest first.

    Raises:
        InputError: filters that are for a search.
        StoreError: the index cannot answer.
    """
    own = own_rows(scope, "a portrait")
    keys = [Key(Collection.MEMORIES, owner, profile_id(owner)) for owner in own.owner_keys]
    rows = [row for row in index.get(keys).values() if own.is_of_owners(row)]
    profiles = [record for row in rows if isinstance(record := row.record(), Profile)]
    changes, is_all = _changes(index, own)
    return Portrait(
        owner=own.owner_keys[0],
        updated_at=max((each.created_at for each in profiles), default=None),
        lines=tuple(told_line(item, holds) for each in profiles for item, holds in lines_of(each)),
        changes=changes,
        notes=() if is_all else (f"there are more changes: only those of the latest {MOST_CHANGES} facts are shown",),
    )


def _changes(index: MemoryIndex, rows: Filter) -> tuple[tuple[Change, ...], bool]:
    """The facts that something took the place of, and whether these are all."""
    ended = index.page(Collection.FACTS, replace(rows, kinds=("fact",), ended=True), MOST_CHANGES)
    facts = [record for row in ended if isinstance(record := row.record(), AtomicFact)]
    keys = [statement_key(each.owner.key, each.validity.superseded_by) for each in facts if each.validity.superseded_by]
    newer = {
        key.id: Link(id=key.id, text=str(row.body.get("atomic_fact") or row.body.get("statement")), said_at=row.at)
        for key, row in index.get(list(dict.fromkeys(keys))).items()
    }
    changes = [
        Change(
            at=each.validity.valid_to,
            older=Link(id=each.id, text=each.atomic_fact, said_at=each.said_at),
            newer=newer.get(each.validity.superseded_by or ""),
        )
        for each in facts
        if each.validity.valid_to is not None
    ]
    changes.sort(key=lambda each: (each.at, each.older.id), reverse=True)
    return tuple(changes), len(ended) < MOST_CHANGES
