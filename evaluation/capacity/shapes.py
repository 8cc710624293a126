"""Loads of one size in different shapes, made of the conversations of a file: even, with a hot owner, with an endless talk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from itertools import count
from pathlib import Path

from connectors.files.files import read_file
from mneme.errors import InputError
from mneme.events import Message, parse_event
from mneme.times import utc_now

_APART = timedelta(hours=6)  # after which people meet anew
_AT_A_TIME = 32  # talks that go on side by side
_HOT = "hot"

Talk = Sequence[Message]


class Shape(StrEnum):
    """The distribution of messages over owners and conversations.

    ``EVEN``: every sitting is a conversation with an owner of its own. ``HOT_OWNER``: half of all messages are one owner's, in
    many conversations. ``ENDLESS_TALK``: half of all messages are one conversation.
    """

    EVEN = "even"
    HOT_OWNER = "hot owner"
    ENDLESS_TALK = "endless talk"


@dataclass(frozen=True, slots=True)
class Load:
    """Messages in the order in which they are sent, and the conversations that they are of."""

    messages: tuple[Message, ...]

    @property
    def conversations(self) -> list[tuple[str, str]]:
        """Tenant and conversation, each once, as they begin."""
        return list(dict.fromkeys((message.tenant_id, message.conversation_id) for message in self.messages))


def sittings_in(path: Path) -> list[Talk]:
    """The conversations of a file, cut where they rest for six hours.

    Raises:
        InputError: there are none.
    """
    sittings: list[list[Message]] = []
    last: dict[str, list[Message]] = {}
    for incoming in read_file(path):
        event = parse_event(incoming.raw, utc_now())
        if not isinstance(event, Message):
            continue
        before = last.get(event.conversation_id)
        if before is None or event.sent_at - before[-1].sent_at > _APART:
            before = last[event.conversation_id] = []
            sittings.append(before)
        before.append(event)
    if not sittings:
        raise InputError(f"{path}: has no messages; give a file of conversations")
    return list(sittings)


def load_of(sittings: Sequence[Talk], shape: Shape, messages: int, tenants: Sequence[str]) -> Load:
    """So many messages of a shape. Where the sittings are fewer they are repeated, under other names.

    Args:
        sittings: what is said.
        shape: by whom, and in how many conversations.
        messages: how many.
        tenants: among whom the owners are divided, in turn; the hot owner is of the first.
    """
    spread: Iterator[Message]
    if shape is Shape.EVEN:
        spread = _talks(sittings, tenants)
    else:
        of_hot = _hot_talks(sittings, tenants[0]) if shape is Shape.HOT_OWNER else _endless(sittings, tenants[0])
        others = _talks(sittings, tenants)
        spread = (next(each) for _ in count() for each in (of_hot, others))
    return Load(tuple(message for message, _ in zip(spread, range(messages), strict=False)))


def _talks(sittings: Sequence[Talk], tenants: Sequence[str]) -> Iterator[Message]:
    return _side_by_side(
        _renamed(talk, tenants[number % len(tenants)], f"owner{number}", f"talk{number}") for number, talk in _again(sittings)
    )


def _hot_talks(sittings: Sequence[Talk], tenant: str) -> Iterator[Message]:
    return _side_by_side(_renamed(talk, tenant, _HOT, f"hot{number}") for number, talk in _again(sittings[::-1]))


def _endless(sittings: Sequence[Talk], tenant: str) -> Iterator[Message]:
    """All sittings one after the other, a day apart, as one conversation."""
    at = sittings[0][0].sent_at
    for number, talk in _again(sittings[::-1]):
        later = at - talk[0].sent_at
        yield from _renamed(talk, tenant, _HOT, "endless", f"{number}-", later)
        at = talk[-1].sent_at + later + timedelta(days=1)


def _again(sittings: Sequence[Talk]) -> Iterator[tuple[int, Talk]]:
    return ((number, sittings[number % len(sittings)]) for number in count())


def _renamed(
    talk: Talk, tenant: str, owner: str, conversation: str, prefix: str = "", later: timedelta = timedelta()
) -> list[Message]:
    return [
        message.model_copy(
            update={
                "tenant_id": tenant,
                "user_id": owner,
                "group_id": None,
                "agent_id": None,
                "conversation_id": conversation,
                "message_id": f"{prefix}{message.message_id}",
                "sent_at": message.sent_at + later,
            }
        )
        for message in talk
    ]


def _side_by_side(talks: Iterator[list[Message]]) -> Iterator[Message]:
    """A message of each of some talks in turn; where one ends another begins."""
    running = [iter(next(talks)) for _ in range(_AT_A_TIME)]
    while True:
        for place, talk in enumerate(running):
            while (message := next(talk, None)) is None:
                talk = running[place] = iter(next(talks))
            yield message
