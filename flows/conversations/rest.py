"""A conversation at rest: references and counters without texts, and back."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.conversations.conversation import Change, Conversation, Held, Limits
from flows.cuts import Utterance
from flows.items import Amended, Embedded, Erasure, Pause
from flows.references import refer
from flows.services import Services
from mneme.ids import message_id
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key
from mneme.times import from_milliseconds, to_milliseconds

Resting = dict[str, Any]
Waiting = Pause | Erasure | Embedded | Amended  # for the pool

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What a conversation that rested is about."""

    held: list[Held]
    undecided: list[Utterance]
    episode: list[Utterance]
    changes: dict[str, Change]


def rest(conversation: Conversation, waking: Resting | None) -> Resting:
    """A conversation without its texts; ``waking`` is what it was, where they are not read yet."""
    owner = conversation.owner
    held = [[held.utterance.message.message_id, to_milliseconds(held.arrived_at)] for held in conversation.held]
    before: Resting = waking or {"held": [], "changes": []}
    return {
        "owner": [owner.tenant_id, owner.type, owner.id],
        "conversation": conversation.conversation_id,
        "held": [*before["held"], *held],
        "undecided": before.get("undecided") or [utterance.message.message_id for utterance in conversation.undecided],
        "episode": before.get("episode") or [utterance.message.message_id for utterance in conversation.episode],
        "because": conversation.begins_because,
        "provisional": conversation.provisional,
        "doubtful": sorted(conversation.doubtful),
        "changes": list(dict.fromkeys([*before["changes"], *conversation.changes])),
        "forgotten": conversation.forgotten,
        "touched": to_milliseconds(conversation.touched_at) if conversation.touched_at else None,
    }


def with_waiting(resting: Resting, waiting: Sequence[Waiting], now: datetime) -> Resting:
    """A conversation at rest with what waits for the pool; the messages among it arrived ``now``."""
    pauses = [refer(item) for item in waiting if isinstance(item, Pause | Erasure)]
    held = [[item.utterance.message.message_id, to_milliseconds(now)] for item in waiting if isinstance(item, Embedded)]
    changes = [item.utterance.message.message_id for item in waiting if isinstance(item, Amended)]
    return resting | {
        "waiting": pauses,
        "held": [*resting["held"], *held],
        "changes": list(dict.fromkeys([*resting["changes"], *changes])),
    }


def owner_at_rest(resting: Resting) -> Owner:
    """Whose a conversation at rest is."""
    tenant_id, owner_type, owner_id = resting["owner"]
    return Owner(tenant_id=tenant_id, type=owner_type, id=owner_id)


def after_a_crash(resting: Resting) -> Resting:
    """A conversation as its state tells it, when the process that wrote it may have got further than it says."""
    return resting | {
        "provisional": dict.fromkeys(resting["provisional"], (0, ())),
        "doubtful": [*resting["episode"], *resting["undecided"], *dict(resting["held"])],
    }


def without_texts(lane: str, resting: Resting, limits: Limits) -> Conversation:
    """A conversation that goes on, before its texts are there."""
    return Conversation(
        lane,
        owner_at_rest(resting),
        resting["conversation"],
        limits,
        begins_because=tuple(resting["because"]),
        provisional={identity: (count, tuple(because)) for identity, (count, because) in resting["provisional"].items()},
        doubtful=set(resting.get("doubtful", ())),
        forgotten=resting["forgotten"],
        touched_at=from_milliseconds(resting["touched"]) if resting["touched"] is not None else None,
    )


def read_texts(conversation: Conversation, resting: Resting, services: Services) -> Texts:
    """The messages of a conversation that rested, as they are now. Blocks: for the pool.

    Changes that were at work may have been worked in by a process that died: they count as replayed.

    Raises:
        StoreUnavailable: the index does not answer.
    """
    owner, held = conversation.owner, dict(resting["held"])
    keys = {
        caller_id: Key(Collection.MESSAGES, owner.key, message_id(owner.tenant_id, conversation.conversation_id, caller_id))
        for caller_id in [*resting["episode"], *resting["undecided"], *held, *resting["changes"]]
    }
    rows = services.index.get(list(keys.values()), with_vectors=True)

    def read(caller_ids: Iterable[str], deleted: bool = False) -> Iterator[Utterance]:
        for caller_id in caller_ids:
            row = rows.get(keys[caller_id])
            if row is None:  # erased meanwhile, or refused by the index and in the dead letters
                log.warning("message %s of %s is no longer in the index", caller_id, conversation.lane)
            elif isinstance(message := row.record(), StoredMessage) and (deleted or not message.deleted):
                yield Utterance(message, row.vector)

    return Texts(
        held=[Held(utterance, from_milliseconds(held[utterance.message.message_id])) for utterance in read(held)],
        undecided=list(read(resting["undecided"])),
        episode=list(read(resting["episode"])),
        changes={u.message.message_id: Change(u, replayed=True) for u in read(resting["changes"], deleted=True)},
    )
