"""A conversation at rest: references and counters without texts, and back."""

import json
import logging
import struct
import zlib
from collections import UserDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from flows.conversations.conversation import Change, Conversation, HeldMessage
from flows.cuts import Utterance
from flows.items import Amended, Embedded, Erasure, Pause, owner_of, owner_values, refer
from flows.lanes.scheduling import end_of_traceback
from flows.lanes.services import Services
from flows.lanes.state import split_state
from mneme.errors import StoreRejected
from mneme.ids import message_id
from mneme.ports import DeadLetter
from mneme.records import StoredMessage
from mneme.rows import Collection, Key
from mneme.settings import Boundaries
from mneme.times import from_milliseconds, to_milliseconds

Dormant = dict[str, Any]
QueuedItem = Pause | Erasure | Embedded | Amended  # for the pool

log = logging.getLogger(__name__)


def to_dormant(conversation: Conversation, waking: Dormant | None) -> Dormant:
    """A conversation without its texts; ``waking`` is what it was, where they are not read yet."""
    held = [[held.utterance.message.message_id, to_milliseconds(held.arrived_at)] for held in conversation.held]
    before: Dormant = waking or {"held": [], "changes": []}
    return {
        "owner": owner_values(conversation.owner),
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


def with_queued(resting: Dormant, waiting: Sequence[QueuedItem], now: datetime) -> Dormant:
    """A conversation at rest with what waits for the pool; the messages among it arrived ``now``."""
    pauses = [refer(item) for item in waiting if isinstance(item, Pause | Erasure)]
    held = [[item.utterance.message.message_id, to_milliseconds(now)] for item in waiting if isinstance(item, Embedded)]
    changes = [item.utterance.message.message_id for item in waiting if isinstance(item, Amended)]
    return resting | {
        "waiting": pauses,
        "held": [*resting["held"], *held],
        "changes": list(dict.fromkeys([*resting["changes"], *changes])),
    }


def after_a_crash(resting: Dormant) -> Dormant:
    """A conversation as its state tells it, when the process that wrote it may have got further than it says."""
    return resting | {
        "provisional": dict.fromkeys(resting["provisional"], (0, ())),
        "doubtful": [*resting["episode"], *resting["undecided"], *dict(resting["held"])],
    }


def from_dormant(lane: str, resting: Dormant, limits: Boundaries) -> Conversation:
    """A conversation that goes on, before its texts are there."""
    return Conversation(
        lane,
        owner_of(resting),
        resting["conversation"],
        limits,
        begins_because=tuple(resting["because"]),
        provisional={identity: (count, tuple(because)) for identity, (count, because) in resting["provisional"].items()},
        doubtful=set(resting.get("doubtful", ())),
        forgotten=resting["forgotten"],
        touched_at=from_milliseconds(resting["touched"]) if resting["touched"] is not None else None,
    )


def read_texts(conversation: Conversation, resting: Dormant, services: Services) -> Conversation:
    """A conversation that rested, with its messages as they are now. Blocks: for the pool.

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

    return replace(
        conversation,
        held=[HeldMessage(utterance, from_milliseconds(held[utterance.message.message_id])) for utterance in read(held)],
        undecided=list(read(resting["undecided"])),
        episode=list(read(resting["episode"])),
        changes={u.message.message_id: Change(u, replayed=True) for u in read(resting["changes"], deleted=True)},
    )


STATE_VERSION = 3
_HEAD = struct.Struct(">qqHI")
_NEVER, _AT_ONCE = 0, 1  # instead of times, in milliseconds
_USUAL = (  # what most parts have in common is not in them; a part cannot be read with another, so it changes with the version
    b'["":false,"touched":nullheld":[[""changes":[],"forgotten":false,"waiting":[],"doubtful":[],"provisional":{"/"],'
    b'"because":["start"],"pause of min, new subject, other words,"limit",undecided":["","episode":["{"owner":["default",'
    b'"user","conversation":"","held":[],"undecided":["'
)
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class DormantConversations(MutableMapping[str, Dormant]):
    """Conversations at rest, those that were laid down last at the end.

    Those of an earlier process (``from_state``) are given out as they are after a crash.
    """

    def __init__(self) -> None:
        self._parts: dict[str, bytes] = {}
        self._earlier: set[str] = set()

    def __getitem__(self, lane: str) -> Dormant:
        resting = _body_of(self._parts[lane])
        return after_a_crash(resting) if lane in self._earlier else resting

    def __setitem__(self, lane: str, resting: Dormant) -> None:
        self._parts[lane] = part_of(lane, resting)
        self._earlier.discard(lane)

    def __delitem__(self, lane: str) -> None:
        del self._parts[lane]
        self._earlier.discard(lane)

    def __contains__(self, lane: object) -> bool:
        return lane in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def is_shown(self, lane: str) -> bool:
        """Return whether a conversation rests with nothing left to show."""
        return lane in self._parts and _HEAD.unpack_from(self._parts[lane])[0] == _NEVER

    def due(self, lane: str, hold_back: timedelta, idle: timedelta) -> datetime | None:
        """The time at which a conversation must go on by itself; None if it need not."""
        touched, earliest, _, _ = _HEAD.unpack_from(self._parts[lane])
        times = [from_milliseconds(earliest) + hold_back] if earliest != _NEVER else []
        times += [from_milliseconds(touched) + idle] if touched != _NEVER else []
        return min(times, default=None)

    def forget_oldest(self, most: int) -> None:
        """Forget the oldest, while there are more than ``most`` and they have nothing left to show.

        One in quarantine stays, behind all others: the index does not tell what it waits for.
        """
        for lane in list(islice(self._parts, max(0, len(self._parts) - most))):
            if not self.is_shown(lane):
                return
            if is_quarantined(self[lane]):
                self._parts[lane] = self._parts.pop(lane)
            else:
                del self[lane]

    def parts(self) -> Iterator[bytes]:
        """Encode them for a state value."""
        return iter(self._parts.values())

    def from_state(self, lane: str, part: bytes) -> None:
        """Lay down a conversation as an earlier process left it."""
        self._parts[lane] = part
        self._earlier.add(lane)


class ActiveConversations(UserDict[str, Conversation]):
    """Conversations that go on. One that was asked for by its lane counts as changed since."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: set[str] = set()
        self._parts: dict[str, bytes] = {}

    def __getitem__(self, lane: str) -> Conversation:
        conversation = super().__getitem__(lane)
        self._changed.add(lane)
        return conversation

    def __setitem__(self, lane: str, conversation: Conversation) -> None:
        super().__setitem__(lane, conversation)
        self._changed.add(lane)

    def __delitem__(self, lane: str) -> None:
        super().__delitem__(lane)
        self._changed.discard(lane)
        self._parts.pop(lane, None)

    def items(self) -> ItemsView[str, Conversation]:
        """All, to look at: they do not count as changed."""
        return self.data.items()

    def parts(
        self, waking: dict[str, Dormant], waiting: Mapping[str, Sequence[QueuedItem]], at_work: set[str], now: datetime
    ) -> Iterator[bytes]:
        """Encode them for a state value.

        Args:
            waking: what those were whose texts are not there yet.
            waiting: what waits for the pool, with its conversation.
            at_work: lanes of conversations for which the pool is at work.
            now: when the messages among what waits count as arrived.
        """
        self._changed.update(waiting)  # what waits may be more than when the conversation was asked for
        for lane in self._changed:
            resting = to_dormant(self.data[lane], waking.get(lane))
            if lane in waiting:
                resting |= with_queued(resting, waiting[lane], now)
            self._parts[lane] = part_of(lane, resting, at_once=lane in at_work)
        self._changed.clear()
        return (self._parts[lane] for lane in self)


def part_of(lane: str, resting: Dormant, at_once: bool = False) -> bytes:
    """A conversation at rest as a part of a state; ``at_once`` where it must go on as soon as it is read."""
    at_once = at_once or bool(resting.get("waiting") or resting["changes"])
    earliest = min((arrived_at for _, arrived_at in resting["held"]), default=_NEVER)
    packer = zlib.compressobj(6, zlib.DEFLATED, -12, 4, zlib.Z_DEFAULT_STRATEGY, _USUAL)  # 4 KB: a part is smaller, and quick
    body = packer.compress(_encode(resting).encode()) + packer.flush()
    name = lane.encode()
    head = _HEAD.pack(resting["touched"] or _NEVER, _AT_ONCE if at_once else earliest, len(name), len(body))
    return head + name + body


def joined(parts: Iterable[bytes]) -> bytes:
    """The state value of parts."""
    return b"%d:" % STATE_VERSION + b"".join(parts)


def parts_in(state: bytes) -> Iterator[tuple[str, bytes]]:
    """The lanes and parts of a state value.

    Raises:
        StoreRejected: the value was written by another Mneme, or is malformed.
    """
    body, at = split_state(state, STATE_VERSION), 0
    while at < len(body):
        try:
            _, _, name, length = _HEAD.unpack_from(body, at)
            begin, end = at + _HEAD.size + name, at + _HEAD.size + name + length
            yield body[at + _HEAD.size : begin].decode(), _whole(body[at:end], end - at)
        except (struct.error, ValueError) as error:
            raise StoreRejected(f"the recovery store holds a damaged state value ({error}); restore it from a copy") from error
        at = end


def _whole(part: bytes, length: int) -> bytes:
    if len(part) < length:
        raise ValueError("it is cut off")
    return part


def _body_of(part: bytes) -> Dormant:
    _, _, name, _ = _HEAD.unpack_from(part)
    opener = zlib.decompressobj(-12, _USUAL)
    resting: Dormant = json.loads(opener.decompress(part[_HEAD.size + name :]))
    return resting


_UNTIL = "quarantined"  # the time of its last message, in milliseconds; a conversation has it only in quarantine


def quarantined(conversation: Conversation, waking: Dormant | None) -> Dormant:
    """A conversation in quarantine; ``waking`` as for ``to_dormant``. Its decisions do not count: they may not be written."""
    times = [each.message.sent_at for each in (*conversation.open, *(held.utterance for held in conversation.held))]
    return after_a_crash(to_dormant(conversation, waking)) | {
        "undecided": [],
        "episode": [],
        "forgotten": True,
        "touched": None,
        _UNTIL: to_milliseconds(max(times)) if times else None,
    }


def is_quarantined(resting: Dormant) -> bool:
    """Return whether a conversation at rest is in quarantine."""
    return _UNTIL in resting


def note_in_quarantine(resting: Dormant, item: Embedded | Amended, now: datetime) -> Dormant:
    """A conversation in quarantine after a message or a change of one came in."""
    message, until = item.utterance.message, resting[_UNTIL]
    if isinstance(item, Amended):
        return resting | {"changes": list(dict.fromkeys([*resting["changes"], message.message_id]))}
    if until is not None and to_milliseconds(message.sent_at) > until:
        return resting  # found in the index, behind all that was there
    return resting | {"held": [*resting["held"], [message.message_id, to_milliseconds(now)]]}


def release_from_quarantine(resting: Dormant, now: datetime) -> Dormant:
    """A conversation that goes on."""
    return {name: value for name, value in resting.items() if name != _UNTIL} | {"touched": to_milliseconds(now)}


def quarantine_dead_letter(lane: str, resting: Dormant, error: BaseException, now: datetime) -> DeadLetter:
    """The dead letter of a quarantine. Its bytes name the conversation, so that it can be asked for again."""
    about = {"is": "conversation", "lane": lane, "owner": resting["owner"], "conversation": resting["conversation"]}
    return DeadLetter("segment", end_of_traceback(error), json.dumps(about).encode(), None, now)
