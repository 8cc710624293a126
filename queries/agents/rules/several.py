"""Whether a question asks for several things, which lie in several memories, and is not answered by the first. Pure.

A plural, a count, a habit ("what does Ann do to relax?") or the perfect ("where has Ann been?") gathers over time; a day, a
title or "the first" means one thing. Of LoCoMo's development questions these are 116 of the 142 that are multi-hop, and 59 of
the 418 that have their answer in one place.
"""

import re

from mneme.dates.spans import MONTHS
from queries.questions.types import QuestionType, question_type

_AUXILIARY = "(?:do|does|did|has|have|had|is|are|was|were|can|could|might|would|will)"
_WH = r"^\W*(?:(?:in|on|at|to|from|for|with|by|of) )?(?:what|which)"
_NO_PLURAL = "(?:this|his|its|was|is|does|has|us|as|news|status|class|address|business|process|dress|basis|likes)"
_SEVERAL = re.compile(
    "|".join(
        (
            rf"{_WH}(?: [\w./'’-]+){{0,4}}? (?!{_NO_PLURAL}\b)[\w./-]+[^s\W]s (?:of [\w.' ]+? )?{_AUXILIARY}\b",
            rf"{_WH} (?:series|people|children) ",
            rf"{_WH}(?: [\w'’-]+){{0,4}}? (?:are|were) ",
            rf"{_WH} (?:kinds?|types?|sorts?) of [\w' -]+? (?:do|does|has|have|is|are)\b",
            r"^\W*(?:what|where|who|how) (?:has|have) ",
            r"^\W*(?:what|how) (?:do|does) (?!\w+ (?:think|mean|mention|say|feel|describe|call|plan|want))[\w'’ ]+? "
            r"(?:do|use|offer|make|like|enjoy) ?(?:to|with|for|on|about|when|[?]|$)",
            r"\bmultiple\b|\bseveral\b|\bdifferent\b|\ball (?:the|of)\b|\beach of\b|\bboth\b|\bevery\b",
            "哪些|各自|分别|都(?:有|是|去|做|买|吃|看|喜欢|会|在)|几[次个种本部家]|多少[次个种本部家]|一共|所有|列出",
        )
    ),
    re.IGNORECASE,
)
_MONTH = "|".join(MONTHS)
_ONE = re.compile(
    rf"\b(?:{_MONTH})\b,? ?\d|\d (?:{_MONTH})\b|\b\d{{1,2}}(?:st|nd|rd|th)\b"
    r"|\blast (?:week|month|year|summer|winter|night|\w+day)\b|\brecently\b|\byesterday\b"
    r"|\bthe (?:first|second|third|last)\b|[\"“「《]|昨天|上周|上个月|去年|第[一二三]",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Whether what answers it is probably in several memories.

    >>> asks_for_several("Which instruments does Ann play?"), asks_for_several("Which cello did Ann buy?")
    (True, False)
    """
    kind = question_type(question)
    if kind in (QuestionType.COUNTING, QuestionType.MULTI_HOP):
        return True
    if kind in (QuestionType.TEMPORAL, QuestionType.ASSISTANT_RECALL, QuestionType.KNOWLEDGE_UPDATE):
        return False
    return bool(_SEVERAL.search(question)) and not _ONE.search(question)
