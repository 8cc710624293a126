"""The format of bytes, by their content; the parser of each format, and the packages and programs that it needs.

A name or a media type only breaks a tie: between Markdown and plain text, or for a table that might be prose.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal
from xml.parsers import expat

from connectors.documents.encodings import first_text, is_text
from mneme.errors import InputError

Family = Literal["text", "office", "mail", "pdf", "picture", "sound", "web", "captions"]

_MOST_MEMBERS = 20_000  # of a ZIP archive
_HEAD = 65_536  # bytes that tell what a text is
_ZIP_MEMBER = b"PK\x01\x02"  # what begins a member in the directory of an archive


@dataclass(frozen=True, slots=True)
class Need:
    """A program that is no Python package. Without an optional one less is read: ``serves`` says what then is missing."""

    program: str
    debian: str
    macos: str
    serves: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A format.

    Attributes:
        name: as in ``ParsedDocument.format``.
        family: what formats have in common to whoever reads them.
        media_type: of the web.
        parser: ``module:function`` in ``connectors/documents/formats``; empty for sound, which no parser here reads.
        parsed_by: the same in words for people.
        modules: Python modules that it needs; all are in ``mneme-river[documents]``.
        needs: programs that it needs.
    """

    name: str
    family: Family
    media_type: str
    parser: str
    parsed_by: str
    modules: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()


def _tesseract(serves: str) -> tuple[Need, ...]:
    return (Need("tesseract", "tesseract-ocr tesseract-ocr-chi-sim", "tesseract tesseract-lang", serves, optional=True),)


def _libreoffice(package: str, serves: str) -> tuple[Need, ...]:
    return (Need("soffice", package, "--cask libreoffice", serves),)


def _kinds() -> Iterator[Kind]:
    office = "application/vnd.openxmlformats-officedocument."
    ocr = _tesseract("pictures")
    word, slides = ("unstructured", "docx"), ("unstructured", "pptx")
    old_word = _libreoffice("libreoffice-writer-nogui", "old Word files")
    old_slides = _libreoffice("libreoffice-impress-nogui", "old PowerPoint files")
    pdf_modules, scans = ("pypdfium2", "PIL"), _tesseract("scanned pages")
    yield Kind("pdf", "pdf", "application/pdf", "pdf:parse_pdf", "pypdfium2; scans tesseract", pdf_modules, scans)
    for name in ("png", "jpg", "webp", "tiff", "bmp", "gif"):
        media_type = f"image/{'jpeg' if name == 'jpg' else name}"
        modules = ("PIL", "pytesseract")
        yield Kind(name, "picture", media_type, "pictures:parse_picture", "Pillow and tesseract", modules, ocr)
    drawn = "defusedxml; resvg and tesseract"
    yield Kind("svg", "picture", "image/svg+xml", "pictures:parse_svg", drawn, ("defusedxml", "resvg_py"), ocr)
    yield Kind("docx", "office", f"{office}wordprocessingml.document", "word:parse_word", "unstructured", word)
    yield Kind("doc", "office", "application/msword", "word:parse_word", "LibreOffice, unstructured", word, old_word)
    yield Kind("xlsx", "office", f"{office}spreadsheetml.sheet", "sheets:parse_sheets", "openpyxl", ("openpyxl",))
    yield Kind("xls", "office", "application/vnd.ms-excel", "sheets:parse_sheets", "xlrd", ("xlrd",))
    yield Kind("pptx", "office", f"{office}presentationml.presentation", "slides:parse_slides", "unstructured", slides)
    powerpoint = "application/vnd.ms-powerpoint"
    yield Kind("ppt", "office", powerpoint, "slides:parse_slides", "LibreOffice, unstructured", slides, old_slides)
    yield Kind("eml", "mail", "message/rfc822", "mail:parse_eml", "unstructured", ("unstructured",))
    yield Kind("html", "web", "text/html", "html:parse_html", "unstructured", ("unstructured",))
    yield Kind("txt", "text", "text/plain", "text:parse_markdown", "directly")
    yield Kind("md", "text", "text/markdown", "text:parse_markdown", "directly")
    yield Kind("vtt", "captions", "text/vtt", "captions:parse_captions", "webvtt-py", ("webvtt",))
    yield Kind("srt", "captions", "application/x-subrip", "captions:parse_captions", "webvtt-py", ("webvtt",))
    yield Kind("csv", "text", "text/csv", "text:parse_csv", "directly")
    yield Kind("tsv", "text", "text/tab-separated-values", "text:parse_csv", "directly")
    for name, media in (("mp3", "mpeg"), ("wav", "wav"), ("m4a", "mp4"), ("ogg", "ogg"), ("flac", "flac"), ("webm", "webm")):
        yield Kind(name, "sound", f"audio/{media}", "", "a transcription endpoint (MNEME_TRANSCRIPTION__PROVIDER)")


