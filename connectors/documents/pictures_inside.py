"""Pictures inside text documents: their text is read, too, by who reads pictures."""

from collections.abc import Iterator
from pathlib import PurePath

from connectors.documents.blocks import Block
from connectors.documents.packages import Package
from connectors.documents.parsing import Task
from mneme.errors import InputError

_MOST = 50  # of one document; a page of text as a picture takes a second or two
_SMALLEST = 1_500  # bytes; below are bullets, lines and icons


class PicturesInside:
    """Reads the pictures in the parts of one office file, each once.

    ``unread`` names those that were not read, and why.
    """

    def __init__(self, package: Package, task: Task) -> None:
        self._package = package
        self._task = task
        self._seen: set[str] = set()
        self.unread: list[str] = []

    def blocks(self, part: str, place: str) -> Iterator[Block]:
        """The text of the picture in a part of the file, at its place."""
        if part in self._seen or self._task.depth > self._task.settings.attachment_depth:
            return
        self._seen.add(part)
        name = PurePath(part).name
        where = f"{place}, picture {name}" if place else f"picture {name}"
        if len(self._seen) > _MOST:
            if len(self._seen) == _MOST + 1:
                self.unread.append(f"{where} and those after it: only the first {_MOST} pictures of a document are read")
            return
        try:
            content = self._package.read(part)
            if content is None or len(content) < _SMALLEST:
                return
            found = self._task.nested(content, name, None)
        except InputError as error:
            self.unread.append(f"{where}: {str(error).removeprefix(f'{name}: ')}")
            return
        self.unread += [f"{where}: {reason}" for reason in found.unread]
        for section in found.sections:
            yield Block("text", section.text, place)
