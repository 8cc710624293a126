"""Export and import: everything of an owner out of one index, and into another, without a difference.

An owner has the rows under its key in all collections, and the rows that say whose its conversations are. Rows keep their
ids, contents, vectors and versions. Positions in a topic, or an inbox, mean something only to the deployment that reads it: in
an archive they name it, and so they do in every index but its own. There a position is never that of an event of the new
topics, nor before or after one: a message that is sent again is a repetition, and an edit or an erasure reaches it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from connectors.archive import Header, read_archive, write_archive
from connectors.indices import open_index
from connectors.models import open_embedder
from flows.lanes.erasures import tombstone_keys
from flows.lanes.owners import conversation_key, origin_of
from flows.lanes.state import MOST_RUNS, WRITES_PER_RUN
from flows.maintenance.bulk import BATCH, OnProgress, batches
from flows.running.recovery import IMPORT, deployment_of, flows_stopped, refuse_unfinished
from mneme.errors import InputError, StoreRejected
from mneme.ids import conversation_path, document_key, make_id, skill_id
from mneme.ports import EmbedderIdentity, Filter, MemoryIndex, Outcome, Put, Remove
from mneme.records import (
    AgentSkill,
    AnyRecord,
    Cluster,
    Entity,
    Episode,
    Owner,
    Profile,
    Relationship,
    StoredDocument,
    StoredMessage,
)
from mneme.rows import Collection, Key, Row, revised
from mneme.settings import Settings
from mneme.text import TOKENISER
from mneme.times import utc_now

_POSITIONS = ("position", "edited_by", "began_with")
_OF_ITS_RECORD = ("collection", "id", "kind", "conversation_id", "document_id", "parent_id", "agent_id")  # columns


@dataclass(frozen=True, slots=True)
class Transferred:
    """The owner whose memory was carried over, and how many rows of each collection it has."""

    owner: Owner
    rows: dict[Collection, int]


# --- export ----------------------------------------------------------------------------------------------------------


def export_owner(
    owner: Owner, path: Path, settings: Settings, on_progress: OnProgress = lambda done, total: None
) -> Transferred:
    """Write everything of an owner to an archive (connectors/archive.py). A flow may run beside it, if the owner rests.

    Raises:
        InputError: nothing is known of the owner, or the file cannot be written.
        StoreUnavailable: the owner's memory changed meanwhile.
        StoreRejected: a rebuild of the index has not ended.
        StoreError, SettingsError: the index cannot be read.
    """
    with ExitStack() as stack:
        identity = _identity(settings, stack)
        index = stack.enter_context(closing(open_index(settings, read_only=True)))
        index.prepare(identity)
        refuse_unfinished(index.metadata())
        conversations = _conversations(owner, index)
        counts = {collection: index.count(collection, _scope(owner, collection)) for collection in Collection}
        counts[Collection.CONTROL] += len(conversations)
        total = sum(counts.values())
        if not total:
            raise InputError(f"nothing is known of {_named(owner)}; check the name and MNEME_DATA or MNEME_OPENSEARCH__*")
        header = Header(
            owner=owner, embedder=identity.fingerprint, tokeniser=TOKENISER, exported_at=utc_now(), rows=_present(counts)
        )
        named = partial(_with_topics, partial(_abroad, index.metadata()))
        rows = map(named, _rows_of(owner, index, conversations))
        write_archive(path, header, _counted(rows, on_progress, total))
    return Transferred(owner, _present(counts))


def _rows_of(owner: Owner, index: MemoryIndex, conversations: list[Key]) -> Iterator[Row]:
    for collection in Collection:
        yield from index.scan(collection, _scope(owner, collection), with_vectors=True)
    for keys in batches(conversations, BATCH):
        rows = index.get(keys)
        yield from (rows[key] for key in keys if key in rows)


def _conversations(owner: Owner, index: MemoryIndex) -> list[Key]:
    """The keys of the rows of the owner's conversations, those that are there."""
    messages = index.scan(Collection.MESSAGES, _scope(owner, Collection.MESSAGES))
    named = {row.conversation_id for row in messages if row.conversation_id is not None}
    keys = [conversation_key(owner.tenant_id, each) for each in sorted(named)]
    return [key for part in batches(keys, BATCH) for found in (index.get(part),) for key in part if key in found]


def _scope(owner: Owner, collection: Collection) -> Filter:
    # The rest of control is not the owner's, or on its way.
    kinds = ("cluster", "document") if collection is Collection.CONTROL else ()
    return Filter(owner.tenant_id, (owner.key,), (owner.id,), kinds=kinds, hidden=True)


# --- import ----------------------------------------------------------------------------------------------------------


