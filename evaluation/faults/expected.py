"""The expected content of the memory, computed from the input topics alone.

Everything that was ever sent is read again, in the order of its arrival, and played by the rules that senders are promised:
the first event with a ``message_id`` counts, an edit replaces, a retraction takes words away, a delete and an erasure all, what
cannot be read is a dead letter. Nothing of the flow is used for it, so that an error there is no error here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime

from connectors.kafka.client import partitions_of
from connectors.kafka.reader import PartitionReader
from mneme.errors import InputError
from mneme.events import Correct, Delete, Edit, Erase, Flush, Forget, Message, Retract, parse_event
from mneme.ids import message_id
from mneme.ports import Incoming
from mneme.records import Owner, Position
from mneme.settings import Kafka
from mneme.times import zone

Conversation = tuple[str, str]  # tenant and conversation

_PAGE = 5000


@dataclass(frozen=True, slots=True)
class ExpectedMessage:
    """A message as it must be stored: as it was ``said``, but for its owner and text.

    Of a ``deleted`` one nothing is left but its id; ``retracted`` are words that went.
    """

    said: Message
    owner: Owner
    text: str
    deleted: bool = False
    retracted: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The id of the stored message."""
        return message_id(*self.conversation, self.said.message_id)

    @property
    def conversation(self) -> Conversation:
        """Its tenant and conversation."""
        return self.said.tenant_id, self.said.conversation_id

    def has_text(self, stored: str) -> bool:
        """Tell whether this is its text; where words were taken out, the blanks around them may be others."""
        return stored.split() == self.text.split() if self.retracted else stored == self.text


@dataclass(slots=True)
class Expected:
    """The expected records.

    ``messages`` by id; ``owners`` of conversations; ``flushes`` as tenant and flush id; ``refused`` are the events that must
    be dead letters, by position.
    """

    messages: dict[str, ExpectedMessage] = field(default_factory=dict)
    owners: dict[Conversation, Owner] = field(default_factory=dict)
    flushes: set[tuple[str, str]] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    def by_conversation(self) -> dict[Conversation, list[ExpectedMessage]]:
        """The messages that must be in episodes, of each conversation in order."""
        found: dict[Conversation, list[ExpectedMessage]] = {}
        for message in self.messages.values():
            if not message.deleted:
                found.setdefault(message.conversation, []).append(message)
        for messages in found.values():
            messages.sort(key=lambda message: (message.said.sent_at, message.said.message_id))
        return found


def expect(settings: Kafka, refused: Mapping[str, str]) -> Expected:
    """Return what the topics of messages and backfill ask for. Read both from their beginning to their end.

    Args:
        settings: the broker and the topics.
        refused: positions of events that must be dead letters whatever they say, with the reason.

    Raises:
        StoreUnavailable, StoreRejected: the topics cannot be read.
    """
    return expected_of(_arrivals(settings), refused)


def expected_of(arrivals: Iterable[Incoming], refused: Mapping[str, str] | None = None) -> Expected:
    """Return the records that these events ask for, in the order of their arrival."""
    expected = Expected(refused=dict(refused or {}))
    for incoming in arrivals:
        if str(incoming.position) in expected.refused:
            continue
        try:
            event = parse_event(incoming.raw, incoming.received_at, incoming.position.offset)
        except InputError as error:
            expected.refused[str(incoming.position)] = str(error)
            continue
        match event:
            case Message():
                _say(expected, event)
                if isinstance(event, Correct):
                    _retract(expected, event, event.corrects, incoming.position)
            case Retract():
                _retract(expected, event, event.message_id, incoming.position)
            case Edit() | Delete():
                _amend(expected, event, incoming.position)
            case Flush():
                expected.flushes.add((event.tenant_id, event.flush_id))
            case Forget():
                _forget(expected, [(event.tenant_id, event.conversation_id)])
            case Erase():
                _forget(expected, [talk for talk, owner in expected.owners.items() if owner == event.owner])
    return expected


def _say(expected: Expected, event: Message) -> None:
    owner = expected.owners.setdefault((event.tenant_id, event.conversation_id), event.owner)
    message = ExpectedMessage(event, owner, event.text)
    expected.messages.setdefault(message.id, message)


def _amend(expected: Expected, event: Edit | Delete, position: Position) -> None:
    identity = message_id(event.tenant_id, event.conversation_id, event.message_id)
    message = expected.messages.get(identity)
    if message is None or message.deleted:
        expected.refused[str(position)] = "there is no such message"
    elif isinstance(event, Edit):
        expected.messages[identity] = replace(message, text=event.text, retracted=frozenset())
    else:
        expected.messages[identity] = replace(message, text="", deleted=True)


def _retract(expected: Expected, event: Retract | Correct, named: str, position: Position) -> None:
    """Take words out of a message; a correction leaves them. Without a model they must have been said."""
    identity = message_id(event.tenant_id, event.conversation_id, named)
    message = expected.messages.get(identity)
    if message is None:
        expected.refused[str(position)] = "there is no such message"
        return
    words = event.words.split()
    known = " ".join(words).casefold()
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)")
    is_gone = known in message.retracted or (message.deleted and isinstance(event, Retract))
    if not is_gone and not pattern.search(message.text):
        expected.refused[str(position)] = "the message does not say that"
    elif isinstance(event, Retract):
        left = pattern.sub(" ", message.text)
        deleted = message.deleted or not (left.strip() or message.said.tool_calls)
        expected.messages[identity] = replace(message, text=left, deleted=deleted, retracted=message.retracted | {known})


def _forget(expected: Expected, conversations: list[Conversation]) -> None:
    gone = set(conversations)
    for conversation in gone:
        expected.owners.pop(conversation, None)
    expected.messages = {id: message for id, message in expected.messages.items() if message.conversation not in gone}


def _arrivals(settings: Kafka) -> Iterator[Incoming]:
    """All events in the order of the broker's time; those of one partition in their own order."""
    events: list[Incoming] = []
    for topic in (settings.topics.messages, settings.topics.backfill):
        for partition in partitions_of(settings, topic):
            events += read_partition(settings, topic, partition)
    no_time = datetime.min.replace(tzinfo=zone("UTC"))
    events.sort(key=lambda incoming: incoming.received_at or no_time)  # stable
    return iter(events)


def read_partition(settings: Kafka, topic: str, partition: int) -> Iterator[Incoming]:
    """Every event that a partition holds now."""
    with closing(PartitionReader(settings, topic, partition, None)) as reader:
        while reader.lag() > 0:
            yield from reader.poll(_PAGE)
