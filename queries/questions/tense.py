"""Which state of things a question is about: what is so now, what was so before, or how the one became the other."""

import re

_NEAR = "[^?.!。？]{0,120}"  # within a sentence; without a limit an endless one costs its square
_NOW = re.compile(
    r"\b(?:current(?:ly)?|(?:right )?now(?! that\b)|nowadays|these days|at (?:the moment|present)|presently|still|latest"
    r"|newest|most recent(?:ly)?|up[- ]to[- ]date|as of (?:today|now))\b"
    r"|现在|目前|如今|当前|眼下|最新|最近一次|现任|至今|仍|还(?:在|住|喜欢|有没有)"
    r"|現在|最新|まだ|今(?=[はのも、])|지금|현재|아직|최신|요즘",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    rf"\bhow (?:has|have|had|did|does|do|is|are|was|were)\b{_NEAR}\b(?:chang|evolv|develop|progress|grow|grew)\w*"
    rf"|\b(?:what|who|which|where|has|have)\b{_NEAR}\bchanged\b|\b(?:history|evolution|timeline) of\b"
    r"|\bover (?:time|the (?:last |past )?(?:\w+ )?(?:weeks|months|years))\b"
    rf"|\b(?:compared? (?:to|with)|differ\w*)\b{_NEAR}\b(?:before|earlier|previous(?:ly)?|original(?:ly)?|past)\b"
    r"|变化|改变|变了|演变|历史|历程|来龙去脉|変化|変わっ|経緯|歴史|변화|바뀌|변했|역사",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(used to|former(ly)?|previous(ly)?|before|earlier|original(ly)?|initial(ly)?|at first|first|back then|at the time|ago"
    r"|in the past|last (year|month|week|spring|summer|autumn|fall|winter)|no longer|any ?more|chang(ed?|es|ing)"
    r"|histor(y|ical(ly)?)|(19|20)\d\d)\b"
    r"|以前|之前|从前|曾经|原来|原先|过去|最初|最早|当初|本来|先前|那时|当时|一开始|去年|前年|上个?[周月]|(19|20)\d\d年",
    re.IGNORECASE,
)


def asks_about_now(text: str) -> bool:
    """Whether a question asks for what is so now, of what may have changed: "current", "still", "latest"; 现在, 目前, 最新.

    >>> asks_about_now("What is Ann's current job?"), asks_about_now("Where did Ann work?")
    (True, False)
    """
    return bool(_NOW.search(text)) and not asks_for_history(text)


def asks_for_history(text: str) -> bool:
    """Whether a question asks how things came to be as they are: "how has it changed", "the history of"; 变化, 历史.

    >>> asks_for_history("How has Ann's job changed?"), asks_for_history("What is Ann's job?")
    (True, False)
    """
    return bool(_HISTORY.search(text))


def asks_about_past(text: str) -> bool:
    """Whether a question asks for what used to be so, alone or with what is so now.

    >>> asks_about_past("Where did Ann work before?"), asks_about_past("她现在住在哪里？")
    (True, False)
    """
    return asks_for_history(text) or (bool(_PAST.search(text)) and not asks_about_now(text))