KINDS = {kind.name: kind for kind in _kinds()}

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"II+\0", "tiff"),
    (b"MM\0+", "tiff"),
    (b"ID3", "mp3"),
    (b"fLaC", "flac"),
    (b"OggS", "ogg"),
)
_NOT_READ: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "gzip", "unpack it"),
    (b"BZh91AY&SY", "bzip2", "unpack it"),
    (b"\xfd7zXZ\0", "xz", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "Zstandard", "unpack it"),
    (b"\x04\x22\x4d\x18", "LZ4", "unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it"),
    (b"{\\rtf", "RTF", "save it as docx or PDF"),
    (b"%!PS", "PostScript", "save it as PDF"),
    (b"8BPS", "a Photoshop file", "save it as png"),
    (b"\0\0\x01\0", "an icon", "save it as png"),
    (b"\x7fELF", "a program", "send a document"),
    (b"\xcf\xfa\xed\xfe", "a program", "send a document"),
    (b"\xca\xfe\xba\xbe", "a program", "send a document"),
    (b"\0asm", "a program", "send a document"),
    (b"SQLite format 3\0", "a database", "export it as csv"),
    (b"PAR1", "Parquet", "export it as csv"),
    (b"ARROW1", "Arrow", "export it as csv"),
    (b"Obj\x01", "Avro", "export it as csv"),
    (b"\x89HDF", "HDF5", "export it as csv"),
)
_OLD_OFFICE = (("WordDocument", "doc"), ("Workbook", "xls"), ("Book", "xls"), ("PowerPoint Document", "ppt"))  # by member
_MARKUP = (b"{\\rtf", b"%!PS")  # of the above what is text itself
_MEDIA = re.compile(r"[\w.+-]+/[\w.+-]+")
_TEXTS = ("md", "html", "csv", "tsv", "eml", "txt")  # that a media type alone may tell apart
_BY_MEDIA_TYPE = {
    **{KINDS[name].media_type: name for name in _TEXTS},
    "text/x-markdown": "md",
    "application/xhtml+xml": "html",
}
_ENDINGS = {"markdown": "md", "htm": "html", "xhtml": "html", "tab": "tsv", "text": "txt", "log": "txt"}
_HEADER = re.compile(r"(?:From |([A-Za-z][A-Za-z0-9-]{0,60}):[ \t])")
_MAIL_HEADERS = frozenset(
    "from to cc subject date message-id received mime-version return-path delivered-to content-type reply-to".split()
)
_TELLING_HEADERS = frozenset("message-id received mime-version return-path delivered-to".split())
_HTML = re.compile(r"(?:\s|<\?xml[^>]*>|<!--(?:[^-]|-(?!->))*-->)*<(?:!doctype\s+html|html|head|body)\b", re.I)
_HTML_TAG = re.compile(r"<(?:div|p|table|ul|ol|h[1-6]|span|title|meta|section|article|main|br|a|b|i|em|strong)\b[^<>]*>", re.I)
_SRT = re.compile(r"\s*\d+[ \t]*\n\s*\d{1,2}:\d{2}:\d{2}[,.]\d{1,3}\s*-->\s*\d{1,2}:\d{2}:\d{2}")


