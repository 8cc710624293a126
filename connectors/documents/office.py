"""Files of Microsoft Office: packages of parts with properties, and LibreOffice for the old formats."""

import io
import os
import posixpath
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from lxml import etree

from connectors.documents.dates import moment_of
from connectors.documents.encodings import text_of
from connectors.documents.local import Task
from mneme.errors import InputError

_TEXT = {  # core properties that say what a document is
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "language": "language",
}
_OLD_NAMES = {  # of properties before 2007, and what they are called since
    "title": "title",
    "author": "creator",
    "subject": "subject",
    "keywords": "keywords",
    "category": "category",
    "last_saved_time": "modified",
    "create_time": "created",
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
ONLY_PICTURES = "a picture, whose text is not read; save it as PDF, which is read as a scan"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True)
class Properties:
    """The title of a file (empty for the default of a program), its last change, else its creation, and other properties.

    These are author, subject, keywords, description, category and language, as far as the file has them.
    """

    title: str = ""
    dated_at: datetime | None = None
    metadata: dict[str, str] = field(default_factory=dict)


class Package:
    """Reads parts of an office file by name. That it is an archive, ``kinds.py`` has seen."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._archive = zipfile.ZipFile(io.BytesIO(content))
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
        """A part as XML, the same each time; None where the part is missing or no XML."""
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
        """Parts to replace in a file with macros, a template or a show, so that libraries take it for a plain one.

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

    def properties(self) -> Properties:
        """Its core properties."""
        root = self.tree(next(self.related("", "core-properties"), "docProps/core.xml"))
        nodes = () if root is None else root.iterchildren("{*}*")
        return _properties({etree.QName(node).localname: (node.text or "").strip() for node in nodes})

    def _relationships(self, name: str) -> Iterator[Any]:
        folder, _, base = name.rpartition("/")
        root = self.tree(f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels")
        if root is not None:
            yield from (each for each in root.iter(_RELATIONSHIP) if each.get("TargetMode") != "External")


def is_old(content: bytes) -> bool:
    """True for a file of the formats before 2007 (doc, xls, ppt)."""
    return content.startswith(b"\xd0\xcf\x11\xe0")


def old_properties(content: bytes) -> Properties:
    """The properties of a file of the old formats."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(content)) as file:
            found = file.get_metadata()
    except (OSError, ValueError, IndexError, struct.error):
        return Properties()
    return _properties({ours: _as_text(getattr(found, theirs)) for theirs, ours in _OLD_NAMES.items()})


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return text_of(value).strip("\0 ") if isinstance(value, bytes) else ""


def _properties(said: Mapping[str, str]) -> Properties:
    title = said.get("title", "")
    is_default = title.lower() in _NO_TITLES or title.lower().startswith("microsoft ")
    given = (said.get(name, "") for name in ("modified", "created"))
    dated_at = next((moment for text in given if text not in _OF_TEMPLATES and (moment := moment_of(text))), None)
    metadata = {ours: said[theirs] for theirs, ours in _TEXT.items() if said.get(theirs)}
    return Properties("" if is_default else title, dated_at, metadata)


def parser() -> etree.XMLParser:
    """An XML parser that opens nothing else: no entities, no network."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)


def _target(name: str, relationship: Any) -> str:
    target = relationship.get("Target", "")
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


_SECONDS = 180.0  # a file of 500 pages takes 20 s on one core; what takes longer hangs
_PACKAGES = {"docx": "libreoffice-writer-nogui", "pptx": "libreoffice-impress-nogui"}

# Macros never run; links are neither followed nor updated; what asks for the network meets a proxy that is not there.
_SETTINGS = {
    "Office.Common/Security/Scripting": {
        "DisableMacrosExecution": "true",
        "MacroSecurityLevel": "3",
        "BlockUntrustedRefererLinks": "true",
        "DisableActiveContent": "true",
    },
    "Office.Writer/Content/Update": {"Link": "0"},
    "Office.Calc/Content/Update": {"Link": "2"},
    "Inet/Settings": {
        "ooInetProxyType": "2",
        "ooInetHTTPProxyName": "127.0.0.1",
        "ooInetHTTPProxyPort": "9",
        "ooInetHTTPSProxyName": "127.0.0.1",
        "ooInetHTTPSProxyPort": "9",
    },
}


def converted(content: bytes, source: str, target: str, task: Task) -> bytes:
    """A file as LibreOffice saves it in another format.

    1. It has a profile and a folder of its own, which are removed: files at the same time do not meet.
    2. It has three minutes, or less where the settings give less; then it and all that it started are ended.

    Args:
        content: the file.
        source: what it is, ``doc`` or ``ppt``.
        target: what it becomes, ``docx`` or ``pptx``.
        task: whose settings limit the time.

    Raises:
        InputError: LibreOffice is not installed, cannot read the file, or takes too long.
    """
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise InputError(f"reading {source} files needs libreoffice; install it: apt-get install {_PACKAGES[target]}")
    seconds = min(_SECONDS, task.settings.seconds)
    with tempfile.TemporaryDirectory(prefix="mneme-office-", ignore_cleanup_errors=True) as folder:
        profile = Path(folder, "profile", "user")
        profile.mkdir(parents=True)
        (profile / "registrymodifications.xcu").write_text(_registry())
        file = Path(folder, f"document.{source}")
        file.write_bytes(content)
        command = [program, "--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard"]
        command += [f"-env:UserInstallation={profile.parent.as_uri()}", "--convert-to", target, "--outdir", folder, str(file)]
        _run(command, folder, seconds)
        made = file.with_suffix(f".{target}")
        if not made.is_file():
            raise InputError(f"libreoffice cannot read it; it is broken or encrypted, or libreoffice lacks {_PACKAGES[target]}")
        return made.read_bytes()


def _run(command: list[str], folder: str, seconds: float) -> None:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TZ")}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "HOME": folder, "TMPDIR": folder, "SAL_USE_VCLPLUGIN": "svp"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise InputError(f"libreoffice has not converted it in {seconds:g} s; save it in a newer format") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # the program is a script that starts others
        process.wait()


def _registry() -> str:
    """The settings as LibreOffice keeps them in a profile."""
    items = (
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, values in _SETTINGS.items()
        for name, value in values.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    return "\n".join((head, *items, "</oor:items>"))