def import_owner(
    path: Path, settings: Settings, lift_erasures: bool = False, on_progress: OnProgress = lambda done, total: None
) -> Transferred:
    """Bring an archive into the index. Nothing is written unless the whole file is sound and may come in.

    1. Read all of it: the file is whole, its rows are the owner's, nothing of the owner is here, nothing of it was erased here.
    2. Raise the index's run to that of the newest row, so that what a flow writes later is newer; note what has begun.
    3. Write the rows. An import that is interrupted here goes on when it is repeated.

    Args:
        path: the archive.
        settings: of the index.
        lift_erasures: take away the tombstones that keep the owner, its conversations or its documents, out.
        on_progress: called with rows done and rows in all, each counted twice: read, and written.

    Raises:
        InputError: the file is no whole archive.
        StoreRejected: it does not fit this index, the owner is known here, was erased here, or a flow runs.
        StoreError, SettingsError: the index cannot be used.
    """
    with ExitStack() as stack:
        stack.enter_context(flows_stopped(settings))
        identity = _identity(settings, stack)
        with read_archive(path) as archive:
            header = archive.header
        _fits(path, header, identity)
        index = stack.enter_context(closing(open_index(settings)))
        index.prepare(identity)
        refuse_unfinished(index.metadata())
        index.refresh()
        total = sum(header.rows.values())
        # 1.
        begun = f"{header.owner.key}@{header.exported_at.isoformat()}"
        is_repeated = index.metadata().get(IMPORT) == begun
        if not is_repeated:
            _nothing_is_known(header.owner, index)
        tombstones: set[Key] = set()
        newest = 0
        with read_archive(path) as archive:
            for rows in batches(_counted(archive.rows, on_progress, 2 * total), BATCH):
                for row in rows:
                    _check(path, row, header.owner, identity)
                _conversations_are_free(rows, header.owner, index, is_repeated)
                named = {(row.conversation_id, row.document_id) for row in rows}
                keys = {key for each in named for key in tombstone_keys(header.owner, *each)}
                tombstones |= index.get(list(keys)).keys()
                newest = max(newest, *(row.version for row in rows))
        if tombstones and not lift_erasures:
            raise StoreRejected(
                f"{_named(header.owner)}, or a conversation or document of it, was erased here; --force brings it back all "
                "the same: the erasure is taken back, and events that are still in the topics count again"
            )
        # 2.
        run = max(int(index.metadata().get("run", "0")), newest // WRITES_PER_RUN)
        index.set_metadata({"run": str(run), IMPORT: begun})
        index.write([Remove(key, row.version) for key, row in index.get(sorted(tombstones, key=str)).items()])
        # 3.
        at_home = partial(_with_topics, partial(_at_home, index.metadata()))
        with read_archive(path) as archive:
            for rows in batches(_counted(archive.rows, on_progress, 2 * total, total), BATCH):
                _write(list(map(at_home, rows)), index)
        index.refresh()
        index.set_metadata({IMPORT: ""})
    return Transferred(header.owner, _present(header.rows))


def _fits(path: Path, header: Header, identity: EmbedderIdentity) -> None:
    if header.embedder != identity.fingerprint:
        raise StoreRejected(
            f"{path}: its vectors are of the embedder {header.embedder}, and {identity.fingerprint} is set; set "
            "MNEME_EMBEDDER__* to that of the export, with an index of its own if this one has another"
        )
    if header.tokeniser != TOKENISER:
        raise StoreRejected(
            f"{path}: was written with the tokeniser {header.tokeniser!r}, and this program has {TOKENISER!r}; use "
            "the same version"
        )


def _nothing_is_known(owner: Owner, index: MemoryIndex) -> None:
    rows = sum(index.count(collection, _scope(owner, collection)) for collection in Collection)
    if rows:
        raise StoreRejected(
            f"{_named(owner)} has {rows} rows here, and an import does not mix memories. If this file was imported before, it "
            "is here already; else erase the owner here first, or import into another index"
        )


def _conversations_are_free(rows: list[Row], owner: Owner, index: MemoryIndex, is_repeated: bool) -> None:
    named = {row.conversation_id for row in rows if row.conversation_id is not None}  # also those that have no row here
    found = index.get([conversation_key(owner.tenant_id, each) for each in sorted(named)])
    for row in found.values():
        origin = origin_of(row)
        if origin is not None and (origin.owner != owner or not is_repeated):
            raise StoreRejected(
                f"conversation {row.conversation_id!r} is known here already, as one of {_named(origin.owner)}; a tenant has "
                "one conversation of a name: import into another index"
            )


def _check(path: Path, row: Row, owner: Owner, identity: EmbedderIdentity) -> None:
    """A file that was put together by hand must not bring in rows of anybody else."""
    try:
        if row.kind == "conversation":
            origin = origin_of(row)
            is_sound = row.key == conversation_key(owner.tenant_id, row.conversation_id or "") and (
                origin is not None and origin.owner == owner and row.tenant_id == owner.tenant_id
            )
        else:
            record = row.record()
            is_sound = (row.tenant_id, row.owner_key, row.owner_type, row.owner_id) == (
                *(owner.tenant_id, owner.key, owner.type, owner.id),
            ) and (record.owner == owner and _belongs(row, record) and _is_in_its_place(record))
    except (ValidationError, KeyError):
        is_sound = False
    if row.vector is not None:
        is_sound = is_sound and row.vector.shape == (identity.dimension,) and bool(np.isfinite(row.vector).all())
    if row.token_vectors:
        is_sound = is_sound and bool(identity.token_dimension) and len(row.token_vectors) % identity.token_dimension == 0
    if not is_sound or row.version >= MOST_RUNS * WRITES_PER_RUN:
        raise InputError(
            f"{path}: {row.id} is no sound row of {_named(owner)}; give a file that `mneme admin export` wrote, unchanged"
        )


def _belongs(row: Row, record: AnyRecord) -> bool:
    """Return whether a row is one of this record: of this id, in this collection, found by these names."""
    made = revised(row, record)
    return all(getattr(made, name) == getattr(row, name) for name in _OF_ITS_RECORD)


def _is_in_its_place(record: AnyRecord) -> bool:
    """Return whether the id is one that its owner's record can have.

    OpenSearch keeps one row of an id: with an id of somebody else's it would take that one's place.
    """
    owner, lanes = record.owner, []
    if record.document_id is not None:
        lanes.append(document_key(owner.key, record.document_id))
    if record.conversation_id is not None:
        lanes.append(conversation_path(owner.tenant_id, record.conversation_id))
    match record:
        case StoredDocument():
            return record.id in lanes
        case StoredMessage():
            return record.id in [f"{lane}/{make_id(record.message_id)}" for lane in lanes]
        case Cluster() | Entity() | Relationship() | Profile():
            return re.fullmatch("/[kerp](/.*)?", record.id.removeprefix(owner.key)) is not None
        case AgentSkill():
            tenant = make_id(owner.tenant_id)
            return record.id in map(skill_id, record.source_case_ids) and record.id.startswith(f"{tenant}/")
        case Episode():
            return any(record.id.startswith(f"{lane}/") for lane in lanes)
        case _:
            parent = f"{record.parent_episode_id}/"
            return record.id.startswith(parent) and any(parent.startswith(f"{lane}/") for lane in lanes)


def _write(rows: list[Row], index: MemoryIndex) -> None:
    for row, result in zip(rows, index.write([Put(row) for row in rows]), strict=True):
        if result.outcome is Outcome.NEWER_EXISTS:
            raise StoreRejected(
                f"{row.id}: the index has, or removed within the last hour, a newer version of this row; an index remembers "
                "removals for an hour: repeat the import then"
            )
        if result.outcome is Outcome.REJECTED:
            raise StoreRejected(f"{row.id}: the index refuses this row: {result.reason}")


# --- positions -------------------------------------------------------------------------------------------------------


def _abroad(metadata: Mapping[str, str], topic: str) -> str:
    """A topic with the deployment it is of; files are the same everywhere."""
    deployment = deployment_of(metadata, topic)
    return topic if deployment is None or ":" in topic else f"{deployment}:{topic}"  # no topic of Kafka has a colon


def _at_home(metadata: Mapping[str, str], topic: str) -> str:
    """A topic as its deployment itself calls it."""
    deployment, _, own = topic.rpartition(":")
    return own if deployment and deployment == deployment_of(metadata, own) else topic


def _with_topics(rename: Callable[[str], str], row: Row) -> Row:
    if row.collection is not Collection.MESSAGES and row.kind not in ("conversation", "document"):
        return row
    positions = {name: row.body[name] for name in _POSITIONS if row.body.get(name) is not None}
    renamed = {name: {**position, "topic": rename(position["topic"])} for name, position in positions.items()}
    return replace(row, body={**row.body, **renamed})


# --- small parts -----------------------------------------------------------------------------------------------------


def _identity(settings: Settings, stack: ExitStack) -> EmbedderIdentity:
    return stack.enter_context(closing(open_embedder(settings))).identity


def _present(counts: dict[Collection, int]) -> dict[Collection, int]:
    return {collection: counts[collection] for collection in Collection if counts.get(collection)}


def _named(owner: Owner) -> str:
    return f"{owner.type} {owner.id!r} of tenant {owner.tenant_id!r}"


def _counted(rows: Iterable[Row], on_progress: OnProgress, total: int, done: int = 0) -> Iterator[Row]:
    for number, row in enumerate(rows, start=done + 1):
        yield row
        on_progress(number, total)