def kind_of(content: bytes, name: str, media_type: str | None) -> Kind:
    """The format of a document, by its content.

    Raises:
        InputError: it is empty, of a format that is known and not read, encrypted, or no document at all. The message does not
            name the file.
    """
    if not content:
        raise InputError("it is empty; send a file that has content")
    if kind := media_kind(content):
        return kind
    begin = content[:1024].lstrip()
    if begin.startswith(b"%PDF-") or (b"%PDF-" in content[:1024] and not is_text(content)):
        return KINDS["pdf"]
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _in_zip(content)
    if begin.startswith(b"\xd0\xcf\x11\xe0"):
        return _in_ole(content)
    for beginning, format, remedy in _NOT_READ:
        if _begins(content, beginning) or (beginning in _MARKUP and begin.startswith(beginning)):
            raise InputError(f"it is {format}, which is not read; {remedy}")
    if content.startswith(b"MZ") and b"\0" in content[:1024]:
        raise InputError("it is a program, which is not read; send a document")
    if not is_text(content):
        raise InputError("it is binary data of no format that is known; send a document, a picture, a recording or text")
    return _in_text(content, _claimed_format(name, media_type))


def media_kind(content: bytes) -> Kind | None:
    """The format of a picture or a recording by its first bytes, without opening anything; None for all else (svg, too).

    Raises:
        InputError: it is a film, or a picture of a format that is not read.
    """
    for beginning, format in _BEGINNINGS:
        if _begins(content, beginning):
            return KINDS[format]
    if content.startswith(b"RIFF") and content[8:12] in (b"WAVE", b"WEBP"):
        return KINDS["wav" if content[8:12] == b"WAVE" else "webp"]
    if (
        content.startswith(b"BM")
        and content[6:10] == b"\0\0\0\0"
        and int.from_bytes(content[14:18], "little") in range(12, 200)
    ):
        return KINDS["bmp"]
    if len(content) > 2 and content[0] == 0xFF and content[1] & 0xE6 == 0xE2 and content[2] >> 4 != 15:
        return KINDS["mp3"]
    if content[4:8] == b"ftyp":
        return _in_mp4(content)
    if content.startswith(b"\x1a\x45\xdf\xa3"):
        if any(codec in content[:_HEAD] for codec in (b"V_VP8", b"V_VP9", b"V_AV1", b"V_MPEG")):
            raise InputError("it is a film, which is not read; send its sound, as m4a or webm")
        return KINDS["webm"]
    return None


def _begins(content: bytes, beginning: bytes) -> bool:
    """True if bytes begin so; a text may speak of ``GIF89a`` in its first words."""
    return content.startswith(beginning) and not (beginning.isascii() and is_text(content))


def _claimed_format(name: str, media_type: str | None) -> str:
    """The format that a name, else a media type, claims; empty without a claim."""
    ending = PurePath(name).suffix.lower().lstrip(".")
    ending = _ENDINGS.get(ending, ending)
    if ending in KINDS:
        return ending
    media = _MEDIA.match((media_type or "").strip().lower())
    return _BY_MEDIA_TYPE.get(media[0], "") if media else ""


def _in_mp4(content: bytes) -> Kind:
    brand = content[8:12]
    if brand in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"avis"):
        raise InputError("it is a HEIF picture, which is not read; save it as jpg or png")
    if b"vide" in content and re.search(rb"hdlr.{8}vide", content, re.DOTALL):
        raise InputError("it is a film, which is not read; send its sound, as m4a")
    return KINDS["m4a"]


