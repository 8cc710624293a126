"""Artifacts inside a message: code, files, lists, letters, drafts and quoted text, of which nothing is claimed of the speaker.

1. Fenced code and what was attached stand by their marks.
2. Of the other lines: lines behind ``>``, items of a list, and a letter from its salutation to its close.
3. What a line that ends in a colon introduces, where it is long: a text that somebody pasted, or had written.
4. What stands between quotation marks, where it is longer than a phrase.

Where nothing shows that words are somebody else's, they are the speaker's. Of a made-up story, a film or a dream nothing is
claimed or dated either, whoever tells it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mneme.pattern_index import Cue
from mneme.records import Artifact

_MARKED = re.compile(r"```.*?(?:```|\Z)|\[(?:image|audio|file): (?:[^\[\]]|\[[^\[\]]*+\])*+\]", re.DOTALL)
_ITEM = re.compile(r"[^\S\n]*(?:[-*•–+]|\d{1,3}[.)、]|[a-zA-Z][.)]|\|)[^\S\n]*(?=\S)|[^\S\n]*#{1,6} ")
_QUOTED_LINE = re.compile(r"[^\S\n]*>")
_SALUTATION = re.compile(
    r"[^\S\n]*(?:(?:Dear|Hi|Hello|Liebe[rs]?|Sehr geehrte[rs]?|Hallo|Estimad[oa]s?|Querid[oa]s?|Hola|Chère?s?|Bonjour|Cher)"
    r"[ \w.'’\[\]-]{0,40}[,:!]|尊敬的[^\n]{1,20}[:：，,]|亲爱的[^\n]{1,20}[:：，,]|拝啓"
    r"|Subject: [^\n]*|Betreff: [^\n]*)[^\S\n]*$"
)
_CLOSE = re.compile(
    r"[^\S\n]*(?:(?:best|kind|warm|many)? ?(?:regards|wishes)|sincerely|yours (?:sincerely|truly|faithfully)|cheers|thanks|"
    r"thank you|"
    r"viele grüße|mit freundlichen grüßen|liebe grüße|saludos|un saludo|atentamente|cordialement|bien à vous|此致|敬具)"
    r"[^\n]{0,30}$",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“[^“”]{60,4000}”|«[^«»]{60,4000}»|「[^「」]{30,4000}」|『[^『』]{30,4000}』"
    r"|(?<![^\s(:])\"[^\"]{60,4000}\"(?!\w)"
)
_LEAST_PASTED = 200  # characters that a line with a colon introduces from which they are a text of its own
_LEAST_ITEMS = 2
_LONG_ANSWER = 500  # characters of an assistant's message from which it is one answer, whatever it is made of


_MADE_UP = Cue(
    r"\b(?:protagonists?|heroine|villain|main characters?|fictional|the plot|i dream(?:ed|t) (?:that|of|i)|"
    r"in (?:the|that|this|my|his|her) (?:book|novel|film|movie|story|fan ?fic))\b"
    "|(?:小说|短篇|剧本)[里中]|女主|男主|主角|主人公|剧情|电影里|剧里|游戏里|书里|那本里|梦见|梦到",
    re.IGNORECASE,
)
_WRITING = Cue(
    r"\b(?:writ(?:e|es|ing|ten)|wrote|draft(?:ing|ed)?|outlin\w+|brainstorm\w*|working on)\b[^.!?]{0,40}"
    r"\b(?:novel(?:la)?|(?<!user )story|screenplay|fan ?fic(?:tion)?|fairy ?tale)\b"
    "|写[^，。！？]{0,12}(?:小说|短篇|故事|剧本|童话|同人)",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(
    r"\b(?:characters?|protagonist|hero(?:ine)?|villain|set in|about an?|once upon)\b"
    r"|女主|男主|主角|主人公|讲的是|背景|民国|古代|穿越",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """``text[start:end]`` of a message; ``artifact`` is None for the speaker's own words."""

    start: int
    end: int
    artifact: Artifact | None


