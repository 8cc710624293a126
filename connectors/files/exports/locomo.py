"""LoCoMo: conversations of two people in dated sessions.

[{"sample_id", "conversation": {"session_1_date_time", "session_1": [{speaker, dia_id, text}]}}]
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from connectors.files.chat_events import PACE, Event, Given, message
from connectors.files.exports.shape import Shape, first, listed
from mneme.errors import InputError


def _fits(data: Any) -> bool:
    return isinstance(one := first(data), dict) and isinstance(one.get("conversation"), dict)


def _read(data: Any, given: Given) -> Iterator[Event]:
    for number, sample in enumerate(listed(data)):
        sample_id = str(sample.get("sample_id") or f"{given.stem}-{number}")
        conversation = sample["conversation"]
        sessions = [int(match[1]) for name in conversation if (match := re.fullmatch(r"session_(\d+)", name))]
        for session in sorted(sessions):
            begins = _begin(conversation.get(f"session_{session}_date_time"), f"{given.name}: {sample_id}, session {session}")
            for place, turn in enumerate(conversation[f"session_{session}"]):
                picture = turn.get("blip_caption") or turn.get("query")
                text = f"{turn.get('text', '')} [shared a photo: {picture}]" if picture else turn.get("text", "")
                yield from message(
                    given,
                    conversation_id=sample_id,
                    owner=given.owner or {"group_id": sample_id},  # two people speak: it is the memory of both
                    message_id=turn.get("dia_id") or f"D{session}:{place + 1}",
                    sender=str(turn.get("speaker", "")),
                    sent_at=(begins + place * PACE).isoformat(),
                    content=text.strip(),
                )


def _begin(text: Any, where: str) -> datetime:
    try:
        return datetime.strptime(str(text), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        raise InputError(f"{where}: the date {text!r} is not like '1:56 pm on 8 May, 2023'") from None


LOCOMO = Shape("LoCoMo", _fits, _read)