def _in_zip(content: bytes) -> Kind:
    if (members := content.count(_ZIP_MEMBER)) > _MOST_MEMBERS:  # before each becomes an object: a million fill the memory
        raise InputError(
            f"it is a ZIP archive of {members:,} members, which no document has; unpack it, and send what is in it"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            declared = archive.open("mimetype").read(200).decode("ascii", "replace").strip() if "mimetype" in names else ""
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, ValueError, EOFError) as error:
        raise InputError(
            f"it is a ZIP archive (Word, Excel and PowerPoint files are) that cannot be opened ({type(error).__name__}); it may"
            " be cut off: send it again"
        ) from error
    if "[Content_Types].xml" in names:
        if "xl/workbook.bin" in names:
            raise InputError("it is a binary Excel file (xlsb), which is not read; save it as xlsx")
        for folder, format in (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx")):
            if any(member.startswith(folder) for member in names):
                return KINDS[format]
    if declared == "application/epub+zip":
        raise InputError("it is an EPUB book, which is not read; save it as PDF or html")
    if declared.startswith("application/vnd.oasis.opendocument"):
        raise InputError("it is an OpenDocument file, which is not read; save it as docx, xlsx, pptx or PDF")
    if "META-INF/MANIFEST.MF" in names or "AndroidManifest.xml" in names:
        raise InputError("it is a program, which is not read; send a document")
    raise InputError("it is a ZIP archive, which is not read; unpack it, and send what is in it")


def _in_ole(content: bytes) -> Kind:
    """Old Office files; and encrypted new ones, which are packed into such a file."""
    try:
        import olefile
    except ModuleNotFoundError:
        raise InputError(
            "it is an old Office file, and what reads it is not installed; pip install 'mneme-river[documents]'"
        ) from None
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as file:
            if file.exists("EncryptedPackage"):
                raise InputError("it is encrypted; remove its password and send it again")
            for member, format in _OLD_OFFICE:
                if file.exists(member):
                    return KINDS[format]
            if file.exists("__properties_version1.0"):
                raise InputError("it is a mail of Outlook (msg), which is not read; save it as eml")
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"it is an old Office file that cannot be opened ({type(error).__name__}); it may be cut off: send it again"
        ) from error
    raise InputError("it is an OLE file of no format that is read; save it as docx, xlsx, pptx or PDF")


def _in_text(content: bytes, claimed: str) -> Kind:
    head = first_text(content, _HEAD)
    begin = head.lstrip("\ufeff \t\n")
    if re.match(r"WEBVTT(?:[ \t\n]|$)", begin):
        return KINDS["vtt"]
    if _SRT.match(begin):
        return KINDS["srt"]
    if begin.startswith("<") and _root_of(begin) == "svg":
        return KINDS["svg"]
    if _HTML.match(begin) or (claimed in ("html", "") and begin.startswith("<") and _HTML_TAG.match(begin)):
        return KINDS["html"]
    if claimed == "html" and _HTML_TAG.search(begin):
        return KINDS["html"]
    if _is_mail(begin, claimed):
        return KINDS["eml"]
    if claimed == "md":
        return KINDS["md"]
    from connectors.documents.formats.text import delimiter_of

    delimiter = delimiter_of(head, strict=claimed not in ("csv", "tsv"))
    if delimiter is not None:
        return KINDS["tsv" if delimiter == "\t" else "csv"]
    return KINDS["txt"]


def _root_of(begin: str) -> str:
    """The name of the first element of XML, without its namespace; empty where there is none. Nothing is unfolded."""
    parser = expat.ParserCreate()
    found: list[str] = []
    parser.StartElementHandler = lambda name, _: found.append(name)
    with suppress(expat.ExpatError):  # the end is cut off, or it is no XML at all
        parser.Parse(begin.encode(), False)
    return found[0].rpartition(":")[2] if found else ""


def _is_mail(begin: str, claimed: str) -> bool:
    """True if a text begins with the header of a mail: notes may begin with ``Date:``, but not with ``Message-ID:`` too."""
    names = set()
    for line in begin.split("\n", 100)[:100]:
        if not line.strip():
            break
        if line[0] in " \t":
            continue
        header = _HEADER.match(line)
        if header is None:
            return False
        names.add((header[1] or "from").lower())
    headers = names & _MAIL_HEADERS
    return bool(headers) if claimed == "eml" else len(headers) > 2 and bool(headers & _TELLING_HEADERS)
