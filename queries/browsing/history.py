"""Everything that is remembered about a person or a thing, and the portrait of an owner."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from mneme.errors import InputError
from mneme.ports import Filter, MemoryIndex, TextLeg
from mneme.records import AtomicFact, Entity, Foresight, Mention, Profile, ProfileItem, Relationship
from mneme.rows import Collection, Row, statement_key
from mneme.text import tokenise
from queries.browsing.lists import all_rows
from queries.browsing.responses import (
    Change,
    History,
    HistoryFact,
    HistoryForesight,
    HistoryLine,
    HistoryRelationship,
    HistoryStatement,
    Link,
    Portrait,
)
from queries.entities.graph import joined
from queries.entities.naming import Naming, naming
from queries.filtering.scope import Scope, profile_rows
from queries.granularity.foresights import repeats
from queries.records import shared_fields

MOST_STATEMENTS = 2_000  # facts, and as many foresights, that share a word with the name: the best by BM25
MOST_NODES = 50_000  # entities and relationships of an owner that are looked through, by id
LEFT_OUT = "there is more: only {:,} {} were looked at"

MOST_CHANGES = 200  # the facts that were said last, of those that something else took the place of


def read_history(index: MemoryIndex, scope: Scope, asked: str) -> History:
    """The history of a person or a thing.

    1. Who is meant: the entities of the owner.
    2. Which statements name it: those that share a word with one of its names, then by whole words.
    3. What superseded them.

    Raises:
        InputError: there is no word in the name, or the scope is narrowed by metadata or kinds.
        StoreError: the index cannot answer.
    """
    if not any(character.isalnum() for character in asked):
        raise InputError("entity: there is no word in it; give a name")
    if scope.is_narrowed:
        raise InputError("filters: metadata and kinds are for a search; a history tells everything of one thing")
    scope = replace(scope, rows=replace(scope.rows, valid_at=None), expired=True)
    # 1.
    whole_owner = replace(
        scope.filter(Collection.GRAPH), since=None, before=None, people=(), conversation_ids=(), document_ids=()
    )
    nodes = list(islice(index.scan(Collection.GRAPH, whole_owner), MOST_NODES))
    records = [row.record() for row in _known(nodes, scope)]
    who = naming(asked, [each for each in records if isinstance(each, Entity)])
    # 2.
    facts, all_facts = _naming_it(index, scope, Collection.FACTS, "fact", who)
    foresights, all_foresights = _naming_it(index, scope, Collection.MEMORIES, "foresight", who)
    # 3.
    told_facts, told_foresights = _told(index, [*facts, *foresights], scope)
    notes = [
        LEFT_OUT.format(limit, what)
        for what, limit, is_all in (
            ("entities and relationships", MOST_NODES, len(nodes) < MOST_NODES),
            ("facts", MOST_STATEMENTS, all_facts),
            ("foresights", MOST_STATEMENTS, all_foresights),
        )
        if not is_all
    ]
    return History(
        asked=asked,
        name=who.entity.name if who.entity else who.asked,
        names=who.names,
        type=who.entity.type if who.entity else "",
        summary=who.entity.summary if who.entity else "",
        others=who.others,
        facts=_in_time(told_facts),
        foresights=_in_time(told_foresights),
        relationships=_in_time(_relationships(records, who), scope.filter(Collection.GRAPH)),  # ``known`` saw to ``as_of``
        profile=_in_time(_lines(index, scope, who), scope.rows),
        notes=tuple(notes),
    )


def _naming_it(index: MemoryIndex, scope: Scope, collection: Collection, kind: str, who: Naming) -> tuple[list[Row], bool]:
    """The statements of a kind that name it, and whether all were looked at."""
    filter = replace(scope.filter(collection), kinds=(kind,))
    tokens = tuple(dict.fromkeys(token for name in (*who.names, *who.parts) for token in tokenise(name)))
    if tokens:
        (hits,) = index.recall([TextLeg(collection, filter, tokens, MOST_STATEMENTS)])
        rows = [hit.row for hit in hits]
    else:  # a name of stop words only ("Will") is not in the index of words
        rows = list(islice(index.scan(collection, filter), MOST_STATEMENTS))
    return [row for row in _known(rows, scope) if who.is_in(_text(row))], len(rows) < MOST_STATEMENTS


def _known(rows: Iterable[Row], scope: Scope) -> list[Row]:
    return [known for row in rows if (known := scope.known(row)) is not None]


def _text(row: Row) -> str:
    return str(row.body.get("atomic_fact") or row.body.get("statement"))


def _link(row: Row) -> Link:
    return Link(id=row.id, text=_text(row), said_at=row.at)


def _told(index: MemoryIndex, rows: Sequence[Row], scope: Scope) -> tuple[list[HistoryFact], list[HistoryForesight]]:
    """Facts and foresights with those that superseded them, which the index is asked for where they name somebody else."""
    records = [record for row in rows if isinstance(record := row.record(), AtomicFact | Foresight)]
    told = {row.id: row for row in rows}
    newer = {each.validity.superseded_by: each.owner.key for each in records if each.validity.superseded_by}
    missing = [statement_key(owner, identity) for identity, owner in newer.items() if identity not in told]
    told |= {row.id: row for row in index.get(missing).values()} if missing else {}
    links = {identity: _link(row) for identity, row in told.items()}

    def fields(entry: type[HistoryStatement], record: AtomicFact | Foresight) -> dict[str, Any]:
        superseded = [each for each in records if each.validity.superseded_by == record.id]
        return shared_fields(entry, record) | {
            "message_ids": tuple(dict.fromkeys((*record.message_ids, *record.validity.also_said_in))),
            "times_said": 1 + len(record.validity.repeated_by),
            "superseded_by": links.get(record.validity.superseded_by or ""),
            "supersedes": tuple(links[each.id] for each in sorted(superseded, key=lambda each: (each.said_at, each.id))),
        }

    facts = [each for each in records if isinstance(each, AtomicFact)]
    over = {row.id for row in rows if row.kind == "foresight" and scope.is_over(row)}
    foresights = [
        HistoryForesight(
            text=each.statement,
            expired=each.id in over,
            told_as_fact=any(repeats(each, fact) for fact in facts if fact.parent_episode_id == each.parent_episode_id),
            **fields(HistoryForesight, each),
        )
        for each in records
        if isinstance(each, Foresight)
    ]
    return [HistoryFact(text=each.atomic_fact, **fields(HistoryFact, each)) for each in facts], foresights


def _relationships(records: Iterable[object], who: Naming) -> list[HistoryRelationship]:
    """Its relationships, each once and by its one name, whatever it was called when they were said."""
    alike: dict[tuple[str, str, str], list[Relationship]] = {}
    for each in records:
        if isinstance(each, Relationship) and (who.is_called(each.source) or who.is_called(each.target)):
            source, target = (
                who.entity.name if who.entity and who.is_called(name) else name for name in (each.source, each.target)
            )
            alike.setdefault((source, each.relation, target), []).append(each)
    return [
        HistoryRelationship(**shared_fields(HistoryRelationship, joined(same)) | {"source": source, "target": target})
        for (source, _, target), same in alike.items()
    ]


def _lines(index: MemoryIndex, scope: Scope, who: Naming) -> list[HistoryLine]:
    """The lines of the owners' portraits that are about it, or name it."""
    lines: dict[tuple[str, str], HistoryLine] = {}
    for row in _known(profile_rows(index, scope.rows), scope):
        profile = row.record()
        assert isinstance(profile, Profile)
        for item, holds in lines_of(profile):
            if who.is_called(item.about) or who.is_in(item.statement):
                lines.setdefault((item.about, item.statement), history_line(item, holds))
    return list(lines.values())


