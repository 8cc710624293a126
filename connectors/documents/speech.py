"""Speech: who says what when, as utterances of speakers or as sections of about a minute."""

from collections.abc import Iterable, Iterator, Sequence

from connectors.documents.blocks import join_lines
from mneme.ports import Section, Spoken

_MINUTE = 60.0
_PAUSE = 2.0  # seconds; whoever is silent for longer begins anew


def utterances(spoken: Iterable[Spoken]) -> Iterator[Spoken]:
    """What a speaker says without a pause as one, of a minute at most: captions and transcripts cut it at every line."""
    held: Spoken | None = None
    for piece in spoken:
        goes_on = (
            held is not None
            and held.speaker == piece.speaker
            and piece.begins - held.ends <= _PAUSE
            and piece.ends - held.begins <= _MINUTE
        )
        if held is not None and goes_on:
            held = Spoken(held.speaker, held.begins, max(held.ends, piece.ends), join_lines([held.text, piece.text]))
            continue
        if held is not None:
            yield held
        held = piece
    if held is not None:
        yield held


def minutes(spoken: Sequence[Spoken], title: str) -> tuple[Section, ...]:
    """Speech in which nobody is named, as sections of about a minute; the place of one is when it begins, ``00:01:30``."""
    sections: list[Section] = []
    lines: list[str] = []
    begins = 0.0
    for piece in spoken:
        if lines and piece.ends - begins > _MINUTE:
            sections.append(Section(len(sections), title, "\n".join(lines), clock(begins)))
            lines = []
        if not lines:
            begins = piece.begins
        lines.append(piece.text)
    if lines:
        sections.append(Section(len(sections), title, "\n".join(lines), clock(begins)))
    return tuple(sections)


def clock(seconds: float) -> str:
    """A moment of a recording as people cite it.

    >>> clock(90.4)
    '00:01:30'
    """
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