def parts_of(text: str, role: str) -> list[Part]:
    """A message in its parts, in order, without gaps.

    Args:
        text: the message.
        role: who sent it: what a tool or a system says is its output, a long message of an assistant an answer.
    """
    if role not in ("user", "assistant"):
        return [Part(0, len(text), "output")]
    if role == "assistant" and len(text) > _LONG_ANSWER:
        return [Part(0, len(text), "answer")]
    parts: list[Part] = []
    at = 0
    for marked in _MARKED.finditer(text) if "[" in text or "```" in text else ():
        parts += _prose(text, at, marked.start())
        parts.append(Part(*marked.span(), "code" if marked[0].startswith("`") else "file"))
        at = marked.end()
    return [*parts, *_prose(text, at, len(text))]


def is_made_up(sentence: str) -> bool:
    """Tell whether a sentence is of a story, a film or a dream: what it tells did not happen."""
    return _MADE_UP.search(sentence) is not None


def begins_a_story(text: str) -> bool:
    """Tell whether a message says that a story is written, and of whom or when: what follows may be told in it."""
    return _WRITING.search(text) is not None and _OF_WHOM.search(text) is not None


def _prose(text: str, start: int, end: int) -> Iterator[Part]:
    """The parts of a stretch without marks, line by line."""
    for begun, stop, artifact in _runs(text, start, end):
        if artifact is None:
            yield from _with_quotations(text, begun, stop)
        else:
            yield Part(begun, stop, artifact)


def _runs(text: str, start: int, end: int) -> Iterator[Part]:
    """Lines of one kind together."""
    run: Part | None = None
    for line in _classified(text, start, end):
        if run is not None and run.artifact == line.artifact:
            run = Part(run.start, line.end, run.artifact)
        else:
            if run is not None:
                yield run
            run = line
    if run is not None:
        yield run


def _classified(text: str, start: int, end: int) -> list[Part]:
    """Each line with what it is."""
    lines = list(_lines(text, start, end))
    kinds: list[Artifact | None] = [_kind_of(text, line) for line in lines]
    for at, kind in enumerate(kinds):  # one line with a dash before it is no list
        beside = [*kinds[max(0, at - 2) : at], *kinds[at + 1 : at + 3]]
        if kind == "list" and beside.count("list") < _LEAST_ITEMS - 1:
            kinds[at] = None
    letter = _letter(text, lines)
    pasted = _pasted(text, lines, kinds) if letter is None else None
    for begun, stop, artifact in filter(None, (letter, pasted)):
        kinds[begun:stop] = [artifact] * (stop - begun)
    return [Part(*line, kind) for line, kind in zip(lines, kinds, strict=True)]


def _kind_of(text: str, line: tuple[int, int]) -> Artifact | None:
    if _QUOTED_LINE.match(text, *line):
        return "quotation"
    return "list" if _ITEM.match(text, *line) else None


def _letter(text: str, lines: list[tuple[int, int]]) -> Part | None:
    """The lines from a salutation to the close of a letter, with the name under it; none without both."""
    first = next((at for at, (start, end) in enumerate(lines) if _SALUTATION.match(text[start:end].rstrip("\n"))), None)
    if first is None:
        return None
    closes = [at for at, (start, end) in enumerate(lines) if at > first + 1 and _CLOSE.match(text[start:end].rstrip("\n"))]
    return Part(first, min(closes[-1] + 2, len(lines)), "letter") if closes else None


def _pasted(text: str, lines: list[tuple[int, int]], kinds: list[Artifact | None]) -> Part | None:
    """The lines behind one that ends in a colon, where they are long and in words."""
    for at, (start, end) in enumerate(lines[:-1]):
        if text[start:end].rstrip().endswith((":", "：")) and kinds[at] is None:
            rest = [each for each in range(at + 1, len(lines)) if text[slice(*lines[each])].strip()]
            if rest and kinds[rest[0]] is None and lines[-1][1] - lines[rest[0]][0] >= _LEAST_PASTED:
                return Part(at + 1, len(lines), "draft")
    return None


def _with_quotations(text: str, start: int, end: int) -> Iterator[Part]:
    at = start
    for quoted in _QUOTED.finditer(text, start, end):
        if quoted.start() > at:
            yield Part(at, quoted.start(), None)
        yield Part(*quoted.span(), "quotation")
        at = quoted.end()
    if at < end:
        yield Part(at, end, None)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        at = text.find("\n", start, end)
        stop = end if at < 0 else at + 1
        yield start, stop
        start = stop