def history_line(item: ProfileItem, holds: bool) -> HistoryLine:
    """A line of a portrait, or what was said and is in none (``holds`` is False)."""
    return HistoryLine(**shared_fields(HistoryLine, item), holds=holds)


In = TypeVar("In", HistoryFact, HistoryForesight, HistoryRelationship, HistoryLine)


def _in_time(entries: Iterable[In], rows: Filter | None = None) -> tuple[In, ...]:
    """The entries, oldest first; of what is made from everything of an owner only those that began in the time of the rows."""
    if rows is not None:
        if rows.people or rows.conversation_ids or rows.document_ids:
            return ()
        entries = [
            each
            for each in entries
            if (rows.since is None or each.at >= rows.since) and (rows.before is None or each.at < rows.before)
        ]
    return tuple(sorted(entries, key=lambda each: each.at))


def read_portrait(index: MemoryIndex, scope: Scope) -> Portrait:
    """The portrait of the owners of a scope, its lines in the order of the profile, and the changes, the latest first.

    Raises:
        InputError: filters that are for a search.
        StoreError: the index cannot answer.
    """
    own = all_rows(scope, "a portrait")
    profiles = [record for row in profile_rows(index, own) if isinstance(record := row.record(), Profile)]
    changes, is_all = _changes(index, own)
    return Portrait(
        owner=own.owner_keys[0],
        updated_at=max((each.created_at for each in profiles), default=None),
        lines=tuple(history_line(item, holds) for each in profiles for item, holds in lines_of(each)),
        changes=changes,
        notes=() if is_all else (f"there are more changes: only those of the latest {MOST_CHANGES} facts are shown",),
    )


def _changes(index: MemoryIndex, rows: Filter) -> tuple[tuple[Change, ...], bool]:
    """The facts that something took the place of, and whether these are all."""
    ended = index.page(Collection.FACTS, replace(rows, kinds=("fact",), ended=True), MOST_CHANGES)
    facts = [record for row in ended if isinstance(record := row.record(), AtomicFact)]
    keys = [statement_key(each.owner.key, each.validity.superseded_by) for each in facts if each.validity.superseded_by]
    newer = {key.id: _link(row) for key, row in index.get(list(dict.fromkeys(keys))).items()}
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


def lines_of(profile: Profile) -> list[tuple[ProfileItem, bool]]:
    """The lines of the portrait (True), then what was said and is in none of them: replaced, or shown too seldom (False)."""
    lines = [(line, True) for line in (*profile.explicit, *profile.implicit)]
    return [*lines, *((item, False) for item in profile.evidence if not is_in_portrait(item, profile))]


def is_in_portrait(item: ProfileItem, profile: Profile) -> bool:
    """True if a piece of evidence is part of a line: by what was said, for the line may word it otherwise."""
    said = {_said(mention) for mention in item.evidence}
    return any(
        (line.about, line.statement) == (item.about, item.statement) or not said.isdisjoint(map(_said, line.evidence))
        for line in (*profile.explicit, *profile.implicit)
    )


def _said(mention: Mention) -> tuple[object, ...]:
    return mention.episode_id, mention.at, mention.text
