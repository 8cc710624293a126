"""Why a Chinese date may not be that of what its sentence tells: a habit, a supposition, a negation, a quotation, a change."""

import re

from mneme.dates.chinese_words import clause_of
from mneme.dates.rules import Found


def in_doubt(sentence: str, date: Found) -> bool:
    """Whether a date is told of nothing that happens then, or may be one of several."""
    start, end = date.start, date.end
    begins, ends = clause_of(sentence, start, end)
    before, behind = sentence[begins:start], sentence[end:ends]
    if sentence.rfind("“", 0, start) > sentence.rfind("”", 0, start) or sentence.count('"', 0, start) % 2:
        return True
    if _BEFORE.search(before) or _BEHIND.match(behind) or _NO_EVENT.search(before) or _NO_EVENT.search(behind):
        return True
    if _TOLD.search(sentence, max(0, start - _REACH), start):
        return True
    if _BARE_DAY.fullmatch(sentence[start:end]) and _OCCASION.search(sentence):
        return True  # of the month of the occasion, which may be another
    return date.lacks_year and _OTHER_YEAR.search(sentence[max(0, start - _REACH) : start] + behind) is not None


def is_of_another(mention: str, earlier: str) -> bool:
    """Whether a day without a month may be of an occasion or a month that was named before: 国庆去哪？ 14号出发。"""
    return _BARE_DAY.fullmatch(mention) is not None and _NAMED.search(earlier) is not None


_REACH = 80  # characters
_BEFORE = re.compile(
    r"(?:从原[来定]?的?|原[本来定]?的?|不是|而非|自从?|除了|比|像|和|跟|与|或者?|还是|大[概约]|差不多|约)$|(?:从|把|将)[^，。]{0,10}$(?<=[从把将])"
)
_BEHIND = re.compile(
    "或|还是|[之以]?前(?!后)|[之以]?后|以来|起(?!床|飞|来)|左右|前后|上下|的?时候|改[到成为在]|(?:推迟|延期|提前|挪|调整?)[到至]"
)
_NO_EVENT = re.compile(
    "如果|要是|假如|假设|万一|的话|也许|可能|或许|大概|说不定|不一定|没|不(?![错过仅但同少知断久得止见管散])|别(?![的人墅致])|未(?!来|婚)|"
    "取消|每|通常|一般|平时|经常|常常|总是|往往|有时|本来|原本|原定"
)
_TOLD = re.compile("说(?!明|法|服)|告诉|听说|据说|表示|提到|如果|要是|假如|假设|万一|想象")
_BARE_DAY = re.compile("从?[^月]+号(?:[^月]+号)?")
_OCCASION = re.compile("生日|纪念日|放假|收假|假期|五一|十一|国庆|春节|[上下]个?月")
_NAMED = re.compile(rf"{_OCCASION.pattern}|元旦|端午|中秋|清明|[一二三四五六七八九十\d]月|[寒暑]假")
_OTHER_YEAR = re.compile(r"生日|出生|生于|纪念日|(?:19|20)\d\d|[去前后明]年|那年|年前")
