"""When what a passage tells happens: the date in it that is that of the whole, or none. Pure."""

import re
from collections.abc import Sequence

from flows.extraction.spoken import Sentence
from mneme.dates import DateMention, resolve_dates

_MOST = 20  # dates of one form in a sentence
_REACH = 200  # characters before a date in which its clause begins
_ASIDE = re.compile(  # a clause or phrase beside the main one, up to the date in it
    r"(?:\w\W+\b(?:when|while|which|who|where|that (?:was|were|is|are|has|had))|"
    r"\b(?:after|before|because|since|although|though|unless|(?:the|an?|my|our) (?:\w+ )?\w+ that \w+)|"
    r"\b(?:the|my|our|your|his|her|their|that|this|those|these|every|some|any|every\w+|some\w+)(?: \w+){0,3} "
    r"(?<!\bis )(?<!\bwas )(?<!\band )(?<!\bbut )(?<!\bso )(?<!\bthen )(?:I|you|we|they|he|she) \w+|"
    r",\s*(?:\w+ed|bought|made|built|written|taken|given|born|found|sold|held|sent))\b"
    r"(?:(?! [-–—] )[^,;:.!?])*$|\bfrom\s*$|(?:因为|由于|自从|等)[^，；。！？]*$|[了过]$",
    re.IGNORECASE,
)
_ASIDE_BEHIND = re.compile(
    "[^，；。！？]{0,20}?(?:之[前后]|以[前后]|的时候)|(?<=年)的|(?!的|[^，；。！？的]*[早晚中上下]?[上午点]的)[^，；。！？是在]{1,8}的(?![，。！？]|$)"
)
_PARTED = re.compile(r"[;；](?!\s*$)")
_HEADS = re.compile("[^;；]*[:：]")  # what follows is of the date: 下周计划：…；…


def event_of(sentences: Sequence[Sentence]) -> DateMention | None:
    """The one date in a passage; of several the most exact, where the others contain it; none of a clause beside the main one.

    Dates that are not certain count as others: of "this week the model, in the first half of next week the tests" the first is
    not the day of the whole.
    """
    told = [one for one in sentences if not one.is_question]
    mentions = [(one, mention) for one in told for mention in one.dates]
    if not mentions:
        return None
    sentence, best = min(mentions, key=lambda each: each[1].span.days)
    others = [mention for one in told for mention in (*one.dates, *_perhaps(one))]
    around = all(other.since <= best.since and best.until <= other.until for other in others)
    return best if around and not _is_aside(sentence, best) else None


def _perhaps(one: Sentence) -> list[DateMention]:
    """The dates of a sentence in their likeliest reading."""
    return [] if one.meant else resolve_dates(one.text, one.said_at, one.zone, _MOST)


def _is_aside(one: Sentence, date: DateMention) -> bool:
    """Whether a date stands in a clause beside the main one, or in one of several that are parted by a semicolon."""
    if one.meant:  # the dates are of other words
        return False
    text = one.text
    if _ASIDE.search(text[max(0, date.start_index - _REACH) : date.start_index]) or _ASIDE_BEHIND.match(text, date.end_index):
        return True
    return _PARTED.search(text) is not None and not _HEADS.match(text, date.end_index)
