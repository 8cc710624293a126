"""Conversations written for the tests, with vectors that know their topics."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from flows.cuts import Utterance
from mneme.ids import message_id, stable_hash
from mneme.records import Owner, Position, StoredMessage

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


def utterance(
    text: str,
    sender: str = "Ana",
    at: datetime = START,
    topic: str | None = None,
    role: str = "user",
    index: int = 0,
) -> Utterance:
    """One message; with a topic it has a vector: .5 to its own kind, about 0 to all others."""
    message = StoredMessage(
        id=message_id("t", "c", str(index)),
        owner=Owner(tenant_id="t", type="user", id="u"),
        conversation_id="c",
        created_at=at,
        version=1,
        message_id=str(index),
        sender_id=sender,
        sender_name=sender,
        role=role,  # type: ignore[arg-type]
        sent_at=at,
        timezone="UTC",
        text=text,
        tokens=len(text.split()),
        position=Position(topic="file:test", partition=0, offset=index),
    )
    if topic is None:
        return Utterance(message, None)
    vector = _direction(topic) + _direction(text)
    return Utterance(message, (vector / np.linalg.norm(vector)).astype(np.float32))


def _direction(seed: str) -> np.ndarray:
    direction = np.random.default_rng(stable_hash(seed)).standard_normal(384)
    return direction / np.linalg.norm(direction)


def talk(
    lines: Sequence[str],
    topic: str | None = None,
    start: datetime = START,
    step: timedelta = MINUTE,
    senders: Sequence[str] = ("Ana", "Ben"),
) -> list[Utterance]:
    """Messages in turn; their spacing varies by a few seconds, as people's does."""
    return [
        utterance(
            line, senders[index % len(senders)], start + index * step + timedelta(seconds=index * 7 % 5), topic, index=index
        )
        for index, line in enumerate(lines)
    ]


GARDEN = (
    "I planted tomatoes and basil in the garden this morning.",
    "Did you dig compost into the soil first?",
    "Yes, a whole bag of compost. The soil in the garden was so dry.",
    "Tomatoes need a lot of water in the first week, and the basil too.",
    "I water the tomatoes each evening with the old watering can.",
    "Do you have stakes for the tomatoes? They grow tall.",
    "I cut some bamboo stakes from the back of the garden.",
    "Bamboo stakes are perfect for tomatoes.",
)
BANK = (
    "The bank refused the mortgage application for the flat.",
    "Which papers did the bank ask for with the mortgage?",
    "Three payslips and the sale contract of the flat.",
    "Then send the bank the new contract and apply for the mortgage again.",
    "The mortgage rate went up to four percent, the bank says.",
    "Four percent is what most banks ask for a mortgage now.",
)
