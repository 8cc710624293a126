"""Snapshots of lanes: versioned bytes of references and counters, without texts or pickled classes.

A value is the version, a colon and deflated JSON, or what a step makes of it itself (``split_state``). A step that changes the
form of its state raises its version, and the format of the store with it (mneme/store_format.py): no older form is read.
Items are kept as references, plain values from which an item is read again."""

import json
import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flows.cuts import Cut, Utterance
from flows.items import Erasure, Pause, Reference, Retraction
from flows.lanes.services import Services
from mneme.errors import StoreRejected
from mneme.records import Owner, Position, StoredMessage
from mneme.rows import Collection, Key


def encode_state(version: int, state: Any) -> bytes:
    """A state value from plain JSON values."""
    return b"%d:" % version + zlib.compress(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode(), 1)


def decode_state(value: bytes, version: int) -> Any:
    """The plain values of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is none.
    """
    try:
        return json.loads(zlib.decompress(split_state(value, version)))
    except (ValueError, zlib.error) as error:
        raise StoreRejected(_DAMAGED) from error


def split_state(value: bytes, version: int) -> bytes:
    """The body of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is none.
    """
    head, _, body = value.partition(b":")
    try:
        found = int(head)
    except ValueError as error:
        raise StoreRejected(_DAMAGED) from error
    if found != version:
        raise StoreRejected(
            f"another version of Mneme wrote the recovery store (state {found}, here {version}); use that version, or run "
            "`mneme admin rebuild`"
        )
    return body


_DAMAGED = "the recovery store holds a state value that is not Mneme's; use its own directory"


class MessagesGone(LookupError):
    """The messages that a reference names are no longer in the index: deleted, erased, or refused by it."""


def refer(item: Cut | Retraction | Pause | Erasure) -> Reference:
    """The reference of an item."""
    match item:
        case Cut():
            return {
                "is": "cut",
                "lane": item.lane,
                "id": item.id,
                "owner": owner_values(item.owner),
                "conversation": item.conversation_id,
                "document": item.document_id,
                "ids": [utterance.message.id for utterance in item.utterances],
                "closed_by": item.closed_by,
                "provisional": item.provisional,
                "because": item.begins_because,
            }
        case Retraction():
            return {"is": "retraction", "lane": item.lane, "owner": owner_values(item.owner), "id": item.episode_id}
        case Pause():
            pause = [item.lane, item.reason, item.tenant_id, item.flush_id, item.owner_key, item.bucket]
            return {"is": "pause", "lane": item.lane, "pause": pause}
        case Erasure():
            return {
                "is": "erasure",
                "lane": item.lane,
                "tenant": item.tenant_id,
                "conversation": item.conversation_id,
                "owner": owner_values(item.owner) if item.owner else None,
                "id": item.erasure_id,
                "arrived_at": item.arrived_at.isoformat(),
                "position": item.position.model_dump(),
                "bucket": item.bucket,
                "tokens": item.tokens,
                "document": item.document_id,
                "dated": item.is_dated,
            }


def weight_of(reference: Reference) -> int:
    """The number of messages that are unfinished while this is: those of a cut; anything else counts as one."""
    return len(reference.get("ids", ())) or 1


def referred(reference: Reference) -> Retraction | Pause | Erasure:
    """The retraction, pause or erasure of a reference."""
    if reference["is"] == "retraction":
        return Retraction(reference["lane"], owner_of(reference), reference["id"])
    if reference["is"] == "erasure":
        return Erasure(
            tenant_id=reference["tenant"],
            conversation_id=reference["conversation"],
            owner=owner_of(reference) if reference["owner"] else None,
            erasure_id=reference["id"],
            arrived_at=datetime.fromisoformat(reference["arrived_at"]),
            position=Position.model_validate(reference["position"]),
            bucket=reference["bucket"],
            tokens=reference["tokens"],
            document_id=reference["document"],
            is_dated=reference.get("dated", False),
        )
    return Pause(*reference["pause"])


def owner_of(reference: Reference) -> Owner:
    """The owner of an item."""
    return owner_from(reference["owner"])


def owner_from(values: Sequence[Any]) -> Owner:
    """The owner whose ``owner_values`` these are."""
    tenant_id, owner_type, owner_id = values
    return Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)


def read_cut(reference: Reference, services: Services) -> Cut:
    """The cut of a reference, its messages read from the index. Blocks: for the pool.

    Raises:
        MessagesGone: none of its messages is there.
        StoreUnavailable: the index does not answer.
    """
    owner = owner_of(reference)
    keys = [Key(Collection.MESSAGES, owner.key, identity) for identity in reference["ids"]]
    rows = services.index.get(keys, with_vectors=True)
    utterances = tuple(
        Utterance(record, rows[key].vector)
        for key in keys
        if key in rows and isinstance(record := rows[key].record(), StoredMessage) and not record.deleted
    )
    if not utterances:
        raise MessagesGone(f"the messages of {reference['id']} are no longer in the index; the episode is not made")
    return Cut(
        id=reference["id"],
        owner=owner,
        conversation_id=reference["conversation"],
        document_id=reference["document"],
        utterances=utterances,
        closed_by=reference["closed_by"],
        provisional=reference["provisional"],
        begins_because=tuple(reference["because"]),
    )


def owner_values(owner: Owner) -> list[str]:
    """An owner as plain values."""
    return [owner.tenant_id, owner.type, owner.id]
