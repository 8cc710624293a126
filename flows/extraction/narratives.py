"""The narrative of an episode: its messages in order, as said, each day with its date in front."""

from collections.abc import Sequence

from flows.extraction.quotes import Told
from mneme.dates import DaySpan
from mneme.times import zone_or_utc


def narrative_of(messages: Sequence[Told]) -> str:
    """One paragraph for each message: who said it, and the words."""
    lines, today = [], None
    for each in messages:
        message = each.message
        day = message.sent_at.astimezone(zone_or_utc(message.timezone)).date()
        if day != today:
            today, span = day, DaySpan.of_day(day)
            chinese = any(one.language == "zh" for one in each.sentences)
            lines.append(f"{span.in_chinese()}：" if chinese else f"{span.in_english()}:")
        lines.append(f"{message.sender_name}: {message.text.strip()}")
    return "\n".join(lines)
