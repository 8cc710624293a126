"""The conversations of a bucket as its state keeps them: each in a part of its own, made again only when it has changed.

A bucket's state is written whole in every epoch that touched it. What a conversation takes in it is encoded once for each
change, kept, and joined: an epoch then costs what was touched in it, not what is open.

A part is ``touched, earliest, length of the lane, length of the body``, the lane, and the body: deflated JSON. The two times
tell without the body when a conversation needs attention, so that a restart reads only what does.
"""

import json
import struct
import zlib
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, Sequence
from datetime import datetime, timedelta

from flows.conversations.conversation import Conversation
from flows.conversations.rest import Resting, Waiting, after_a_crash, rest, with_waiting
from flows.state import split_state
from mneme.errors import StoreRejected
from mneme.times import from_milliseconds

STATE_VERSION = 3
_HEAD = struct.Struct(">qqHI")
_NEVER, _AT_ONCE = 0, 1  # instead of times, in milliseconds
_USUAL = (  # what most parts have in common is not in them; a part cannot be read with another, so it changes with the version
    b'["":false,"touched":nullheld":[[""changes":[],"forgotten":false,"waiting":[],"doubtful":[],"provisional":{"/"],'
    b'"because":["start"],"pause of min, new subject, other words,"limit",undecided":["","episode":["{"owner":["default",'
    b'"user","conversation":"","held":[],"undecided":["'
)
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class Shelf(MutableMapping[str, Resting]):
    """Conversations at rest, those that were laid down last at the end.

    Those of an earlier process (``from_state``) are given out as they are after a crash.
    """

    def __init__(self) -> None:
        self._parts: dict[str, bytes] = {}
        self._earlier: set[str] = set()

    def __getitem__(self, lane: str) -> Resting:
        resting = _body_of(self._parts[lane])
        return after_a_crash(resting) if lane in self._earlier else resting

    def __setitem__(self, lane: str, resting: Resting) -> None:
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
        """Whether a conversation rests with nothing left to show."""
        return lane in self._parts and _HEAD.unpack_from(self._parts[lane])[0] == _NEVER

    def due(self, lane: str, hold_back: timedelta, idle: timedelta) -> datetime | None:
        """When a conversation must go on by itself; None if it need not."""
        touched, earliest, _, _ = _HEAD.unpack_from(self._parts[lane])
        times = [from_milliseconds(earliest) + hold_back] if earliest != _NEVER else []
        times += [from_milliseconds(touched) + idle] if touched != _NEVER else []
        return min(times, default=None)

    def forget_shown(self, most: int) -> None:
        """Forget the oldest, while there are more than ``most`` and they have nothing left to show."""
        while len(self._parts) > most and self.is_shown(lane := next(iter(self._parts))):
            del self[lane]

    def parts(self) -> Iterator[bytes]:
        """What a state keeps of them."""
        return iter(self._parts.values())

    def from_state(self, lane: str, part: bytes) -> None:
        """Lay down a conversation as an earlier process left it."""
        self._parts[lane] = part
        self._earlier.add(lane)


class Awake(MutableMapping[str, Conversation]):
    """Conversations that go on. One that was asked for by its lane counts as changed since."""

    def __init__(self) -> None:
        self._conversations: dict[str, Conversation] = {}
        self._changed: set[str] = set()
        self._parts: dict[str, bytes] = {}

    def __getitem__(self, lane: str) -> Conversation:
        conversation = self._conversations[lane]
        self._changed.add(lane)
        return conversation

    def __setitem__(self, lane: str, conversation: Conversation) -> None:
        self._conversations[lane] = conversation
        self._changed.add(lane)

    def __delitem__(self, lane: str) -> None:
        del self._conversations[lane]
        self._changed.discard(lane)
        self._parts.pop(lane, None)

    def __contains__(self, lane: object) -> bool:
        return lane in self._conversations

    def __iter__(self) -> Iterator[str]:
        return iter(self._conversations)

    def __len__(self) -> int:
        return len(self._conversations)

    def items(self) -> ItemsView[str, Conversation]:
        """All, to look at: they do not count as changed."""
        return self._conversations.items()

    def parts(
        self, waking: dict[str, Resting], waiting: Mapping[str, Sequence[Waiting]], at_work: set[str], now: datetime
    ) -> Iterator[bytes]:
        """What a state keeps of them.

        Args:
            waking: what those were whose texts are not there yet.
            waiting: what waits for the pool, with its conversation.
            at_work: lanes of conversations for which the pool is at work.
            now: when the messages among what waits count as arrived.
        """
        self._changed.update(waiting)  # what waits may be more than when the conversation was asked for
        for lane in self._changed:
            resting = rest(self._conversations[lane], waking.get(lane))
            if lane in waiting:
                resting |= with_waiting(resting, waiting[lane], now)
            self._parts[lane] = part_of(lane, resting, at_once=lane in at_work)
        self._changed.clear()
        return (self._parts[lane] for lane in self._conversations)


def part_of(lane: str, resting: Resting, at_once: bool = False) -> bytes:
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
        StoreRejected: the value was written by another Mneme, or is none.
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


def _body_of(part: bytes) -> Resting:
    _, _, name, _ = _HEAD.unpack_from(part)
    opener = zlib.decompressobj(-12, _USUAL)
    resting: Resting = json.loads(opener.decompress(part[_HEAD.size + name :]))
    return resting
