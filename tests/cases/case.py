"""A written case: its format is in README.md."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mneme.events import Message
from mneme.text import has_cjk
from mneme.times import zone

FOLDER = Path(__file__).parent
_ANOTHER_CONVERSATION = timedelta(days=1)


@dataclass(frozen=True)
class Case:
    """One line of a case file."""

    name: str
    kind: str
    unseen: bool
    fields: dict[str, Any]

    @property
    def messages(self) -> list[Message]:
        """What is said; a pause of more than a day begins another conversation."""
        messages: list[Message] = []
        conversation = 0
        for number, (time, speaker, text) in enumerate(self.fields["says"]):
            sent_at, zone_name = _moment(time)
            if messages and sent_at - messages[-1].sent_at > _ANOTHER_CONVERSATION:
                conversation += 1
            messages.append(
                Message(
                    conversation_id=f"talk{conversation}",
                    group_id="friends",
                    message_id=f"m{number:03d}",
                    sender_id=speaker.lower(),
                    sender_name=speaker,
                    role="assistant" if speaker.lower() == "assistant" else "user",
                    sent_at=sent_at,
                    timezone=zone_name,
                    content=text,
                )
            )
        return messages


def cases(*kinds: str) -> list[Case]:
    """All cases, or those of some classes."""
    lines = [line for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines() if line]
    found = [Case(each["case"], each["class"], each.get("unseen", False), each) for each in map(json.loads, lines)]
    assert len({case.name for case in found}) == len(found), "two cases have the same name"
    return [case for case in found if not kinds or case.kind in kinds]


def _moment(written: str) -> tuple[datetime, str | None]:
    time, _, name = written.partition(" ")
    moment = datetime.fromisoformat(time)
    return (moment.replace(tzinfo=zone(name)), name) if name else (moment, None)


def word_pattern(word: str) -> re.Pattern[str]:
    """Finds a word whole and without case: 5 neither in 15 nor in 3.5; a Chinese one as part of a text."""
    if has_cjk(word):
        return re.compile(re.escape(word), re.IGNORECASE)
    return re.compile(rf"(?<![A-Za-z0-9])(?<!\d[.,:]){re.escape(word)}(?![A-Za-z0-9]|[.,:]\d)", re.IGNORECASE)
