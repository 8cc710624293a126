"""What was attached to a message, as it stands in its text: ``[image: whiteboard.png: Q3 budget 40,000 EUR]``.

flows/reading writes it: the name, how many pages it has, and what was read in it, or why nothing was. What was read has no
brackets of its own, but may have many lines.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from flows.extraction.wording.noise import is_noise
from mneme.text import has_cjk

IN_PLACE = re.compile(r"\[(?:image|audio|file): (?:[^\[\]]|\[[^\[\]]*+\])*+\]")
"""An attachment within a text; a name or a reason may have brackets (``scan[1].png``)."""

_FORM = re.compile(
    r"^\[(?P<kind>image|audio|file): (?P<name>[^\n]+?)(?:, [\d,]+ pages)?(?:(?P<unread>, not read)?: (?P<read>.+))?\]$",
    re.DOTALL,
)
_CALLED = {"image": ("picture", "图片"), "audio": ("recording", "录音"), "file": ("file", "文件")}
_LONGEST_PIECE = 400  # characters; two make a fact
_ENDS = tuple(".!?:;,。！？：；，…")


def after(text: str, more: str) -> str:
    """What follows a text, with the mark between two lines of what was read."""
    if not text or text.endswith(_ENDS):
        return more if not text or has_cjk(text[-1]) else f" {more}"
    return f"；{more}" if has_cjk(text[-1]) else f"; {more}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment; ``pieces`` are what was read in it, each short enough for a part of a fact. ``is_unread``: nothing was."""

    kind: str
    name: str
    pieces: tuple[str, ...] = ()
    is_unread: bool = False

    def not_read(self) -> str:
        """That nothing was read in it, as a statement."""
        english, chinese = _CALLED[self.kind]
        return f"{chinese}{self.name}未能读取。" if has_cjk(self.name) else f"The {english} {self.name} could not be read."

    def told_by(self, speaker: str, piece: str = "") -> str:
        """What the speaker did, as a statement: ``Ann shared the picture whiteboard.png: Q3 budget 40,000 EUR``."""
        english, chinese = _CALLED[self.kind]
        if has_cjk(piece or self.name):
            unread = "（未能读取）" if self.is_unread else ""
            return f"{speaker}分享了{chinese}{self.name}{unread}{f'：{piece}' if piece else '。'}"
        if self.is_unread:
            return f"{speaker} shared the {english} {self.name}, which could not be read."
        if piece:
            return f"{speaker} shared the {english} {self.name}: {piece}"
        return f"{speaker} shared {'a' if self.kind == 'file' else 'an'} {self.kind}: {self.name}."


def attachment_of(text: str) -> Attachment | None:
    """The attachment that a text is; None for any other."""
    form = _FORM.match(text) if text.startswith("[") else None
    if form is None:
        return None
    read = "" if form["unread"] else form["read"] or ""
    return Attachment(form["kind"], form["name"], tuple(_pieces(read)), form["unread"] is not None)


def _pieces(read: str) -> Iterator[str]:
    """What was read, without noise, in pieces of whole lines where they fit; lines are joined as parts of one sentence."""
    piece = ""
    for line in filter(None, map(_plain, read.splitlines())):
        for part in _bounded(line):
            joined = piece + after(piece, part)
            if piece and len(joined) > _LONGEST_PIECE:
                yield piece
                joined = part
            piece = joined
    if piece:
        yield piece


def _plain(line: str) -> str:
    line = " ".join(line.split())
    return "" if is_noise(line) else line


def _bounded(line: str) -> Iterator[str]:
    while len(line) > _LONGEST_PIECE:
        end = max(line.rfind(mark, _LONGEST_PIECE // 2, _LONGEST_PIECE - 1) for mark in (". ", "。", "; ", "；")) + 1
        end = end or line.rfind(" ", _LONGEST_PIECE // 2, _LONGEST_PIECE) + 1 or _LONGEST_PIECE
        yield line[:end].strip()
        line = line[end:].strip()
    yield line
