"""Documents parsed in this process. In the stream it runs inside the processes of ``pool.py``."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from importlib import import_module
from pathlib import PurePath
from traceback import format_tb

from connectors.documents.guards import check_pages, check_text, guard
from connectors.documents.kinds import Kind, kind_of
from mneme.errors import InputError, MnemeError
from mneme.ports import ParsedDocument, Section, Spoken
from mneme.settings import Documents


@dataclass(frozen=True, slots=True)
class Task:
    """One document to parse.

    Attributes:
        name: its file name.
        media_type: what the sender says it is; None where nothing is said.
        settings: limits, languages and resolution.
        nested: parses what lies inside: an attachment of a mail.
    """

    name: str
    media_type: str | None
    settings: Documents
    nested: Callable[[bytes, str, str | None], ParsedDocument]


FormatParser = Callable[[bytes, Task], ParsedDocument]
"""The parser of one format. It raises ``InputError`` as ``DocumentParser.parse`` does; its caller puts the name of the file in
front, checks the limits on text, and sets ``format``."""

log = logging.getLogger(__name__)

_LONGEST_NAME = 100  # characters of a name in a message
_MOST_INSIDE = 500  # documents that are opened in one, at any depth; a mail has a few
_SHARE_INSIDE = 0.75  # of the time; what is left is for the document itself
_MOST_UNREAD = 200  # reasons that are told


class LocalParser:
    """A ``DocumentParser`` for every format of ``kinds.py``.

    1. What it is, by its content.
    2. What is hostile is refused before a library opens it.
    3. The parser of the format is imported, and reads it; whatever is raised becomes an ``InputError``.
    4. Limits are checked, those on text, number and time for all that lies inside it together, too; and what no text may hold
       is taken out.
    """

    def __init__(self, settings: Documents | None = None) -> None:
        self._settings = settings or Documents()

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        """See ``DocumentParser``."""
        return self._parse(content, name, media_type, 0, _NestedBudget())

    def _parse(self, content: bytes, name: str, media_type: str | None, depth: int, inside: "_NestedBudget") -> ParsedDocument:
        try:
            if len(content) > self._settings.largest_bytes:
                raise InputError(
                    f"it has more than {self._settings.largest_bytes:,} bytes (MNEME_DOCUMENTS__LARGEST_BYTES); split it, or"
                    " raise the setting"
                )
            if depth > self._settings.attachment_depth:
                raise InputError(
                    f"it lies {depth} documents deep, and {self._settings.attachment_depth} are opened; send it by itself"
                )
            with self._refusing("what it says it is"):
                kind = kind_of(content, name, media_type)
            with self._refusing(kind.name):
                document = self._by_format(kind, content, name, media_type, depth, inside)
            return self._checked(replace(document, format=kind.name, title=document.title.strip() or PurePath(name).stem))
        except InputError as error:
            raise InputError(f"{short_name(name)}: {error}") from error.__cause__

    def _by_format(
        self, kind: Kind, content: bytes, name: str, media_type: str | None, depth: int, inside: "_NestedBudget"
    ) -> ParsedDocument:
        if not kind.parser:
            return ParsedDocument(PurePath(name).stem, (), unread=(f"a recording; what is said needs {kind.parsed_by}",))

        characters = 0

        def nested(content: bytes, name: str, media_type: str | None) -> ParsedDocument:
            nonlocal characters
            inside.open_one(self._settings)
            document = self._parse(content, name, media_type, depth + 1, inside)
            check_text(characters + _characters(document), self._settings)
            characters += _characters(document)
            return document

        guard(kind, content, self._settings)
        return _parser_of(kind)(content, Task(name, media_type, self._settings, nested))

    @contextmanager
    def _refusing(self, format: str) -> Iterator[None]:
        """Turn whatever is raised over bytes of strangers into an ``InputError``."""
        try:
            yield
        except MnemeError:
            raise
        except MemoryError as error:
            raise InputError(spent_memory(self._settings)) from error
        except RecursionError as error:
            raise InputError("its parts lie in hundreds of others, which no document needs; send what is in it") from error
        except ModuleNotFoundError as error:
            raise InputError(
                f"reading {format} needs the package {error.name}, which is not installed; pip install 'mneme-river[documents]'"
            ) from error
        except Exception as error:
            # Where, and never what: messages of libraries quote what they read.
            log.debug("a parser failed: %s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
            raise InputError(
                f"it cannot be read as {format} ({type(error).__name__}); it may be damaged: open it, and save it again"
            ) from error

    def _checked(self, document: ParsedDocument) -> ParsedDocument:
        if document.pages is not None:
            check_pages(document.pages, self._settings)
        sections = tuple(
            Section(_clean(section.title), _clean(section.text), _clean(section.place)) for section in document.sections
        )
        spoken = tuple(Spoken(_clean(each.speaker), each.begins, each.ends, _clean(each.text)) for each in document.spoken)
        check_text(_characters(document), self._settings)
        dated_at = document.dated_at
        unread = [_clean(reason) for reason in document.unread[:_MOST_UNREAD]]
        if (more := len(document.unread) - _MOST_UNREAD) > 0:
            unread.append(f"and {more} more")
        return replace(
            document,
            title=_clean(document.title),
            sections=sections,
            spoken=spoken,
            dated_at=dated_at.replace(tzinfo=UTC) if dated_at is not None and dated_at.tzinfo is None else dated_at,
            metadata={_clean(name): _clean(value) for name, value in document.metadata.items()},
            unread=tuple(unread),
        )


class _NestedBudget:
    """The budget of documents inside one document, at any depth, by number and time. The outer one is read in any case."""

    def __init__(self) -> None:
        self._opened = 0
        self._begun = time.monotonic()

    def open_one(self, settings: Documents) -> None:
        """Count one more.

        Raises:
            InputError: there are too many, or most of the time is spent.
        """
        self._opened += 1
        if self._opened > _MOST_INSIDE:
            raise InputError(f"more than {_MOST_INSIDE} documents lie in one; send it by itself")
        if time.monotonic() - self._begun > _SHARE_INSIDE * settings.seconds:
            raise InputError("what lies before it took most of the time (MNEME_DOCUMENTS__SECONDS); send it by itself")


def spent_memory(settings: Documents) -> str:
    """The reason of a document that took too much memory."""
    return f"reading it took more than {settings.megabytes} MB (MNEME_DOCUMENTS__MEGABYTES); split it, or raise the setting"


def short_name(name: str) -> str:
    """A file's name for a message: without folders, in one line, and not endless."""
    return _clean(" ".join(PurePath(name).name.split()))[-_LONGEST_NAME:] or "document"


def _parser_of(kind: Kind) -> FormatParser:
    module, _, function = kind.parser.partition(":")
    parser: FormatParser = getattr(import_module(f"connectors.documents.formats.{module}"), function)
    return parser


def _characters(document: ParsedDocument) -> int:
    """Number of characters of its text."""
    return sum(len(each.text) for each in document.sections) + sum(len(each.text) for each in document.spoken)


def _clean(text: str) -> str:
    """A text without what no index and no UTF-8 holds: zero characters and halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
