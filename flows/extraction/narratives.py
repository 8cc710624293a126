"""The narrative of an episode: its messages in order, in the third person, each day with its date in front."""

from collections.abc import Sequence

from flows.extraction.wording.reports import reported
from flows.extraction.wording.retelling import Retelling, zone_of
from mneme.dates import DaySpan
from mneme.text import has_cjk


def narrative_of(retellings: Sequence[Retelling]) -> str:
    """One line for each message that says something; when none does, one for each message."""
    substantial = [retelling for retelling in retellings if any(one.informative for one in retelling.said)]
    lines, today = [], None
    for retelling in substantial or retellings:
        said = [one for one in retelling.said if one.informative] or list(retelling.said)
        if not said:
            continue
        text = reported(retelling, said)
        day = retelling.message.sent_at.astimezone(zone_of(retelling.message)).date()
        if day != today:
            span = DaySpan.of_day(day)
            text = f"{span.in_chinese()}，{text}" if has_cjk(text) else f"On {span.in_english()}, {text}"
            today = day
        lines.append(text)
    return "\n".join(lines)
