"""What is expected: plans, appointments and deadlines, by future cues."""

import re
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedForesight
from flows.extraction.persons import capitalised
from flows.extraction.reports import reported
from flows.extraction.retelling import Retelling, Said
from flows.extraction.substance import weight

_INTENT = re.compile(
    r"\b(?:(?:i|we)(?:['’](?:m|re)| am| are)? (?:(?:also|still|really|definitely|actually|probably|currently) )?"
    r"(?:going to|gonna|planning|plan to|plan on|hoping to|hope to|intend|aiming|about to|(?:signed|signing) up for|"
    r"thinking (?:of|about)|looking forward to|preparing for|getting ready|"
    r"scheduled|booked|starting)|(?:i|we)['’]ll|(?:i|we) will|"
    r"appointment|deadline|due (?:on|by|next|this|tomorrow)|is scheduled)\b",
    re.I,
)
_CHINESE_INTENT = re.compile("打算|计划|准备|将要|将会|就要|预约|约了|截止|要去|要参加|会在|将在|安排在")
_EMPTY = re.compile(
    r"\b(?:(?:i['’]ll|i will|we['’]ll) (?:\w+ )?(?:keep (?:you|that)|let you|check (?:it|that|them|this) out|tell you|"
    r"be (?:here|there|right|fine|ok)|definitely|never|always|see|think|try|remember|miss)|"
    r"let me know|talk to you|keep you posted|can't wait to hear)\b",
    re.I,
)
_LEAST_WEIGHT = 3.0  # words of content; less is a way of speaking ("I'll do it")


def foresights_of(retellings: Sequence[Retelling]) -> Iterator[ExtractedForesight]:
    """At most one expectation for each message: one with a date that lies ahead, else a plan that says enough."""
    for retelling in retellings:
        if retelling.message.role != "user":
            continue
        found = next((one for one in retelling.statements if _ahead(one, retelling)), None)
        found = found or next(
            (one for one in retelling.statements if _planned(one.text) and _is_ahead_or_open(one, retelling)), None
        )
        if found is None:
            continue
        mention = next((date for date in found.dates if date.until > retelling.message.sent_at), None)
        yield ExtractedForesight(
            capitalised(reported(retelling, [found])),
            found.text,
            (retelling.index,),
            mention.since if mention else None,
            mention.until if mention else None,
        )


def _ahead(said: Said, retelling: Retelling) -> bool:
    """Whether the sentence names a time that begins after the message, or is a plan for one that is not over."""
    sent = retelling.message.sent_at
    beside = said.text
    for date in said.dates:
        beside = beside.replace(date.text, "")
    return weight(beside) >= 1 and any(date.since > sent or (date.until > sent and _planned(said.text)) for date in said.dates)


def _is_ahead_or_open(said: Said, retelling: Retelling) -> bool:
    return all(date.until > retelling.message.sent_at for date in said.dates)


def _planned(text: str) -> bool:
    if _CHINESE_INTENT.search(text):
        return True
    return bool(_INTENT.search(text)) and not _EMPTY.search(text) and weight(text) >= _LEAST_WEIGHT
