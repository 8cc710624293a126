"""Live traffic made of real conversations: as many messages as wanted, in as many conversations, owners and days.

Each conversation tells one of the templates from some place on, round and round, under ids, an owner and times of its own.
Owners are drawn by Zipf's law, so that a few have many conversations, which lie on different partitions. All conversations
are told at once, their messages in the order of time, as they would come in. The same seed gives the same traffic.
"""

import heapq
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from connectors.files.files import read_file
from mneme.errors import InputError
from mneme.events import Flush, Message, parse_event
from mneme.times import utc_now

EXAMPLES = Path(__file__).parents[2] / "examples"
_START = datetime(2025, 3, 3, 8, 0, tzinfo=UTC)
_SKEW = 0.7  # of Zipf's law: of 1,000 owners the first has 4 % of the conversations
_LONGEST_GAP = timedelta(days=3)  # between two messages of a template
_AGAIN_AFTER = timedelta(hours=20)  # when a template begins anew

Template = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Volume:
    """The volume of traffic: messages, conversations, owners (0: half as many as conversations), and flush events among it."""

    messages: int
    conversations: int
    owners: int = 0
    flushes: int = 0


def read_templates(paths: Sequence[Path] = ()) -> tuple[Template, ...]:
    """The conversations of files in any format of connectors/files/files.py; without paths the examples, of all languages.

    Raises:
        InputError: a file cannot be read, or none of them has a conversation.
    """
    conversations: dict[tuple[str, str], list[Message]] = {}
    for path in paths or sorted(EXAMPLES.glob("*.jsonl")):
        for incoming in read_file(path):
            event = parse_event(incoming.raw, incoming.received_at or utc_now())
            if isinstance(event, Message):
                conversations.setdefault((event.tenant_id, event.conversation_id), []).append(event)
    if not conversations:
        raise InputError("path: no conversation in it; give a file of messages in any format that `mneme ingest` reads")
    return tuple(tuple(sorted(said, key=lambda message: message.sent_at)) for said in conversations.values())


def live_traffic(templates: Sequence[Template], volume: Volume, seed: int) -> Iterator[Message | Flush]:
    """The events, one at a time, in the order in which they would be sent."""
    rng = random.Random(seed)
    owners = volume.owners or max(1, volume.conversations // 2)
    shares = [1 / (number + 1) ** _SKEW for number in range(owners)]
    lengths = _lengths(volume, rng)
    flush_at = set(rng.sample(range(volume.messages), min(volume.flushes, volume.messages)))
    streams = []
    for number, length in enumerate(lengths):
        template = rng.choice(templates)
        [owner] = rng.choices(range(owners), shares)
        streams.append(_conversation(template, f"c{number:06d}", f"o{owner:05d}", length, random.Random(f"{seed}/{number}")))
    for count, message in enumerate(heapq.merge(*streams, key=lambda message: message.sent_at)):
        yield message
        if count in flush_at:
            conversation = message.conversation_id
            yield Flush(tenant_id=message.tenant_id, conversation_id=conversation, flush_id=f"in-between-{count}")


def _lengths(volume: Volume, rng: random.Random) -> list[int]:
    """Messages of each conversation, at least one, some four times as long as others."""
    weights = [rng.uniform(0.4, 1.6) for _ in range(volume.conversations)]
    if volume.messages < volume.conversations:
        raise InputError(f"volume: {volume.messages} messages cannot fill {volume.conversations} conversations; ask for more")
    spare, total = volume.messages - volume.conversations, sum(weights)
    lengths = [1 + int(spare * weight / total) for weight in weights]
    for number in range(volume.messages - sum(lengths)):
        lengths[number % len(lengths)] += 1
    return lengths


def _conversation(template: Template, name: str, owner: str, length: int, rng: random.Random) -> Iterator[Message]:
    begin = rng.randrange(len(template))
    at = _START + timedelta(seconds=rng.uniform(0, 86_400))
    kept = template[0].owner.type
    owned_by = {f"{kind}_id": f"{owner}-{kind}" if kind == kept else None for kind in ("user", "group", "agent")}
    for number in range(length):
        place = (begin + number) % len(template)
        said = template[place]
        if number:
            gap = said.sent_at - template[place - 1].sent_at if place else _AGAIN_AFTER
            at += min(max(gap, timedelta(seconds=1)), _LONGEST_GAP) * rng.uniform(0.8, 1.2)
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        content = said.model_dump(exclude={"schema_version", "tenant_id", "user_id", "group_id", "agent_id"})
        content |= {"conversation_id": name, "message_id": f"{name}-{number:05d}", "sent_at": at, **owned_by}
        yield Message.model_validate(content)
