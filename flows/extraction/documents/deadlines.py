"""What a document expects: deadlines, terms and plans, by the days that its sentences name.

Only days that are written as such count: "within ten days" and "next Monday" mean another day for every reader.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from flows.cuts import ExtractedForesight
from flows.extraction.wording.retelling import Kind, Said
from mneme.caseless import Caseless
from mneme.dates import DateMention

_LONGEST_SPAN = 92  # days: a quarter; what is of a year is no deadline
_IN_FULL = re.compile(r"\d{4}|\d{1,2}[./]\d{1,2}[./]\d{2}")
_EXPECTS_IN_A_ROW = Caseless(
    r"\b(?:due|deadline|valid|expir\w+|until|by|renewal|delivery|starts?|begins?|ends?|term|appointment|meeting)\b"
    r"|截止|到期|有效|交付|期限|开始|结束",
)
_CANCELLED = Caseless(r"\b(?:cancell?ed|called off|withdrawn|no longer)\b|取消")


def deadlines(statements: Iterable[tuple[Said, str, bool]], dated_at: datetime) -> Iterator[ExtractedForesight]:
    """The expectations of a chunk, one for each sentence that names a day behind the document's own.

    Args:
        statements: each sentence, as its fact tells it, and whether it is a row of a table; a row needs a word that expects.
        dated_at: the date of the document.
    """
    for said, statement, is_row in statements:
        if (
            said.kind is not Kind.STATEMENT
            or _CANCELLED.search(said.text)
            or (is_row and not _EXPECTS_IN_A_ROW.search(said.text))
        ):
            continue
        day = next((each for each in said.dates if each.since > dated_at and _is_a_day(each)), None)
        if day is not None:
            yield ExtractedForesight(statement, said.text, (0,), day.since, day.until)


def _is_a_day(mention: DateMention) -> bool:
    written = mention.completed is not None or _IN_FULL.search(mention.text) is not None
    return written and mention.span.days <= _LONGEST_SPAN
