"""Chats with times, made from dialogues without: material to fit the timed boundary model on.

No public set has both times and topics. These chats teach what the detector promises: a pause alone is no boundary,
nor is a new subject among many in one sitting; both together are, and so is a conversation about something else.
The times are invented, so figures on these chats describe the detector's behaviour, not its accuracy.
"""

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from evaluation.segmentation import Dialogue, spoken
from mneme.records import StoredMessage

_START = datetime(2024, 1, 1, 9, tzinfo=UTC)
_SITTINGS = 6  # dialogues that make one chat
_HOUR = 3600.0
PAUSE_AT_TOPIC = 0.2  # of the topic changes inside a dialogue fall on a pause, and are then boundaries
PAUSE_IN_TOPIC = 0.06  # of the other messages come after a pause, and are no boundaries
PAUSE_EARLY = 0.12  # of them while the episode is short: people begin, and go on the other day
PAUSE_BETWEEN = 0.85  # of the dialogues begin after a pause; all are boundaries
CUT_SHORT = 0.3  # of the dialogues end after 2 to 6 messages, so that there are short episodes that are whole
SHORTEST = 6  # messages: a topic change sooner is no boundary even after a pause


def timed_chats(dialogues: Sequence[Dialogue], seed: int) -> list[Dialogue]:
    """Chats of six dialogues each, in a shuffled order, with times; the same seed gives the same chats."""
    chance = random.Random(seed)
    shuffled = chance.sample(dialogues, len(dialogues))
    return [_chat(shuffled[at : at + _SITTINGS], chance) for at in range(0, len(shuffled), _SITTINGS)]


def _chat(dialogues: Sequence[Dialogue], chance: random.Random) -> Dialogue:
    name = f"timed-{dialogues[0].id}"
    messages: list[StoredMessage] = []
    boundaries: list[int] = [0]
    at = _START
    for dialogue in dialogues:
        length = _length(dialogue, chance)
        for index, message in enumerate(dialogue.messages[:length]):
            changes = index in dialogue.boundaries
            short = len(messages) - boundaries[-1] < SHORTEST
            if index == 0:
                gap = _pause(chance, 1.0, 14 * 24.0) if chance.random() < PAUSE_BETWEEN else _reply(chance)
                begins = True
            elif changes and chance.random() < PAUSE_AT_TOPIC:
                gap = _pause(chance, 0.3, 72.0)
                begins = not short
            else:
                pauses = not changes and chance.random() < (PAUSE_EARLY if short else PAUSE_IN_TOPIC)
                gap = _pause(chance, 0.3, 72.0 if short else 14.0) if pauses else _reply(chance)
                begins = False
            at += gap
            if begins and messages:
                boundaries.append(len(messages))
            messages.append(spoken(name, len(messages), message.sender_name, message.text, at))
    return Dialogue(name, tuple(messages), frozenset(boundaries) - {0})


def _length(dialogue: Dialogue, chance: random.Random) -> int:
    """How many of its messages are said. The last is not by who began, for in these sets speakers alternate: one speaker
    twice in a row would give away where a dialogue begins."""
    length = min(chance.randint(2, 6) if chance.random() < CUT_SHORT else 50, len(dialogue.messages))
    same = dialogue.messages[length - 1].sender_id == dialogue.messages[0].sender_id
    return length - 1 if same and length > 1 else length


def _reply(chance: random.Random) -> timedelta:
    """How long a reply takes while people are talking: mostly a minute, at most a quarter of an hour."""
    return timedelta(seconds=min(900.0, 6.0 + chance.lognormvariate(math.log(40.0), 1.0)))


def _pause(chance: random.Random, shortest: float, longest: float) -> timedelta:
    """A pause between so many hours, every order of magnitude as likely."""
    return timedelta(seconds=_HOUR * math.exp(chance.uniform(math.log(shortest), math.log(longest))))
