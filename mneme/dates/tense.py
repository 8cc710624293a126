"""Whether an English sentence looks back or ahead: what "on Friday" and "in March" mean depends on it."""

import re

_OWN = {"since": True, "by": False, "until": False, "till": False}
_FUTURE = re.compile(
    r"\b(?:will|won't|going to|gonna|plan(?:s|ning|ned)?|hop(?:e|es|ing) to|can't wait|looking forward|schedul\w+|upcoming|"
    r"starts?|begins?|due|by|until|let's|deadline|want to|need to|have to|should|could we|shall)\b|'ll\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?!need|indeed|feed|speed|bed\b|red\b|shed|excited|interested|scheduled|planned|wed\b)(?:\w{2,}ed|was|were|did|didn't|had|went|"
    r"got|took|made|saw|came|found|met|bought|gave|felt|ate|ran|won|lost|left|held|told|said|began|spent|wrote|drove|flew|"
    r"caught|been|since|back)\b",
    re.IGNORECASE,
)
_REACH = 200  # characters around a date that can tell; without a limit an endless sentence costs its square
_SENTENCE_END = re.compile(r"[.!?\n;]\s")


def looks_back(match: re.Match[str]) -> bool | None:
    """Whether a date speaks of the past; None where nothing tells.

    Its own preposition decides, then the nearest cue before it in its sentence, then the first after it.
    """
    own = match[0].split(maxsplit=1)[0].lower()
    if own in _OWN:
        return _OWN[own]
    text, start = match.string, match.start()
    begins = max(0, start - _REACH)
    begins = max((end.end() for end in _SENTENCE_END.finditer(text, begins, start)), default=begins)
    ending = _SENTENCE_END.search(text, match.end(), match.end() + _REACH)
    cues = [
        (cue.start(), back)
        for pattern, back in ((_FUTURE, False), (_PAST, True))
        for cue in pattern.finditer(text, begins, ending.start() if ending else match.end() + _REACH)
        if not match.start() <= cue.start() < match.end()
    ]
    if not cues:
        return None
    before = [cue for cue in cues if cue[0] < start]
    return max(before)[1] if before else min(cues)[1]
