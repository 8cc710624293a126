"""Files of Word, Excel and PowerPoint as packages: parts in an archive, related to each other, with properties."""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from connectors.documents.encodings import text_of
from mneme.errors import InputError

_TEXT = {  # core properties that say what a document is
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "language": "language",
}
_NO_TITLES = ("powerpoint presentation", "slide 1", "untitled", "document", "word document", "presentation")  # by default
_MAIN_TYPE = re.compile(  # of Word and PowerPoint; Excel's are all taken
    rb"application/vnd\.(?:ms-(?:word|powerpoint)\.(?:document|template|presentation|slideshow)\.macroEnabled(?:Template)?"
    rb"|openxmlformats-officedocument\.(?:wordprocessingml|presentationml)\.(?:template|slideshow))\.main\+xml",
    re.IGNORECASE,
)
_OF_TEMPLATES = (  # what python-docx and python-pptx leave where nobody sets it
    "2013-12-23T23:15:00Z",
    "2013-01-27T09:14:16Z",
    "2013-01-27T09:15:58Z",
)
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Package:
    """Reads parts of an office file by name.

    Raises:
        InputError: it is no archive, or a broken one.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise InputError("the file is broken or cut off; save it again") from error
        self._names = frozenset(self._archive.namelist())
        self._trees: dict[str, Any | None] = {}

    def read(self, name: str) -> bytes | None:
        """The bytes of a part, None where there is no such part."""
        if name not in self._names:
            return None
        try:
            return self._archive.read(name)
        except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError, zlib.error) as error:
            raise InputError("the file is broken or cut off; save it again") from error

    def tree(self, name: str) -> Any | None:
        """A part as XML, the same each time; None where there is no such part or it is none."""
        if name not in self._trees:
            content = self.read(name)
            try:
                self._trees[name] = None if content is None else etree.fromstring(content, parser())
            except etree.XMLSyntaxError:
                self._trees[name] = None
        return self._trees[name]

    def related(self, name: str, kind: str) -> Iterator[str]:
        """The names of the parts that a part is related to by a kind: ``notesSlide``, ``slide``; those on a network are not."""
        for relationship in self._relationships(name):
            if relationship.get("Type", "").endswith(f"/{kind}"):
                yield _target(name, relationship)

    def relationships(self, name: str) -> Mapping[str, str]:
        """The parts that a part is related to, by the ids it calls them."""
        return {relationship.get("Id", ""): _target(name, relationship) for relationship in self._relationships(name)}

    def as_plain(self, kind: str) -> dict[str, bytes]:
        """What to replace where a file is one with macros, a template or a show, so that libraries take it for a plain one.

        Args:
            kind: of the plain file, ``wordprocessingml.document``.
        """
        name = "[Content_Types].xml"
        content = self.read(name) or b""
        plain = _MAIN_TYPE.sub(f"application/vnd.openxmlformats-officedocument.{kind}.main+xml".encode(), content)
        return {} if plain == content else {name: plain}

    def replaced(self, parts: Mapping[str, bytes]) -> bytes:
        """The file with the content of parts replaced."""
        written = io.BytesIO(self._content)
        with zipfile.ZipFile(written, "a") as archive:  # new parts at its end: the others are not unpacked for it
            for name, part in parts.items():
                archive.filelist.remove(archive.NameToInfo.pop(name))
                archive.writestr(name, part)
        return written.getvalue()

    def title(self) -> str:
        """What the properties call the document; empty where they say nothing, or what a program puts in by itself."""
        return _title(self._properties().get("title", ""))

    def dated_at(self) -> datetime | None:
        """When it was last changed, else made, as its properties have it."""
        properties = self._properties()
        given = (properties.get(name, "") for name in ("modified", "created"))
        return next((moment for text in given if text not in _OF_TEMPLATES and (moment := _moment(text))), None)

    def metadata(self) -> dict[str, str]:
        """What the properties say of author, subject, keywords, description, category and language."""
        properties = self._properties()
        return {ours: properties[theirs] for theirs, ours in _TEXT.items() if properties.get(theirs)}

    def _properties(self) -> dict[str, str]:
        name = next(self.related("", "core-properties"), "docProps/core.xml")
        root = self.tree(name)
        return (
            {}
            if root is None
            else {etree.QName(node).localname: (node.text or "").strip() for node in root.iterchildren("{*}*")}
        )

    def _relationships(self, name: str) -> Iterator[Any]:
        folder, _, base = name.rpartition("/")
        root = self.tree(f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels")
        if root is not None:
            yield from (each for each in root.iter(_RELATIONSHIP) if each.get("TargetMode") != "External")


class OldProperties:
    """The properties of a file of the old formats, as ``Package`` has them."""

    def __init__(self, content: bytes) -> None:
        import olefile

        try:
            with olefile.OleFileIO(io.BytesIO(content)) as file:
                self._properties = file.get_metadata()
        except (OSError, ValueError, IndexError, struct.error):
            self._properties = olefile.OleMetadata()

    def title(self) -> str:
        """See ``Package``."""
        return _title(self._text("title"))

    def dated_at(self) -> datetime | None:
        """See ``Package``."""
        moments = (self._properties.last_saved_time, self._properties.create_time)
        return next((moment.replace(tzinfo=UTC) for moment in moments if isinstance(moment, datetime)), None)

    def metadata(self) -> dict[str, str]:
        """See ``Package``."""
        found = {name: self._text(name) for name in ("author", "subject", "keywords", "category")}
        return {name: text for name, text in found.items() if text}

    def _text(self, name: str) -> str:
        value = getattr(self._properties, name)
        return text_of(value).strip("\0 ") if isinstance(value, bytes) else ""


def _title(title: str) -> str:
    return "" if title.lower() in _NO_TITLES or title.lower().startswith("microsoft ") else title


def parser() -> etree.XMLParser:
    """An XML parser that opens nothing else: no entities, no network."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)


def _target(name: str, relationship: Any) -> str:
    target = relationship.get("Target", "")
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
