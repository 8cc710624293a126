"""Speech: WebVTT and SubRip captions, utterances of speakers, and sections of about a minute."""

import html
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from connectors.documents.blocks import join_lines
from connectors.documents.encodings import text_of
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section, Spoken

_VOICE = re.compile(r"<v(?:\.[^ \t>\n]{0,100})?[ \t]{1,20}([^>\n]{1,200})>")  # bounded: without an end, each would look for it
_TAG = re.compile(r"<[^>\n]{0,200}>|\{\\[^}\n]{0,100}\}")
_NAMED = re.compile(r"(?:[-–] ?)?([^\W\d_][\w .'’-]{0,39}?) ?[:：]\s+(?=\S)")
_SHARE_NAMED = 0.5  # of the captions; where fewer begin with "Name: ", a colon belongs to the text


def parse_captions(content: bytes, task: Task) -> ParsedDocument:
    """Speech with speakers (``<v Alice>``, or ``Alice: ...`` where most captions are so) is ``spoken``; else sections by time.

    Raises:
        InputError: it holds no captions.
    """
    spoken = list(_captions(text_of(content)))
    if not spoken:
        raise InputError("it holds no captions; send it as text, or correct it")
    if not any(piece.speaker for piece in spoken):
        spoken = _named(spoken)
    title = PurePath(task.name).stem
    if any(piece.speaker for piece in spoken):
        return ParsedDocument(title, (), spoken=tuple(utterances(spoken)))
    return ParsedDocument(title, minutes(spoken, title))


def _captions(text: str) -> Iterator[Spoken]:
    """The captions; one in which several speak is several. Rolling captions, that show a line again, say it once."""
    import webvtt  # here: transcripts become utterances without it

    shown: tuple[str, ...] = ()
    form = "vtt" if text.lstrip("\ufeff \t\n").startswith("WEBVTT") else "srt"
    for caption in webvtt.from_buffer(io.StringIO(text), format=form).captions:
        begins, ends = (time.in_milliseconds() / 1_000 for time in (caption.start_time, caption.end_time))
        lines = tuple(caption.raw_text.split("\n"))
        fresh = [line for line in lines if line not in shown]
        shown = lines
        parts = _VOICE.split("\n".join(fresh))
        for speaker, said in zip(["", *parts[1::2]], parts[::2], strict=True):
            plain = " ".join(html.unescape(_TAG.sub("", said)).split())
            if plain:
                yield Spoken(html.unescape(speaker).strip(), begins, max(begins, ends), plain)


def _named(spoken: Sequence[Spoken]) -> list[Spoken]:
    """Captions as ``Alice: Hello``: whoever is named speaks on until another is."""
    heads = [_NAMED.match(piece.text) for piece in spoken]
    often = Counter(head[1] for head in heads if head)
    if sum(often.values()) < _SHARE_NAMED * len(spoken):
        return list(spoken)
    named: list[Spoken] = []
    speaker = ""
    for piece, head in zip(spoken, heads, strict=True):
        speaker = head[1].strip() if head else speaker
        named.append(Spoken(speaker, piece.begins, piece.ends, piece.text[head.end() :] if head else piece.text))
    return named


_MINUTE = 60.0
_PAUSE = 2.0  # seconds; whoever is silent for longer begins anew


def utterances(spoken: Iterable[Spoken]) -> list[Spoken]:
    """Join the words of a speaker up to a pause or a minute: captions and transcripts cut them at every line."""
    joined: list[Spoken] = []
    for piece in spoken:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.speaker == piece.speaker
            and piece.begins - last.ends <= _PAUSE
            and piece.ends - last.begins <= _MINUTE
        ):
            joined[-1] = Spoken(last.speaker, last.begins, max(last.ends, piece.ends), join_lines([last.text, piece.text]))
        else:
            joined.append(piece)
    return joined


def minutes(spoken: Sequence[Spoken], title: str) -> tuple[Section, ...]:
    """Speech in which nobody is named, as sections of about a minute; the place of one is when it begins, ``00:01:30``."""
    sections: list[Section] = []
    lines: list[str] = []
    begins = 0.0
    for piece in spoken:
        if lines and piece.ends - begins > _MINUTE:
            sections.append(Section(title, "\n".join(lines), clock(begins)))
            lines = []
        if not lines:
            begins = piece.begins
        lines.append(piece.text)
    if lines:
        sections.append(Section(title, "\n".join(lines), clock(begins)))
    return tuple(sections)


def clock(seconds: float) -> str:
    """A moment of a recording as people cite it.

    >>> clock(90.4)
    '00:01:30'
    """
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
