"""Artifacts inside a message: code, files, lists, letters, drafts and quoted text, of which nothing is claimed of the speaker.

1. Fenced code and what was attached stand by their marks.
2. Of the other lines: lines behind ``>``, items of a list, and a letter from its salutation to its close.
3. What a line that ends in a colon introduces, where it is long: a text that somebody pasted, or had written.
4. What stands between quotation marks, where it is longer than a phrase.

Where nothing shows that words are somebody else's, they are the speaker's. Of a made-up story, a film or a dream nothing is
claimed or dated either, whoever tells it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from mneme.patterns import Cues, Patterns
from mneme.records import Artifact

_CUES = Cues(__file__)
_WORDS = Patterns(__file__)
_LEAST_PASTED = 200  # characters that a line with a colon introduces from which they are a text of its own
_LEAST_ITEMS = 2
_LONG_ANSWER = 500  # characters of an assistant's message from which it is one answer, whatever it is made of


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
    for marked in _WORDS.marked.finditer(text) if "[" in text or "```" in text else ():
        parts += _prose(text, at, marked.start())
        parts.append(Part(*marked.span(), "code" if marked[0].startswith("`") else "file"))
        at = marked.end()
    return [*parts, *_prose(text, at, len(text))]


def is_made_up(sentence: str) -> bool:
    """Tell whether a sentence is of a story, a film or a dream: what it tells did not happen."""
    return _CUES.made_up.search(sentence) is not None


def begins_a_story(text: str) -> bool:
    """Tell whether a message says that a story is written, and of whom or when: what follows may be told in it."""
    return _CUES.writing.search(text) is not None and _WORDS.of_whom.search(text) is not None


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
    if _WORDS.quoted_line.match(text, *line):
        return "quotation"
    return "list" if _WORDS.item.match(text, *line) else None


def _letter(text: str, lines: list[tuple[int, int]]) -> Part | None:
    """The lines from a salutation to the close of a letter, with the name under it; none without both."""
    first = next((at for at, (start, end) in enumerate(lines) if _WORDS.salutation.match(text[start:end].rstrip("\n"))), None)
    if first is None:
        return None
    closes = [
        at for at, (start, end) in enumerate(lines) if at > first + 1 and _WORDS.close.match(text[start:end].rstrip("\n"))
    ]
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
    for quoted in _WORDS.quoted.finditer(text, start, end):
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
