"""What is expected: plans, appointments and deadlines, by future cues."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.cuts import ExtractedForesight
from flows.extraction.persons import capitalised
from flows.extraction.reports import reported
from flows.extraction.retelling import Retelling, Said
from flows.extraction.substance import weight
from mneme.dates import DateMention

_INTENT = re.compile(
    r"\b(?:(?:i|we)(?:['’](?:m|re)| am| are)? (?:(?:also|still|really|definitely|actually|probably|currently) )?"
    r"(?:going to|gonna|planning|plan to|plan on|hoping to|hope to|intend|aiming|about to|(?:signed|signing) up for|"
    r"thinking (?:of|about)|looking forward to|preparing for|getting ready|"
    r"scheduled|booked|starting)|(?:i|we)['’]ll|(?:i|we) will|"
    r"appointment|deadline|due (?:on|by|next|this|tomorrow)|is scheduled)\b",
    re.I,
)
_CHINESE_INTENT = re.compile("打算|计划|准备|将要|将会|就要|预约了|约了|约好|截止|要去|要参加|会在|将在|安排在")
_EMPTY = re.compile(
    r"\b(?:(?:i['’]ll|i will|we['’]ll) (?:\w+ )?(?:keep (?:you|that)|let you|check (?:it|that|them|this) out|tell you|"
    r"be (?:here|there|right|fine|ok|sure)|definitely|never|always|see|think|try|remember|miss)|"
    r"(?:going to|gonna|will|['’]ll) (?:just )?(?:keep (?:\w+ing|at|on|up|it)|stay|remain|give it a|be (?:sure|able)|continue|"
    r"need|have|check (?:it|that|them|this)|do (?:my|it|that|so)|take (?:it|that)|let)|"
    r"start(?:ing|s)? to (?:realize|realise|feel|see|think|get|understand|look)|"
    r"who knows|not sure|make (?:this|it) work|if (?:i|we)(?:['’]ll| will| ever)|"
    r"maybe|might|let me know|lemme know|talk to you|keep you posted|"
    r"can't wait to hear)\b",
    re.I,
)
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d\d\b|\b(?:at )?(?:\d{1,2}|noon|midnight) ?(?:am|pm|o'clock)\b", re.I)
_LEAD = re.compile(r"^(?:(?:and|but|so|then|also|well|ok|okay),? )+|^(?:好|行|好的|那|嗯)，", re.I)
_PART = re.compile(r"[;:—–]\s+|,\s+(?=(?:but|so|because|although|since|while|which|and)\b)")
_LONGEST = 140  # characters of a statement
_SAYS_MORE = 2.0  # words of content beside the date and the hour
_LEAST_WEIGHT = 3.0  # words of content; less is a way of speaking ("I'll do it")


def foresights_of(retellings: Sequence[Retelling]) -> Iterator[ExtractedForesight]:
    """At most one expectation for each message: one with a date that lies ahead, else a plan that says enough.

    The statement is the expectation alone. What only confirms a day that another message says more about is left out.
    """
    found = [(retelling, said, _expected(said, retelling)) for retelling in retellings if (said := _found(retelling))]
    told_more = {mention.span for _, said, mention in found if mention and _weight_beside_dates(said) >= _SAYS_MORE}
    for retelling, said, mention in found:
        if mention and mention.span in told_more and _weight_beside_dates(said) < _SAYS_MORE:
            continue
        expectation = _expectation(said.told, mention)
        statement = (
            expectation if weight(said.text) >= _LEAST_WEIGHT else reported(retelling, [replace(said, told=expectation)])
        )
        start, end = (mention.since, mention.until) if mention else (None, None)
        yield ExtractedForesight(capitalised(statement), said.text, (retelling.index,), start, end)


def _found(retelling: Retelling) -> Said | None:
    """The sentence of a message that expects something."""
    if retelling.message.role != "user":
        return None
    statements = retelling.statements
    dated = next((one for one in statements if _ahead(one, retelling)), None)
    return dated or next((one for one in statements if _planned(one.text) and _is_ahead_or_open(one, retelling)), None)


def _expected(said: Said, retelling: Retelling) -> DateMention | None:
    """The date that is meant: the first that begins after the message, else the first that is not over."""
    sent = retelling.message.sent_at
    begins = next((date for date in said.dates if date.since > sent), None)
    return begins or next((date for date in said.dates if date.until > sent), None)


def _expectation(statement: str, mention: DateMention | None) -> str:
    """The statement without what leads to it; of a long one only the part that holds the date."""
    statement = _LEAD.sub("", statement)
    date = (mention.completed or mention.written) if mention else ""
    _, colon, rest = statement.partition(": ")
    if colon and date in rest and weight(rest) >= _LEAST_WEIGHT:
        statement = rest
    if date and len(statement) > _LONGEST:
        held = [part for part in _PART.split(statement) if date in part and weight(part) >= _LEAST_WEIGHT]
        statement = held[0].strip(" .,;") + "." if held else statement
    return statement


def _ahead(said: Said, retelling: Retelling) -> bool:
    """Whether the sentence names a time that begins after the message, or is a plan for one that is not over."""
    sent = retelling.message.sent_at
    return _weight_beside_dates(said) >= 1 and any(
        date.since > sent or (date.until > sent and _planned(said.text)) for date in said.dates
    )


def _weight_beside_dates(said: Said) -> float:
    beside = said.text
    for date in said.dates:
        beside = beside.replace(date.text, "")
    return weight(_CLOCK.sub("", beside))


def _is_ahead_or_open(said: Said, retelling: Retelling) -> bool:
    return all(date.until > retelling.message.sent_at for date in said.dates)


def _planned(text: str) -> bool:
    if _CHINESE_INTENT.search(text):
        return True
    return bool(_INTENT.search(text)) and not _EMPTY.search(text) and weight(text) >= _LEAST_WEIGHT
