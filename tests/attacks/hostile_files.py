"""Files made to exhaust or to crash whoever reads them, by format; ``tests/samples/hostile.py`` has those of before.

Nothing here harms who makes it: bombs are made packed.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator

from tests.samples.office import zip_of
from tests.samples.pages import pdf_of_objects

MEGABYTE = 1_000_000
_END = 0xFFFFFFFE  # of a chain of sectors, in OLE
_FAT = 0xFFFFFFFD


def hostile_files(is_long: bool) -> Iterator[tuple[str, bytes, str]]:
    """A name, the content, and what a refusal must say; empty: it may be read, or refused for any reason."""
    yield from _ole()
    yield from _pdf()
    yield from _recordings()
    yield from _archives()
    yield from _drawings()
    yield from _pages()
    yield from _mails()
    yield from _texts()
    yield from _pictures()
    if is_long:
        yield from _slow()


# --- OLE --------------------------------------------------------------------------------------------------------------


def _entry(name: str, sort: int = 2, left: int = -1, right: int = -1, child: int = -1, size: int = 0) -> bytes:
    """An entry of a directory; its stream begins in sector 2."""
    encoded = name.encode("utf-16-le") + b"\0\0"
    head = encoded.ljust(64, b"\0") + struct.pack("<HBBiii", len(encoded), sort, 1, left, right, child)
    return head + bytes(36) + struct.pack("<IQ", 2, size)


def _file(
    entries: Iterable[bytes], chain: Iterable[int] = (_FAT, _END, 2), shift: int = 9, tables: int = 1, more: int = 0
) -> bytes:
    """An OLE file: its table of sectors in sector 0, its directory from sector 1 on."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, shift, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, tables, 1, 0, 4096, _END, 0, _END, more) + struct.pack("<I", 0) + b"\xff" * 432
    table = b"".join(struct.pack("<I", each) for each in chain).ljust(512, b"\xff")
    return head + table + b"".join(entries).ljust(512, b"\0") + bytes(512)


def _ole() -> Iterator[tuple[str, bytes, str]]:
    root, word = _entry("Root Entry", 5, child=1), _entry("WordDocument", size=0x7FFFFFFF)
    book = _entry("Workbook", size=0x7FFFFFFF)
    yield "circle-of-sectors.xls", _file([root, book]), "may be damaged"
    yield "circle-of-directory.xls", _file([root, book], (_FAT, 1)), "may be damaged"
    yield "circle-of-entries.doc", _file([root, _entry("a", 1, 2, 2, 1), _entry("b", 1, 1, 1, 0)]), "no format that is read"
    yield "sectors-of-a-gigabyte.doc", _file([root, word], shift=30), "cannot be opened"
    yield "sectors-of-a-byte.doc", _file([root, word], shift=0), "cannot be opened"
    yield "two-thousand-million-tables.doc", _file([root, word], tables=0x7FFFFFFF, more=0x7FFFFFFF), "cannot be opened"
    mail = _file([root, _entry("__properties_version1.0", size=0x7FFFFFFF)])
    yield "circle-of-sectors.msg", mail, "save it as eml"
    # A directory of 100 sectors: each storage in the one before, or each stream beside it.
    chain = [_FAT, *range(2, 101), _END]
    deep = [root, *(_entry(f"s{at}", 1, child=at + 1) for at in range(1, 399)), _entry("s")]
    wide = [root, *(_entry(f"s{at}", 2, right=at + 1) for at in range(1, 399)), _entry("s")]
    yield "deep.doc", _file(deep, chain), ""
    yield "wide.doc", _file(wide, chain), ""


# --- PDF --------------------------------------------------------------------------------------------------------------

_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_PAGES = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def _page(box: bytes = b"[0 0 612 792]", resources: bytes = b"/Font << /F1 5 0 R >>") -> bytes:
    return b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R /Resources << %s >> >>" % (box, resources)


def _one_page(content: bytes, box: bytes = b"[0 0 612 792]") -> bytes:
    return pdf_of_objects(_CATALOG, _PAGES, _page(box), content, _FONT)


def _packed(megabytes: int, byte: bytes = b" ") -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(byte * MEGABYTE) for _ in range(megabytes)) + packer.flush()


def _pictured(entries: bytes, data: bytes) -> bytes:
    picture = _stream(data, b"/Type /XObject /Subtype /Image " + entries)
    shown = _stream(b"600 0 0 700 0 0 cm /I Do")
    return pdf_of_objects(_CATALOG, _PAGES, _page(resources=b"/XObject << /I 5 0 R >>"), shown, picture)


def _pdf() -> Iterator[tuple[str, bytes, str]]:
    bomb = _packed(1_000)
    thrice = zlib.compress(zlib.compress(bomb, 9), 9)
    yield "inflates.pdf", _one_page(_stream(bomb, b"/Filter /FlateDecode")), "MNEME_DOCUMENTS__MEGABYTES"
    chain = b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"
    yield "inflates-thrice.pdf", _one_page(_stream(thrice, chain)), "MNEME_DOCUMENTS__MEGABYTES"
    yield "filters.pdf", _one_page(_stream(b"41>" * 10, b"/Filter [%s]" % (b"/ASCIIHexDecode " * 100_000))), ""
    drawn = _stream(b"0 0 99 99 re f")
    for name, box in (("huge", b"[0 0 99999999 99999999]"), ("endless", b"[0 0 1e30 1e30]"), ("empty", b"[0 0 0 0]")):
        yield f"{name}-page.pdf", _one_page(drawn, box), ""
    circle = b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF\n"
    yield "circle-of-tables.pdf", circle, "broken"
    pages = b"<< /Type /Pages /Count 1000000 /Kids [2 0 R 2 0 R] >>"
    yield "circle-of-pages.pdf", pdf_of_objects(_CATALOG, pages), "MNEME_DOCUMENTS__MOST_PAGES"
    yield "deep.pdf", pdf_of_objects(_CATALOG, _PAGES, _page(), drawn, b"[" * 200_000 + b"]" * 200_000), ""
    claims = b"/Width 2000000000 /Height 2000000000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /JPXDecode"
    yield "claims.pdf", _pictured(claims, b"x" * 100), ""
    page = struct.pack(">IBBBI", 0, 0x30, 0, 1, 19) + struct.pack(">II", 0x7FFFFFFF, 0x7FFFFFFF) + bytes(11)
    small = b"/Width 65000 /Height 65000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode"
    yield "jbig2.pdf", _pictured(small, page), ""
    own = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>"
    resources = b"/XObject << /X 5 0 R >>"
    form = _stream(b"/X Do", own)
    yield "circle-of-forms.pdf", pdf_of_objects(_CATALOG, _PAGES, _page(resources=resources), _stream(b"/X Do"), form), ""
    ruled = b"".join(b"%d 0 m %d 14000 l S 0 %d m 14000 %d l S " % ((7 * at,) * 4) for at in range(1, 1_990))
    text = b"BT /F1 12 Tf 72 720 Td (a page of rules) Tj ET"
    yield "ruled.pdf", _one_page(_stream(ruled + text), b"[0 0 14000 14000]"), ""


# --- recordings, archives ---------------------------------------------------------------------------------------------


def _recordings() -> Iterator[tuple[str, bytes, str]]:
    yield "claims.wav", b"RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\xff" + bytes(100), ""
    yield "claims.mp3", b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + bytes(100), ""
    yield "claims.m4a", b"\0\0\0\x18ftypM4A \xff\xff\xff\xffmoov" + b"hdlr" * MEGABYTE, ""
    yield "film.m4a", b"\0\0\0\x18ftypisom\xff\xff\xff\xffmdathdlr12345678vide", "film"
    yield "claims.flac", b"fLaC" + b"\x7f\xff\xff\xff" * 1_000, ""
    yield "endless.ogg", b"OggS\0" + b"\xff" * MEGABYTE, ""
    yield "claims.webm", b"\x1a\x45\xdf\xa3" + b"\xff" * MEGABYTE, ""


def many_members(count: int) -> bytes:
    """A ZIP archive whose directory names so many members, all at the same place."""
    member = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count & 0xFFFF, count & 0xFFFF, count * len(entry), len(member), 0)
    return member + entry * count + end


def _archives() -> Iterator[tuple[str, bytes, str]]:
    nested = b"x" * 1_000
    for _ in range(50):
        nested = zip_of({"a.zip": nested})
    yield "nested.docx", nested, "ZIP archive"
    yield "members.docx", many_members(300_000), "300,000 members"
    deep = b"<w:p>" * 30_000 + b"</w:p>" * 30_000
    word = (
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>%s</w:body></w:document>'
    )
    kinds = b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    yield "deep.docx", zip_of({"[Content_Types].xml": kinds, "word/document.xml": word % deep}), ""
    lies = bytearray(zip_of({"[Content_Types].xml": kinds, "word/document.xml": bytes(MEGABYTE)}))
    at = lies.rfind(b"PK\x01\x02")
    lies[at + 24 : at + 28] = struct.pack("<I", 10)  # as if it unpacked to ten bytes
    yield "lies.docx", bytes(lies), ""


# --- drawings, pages, mails, texts, pictures --------------------------------------------------------------------------

_SVG = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '


def _drawings() -> Iterator[tuple[str, bytes, str]]:
    yield "huge.svg", _SVG + b'width="1e9" height="1e9"><rect width="9" height="9"/></svg>', ""
    yield "thin.svg", _SVG + b'viewBox="0 0 1 1000000000"><rect width="1" height="9"/></svg>', ""
    uses = (b'<g id="g%d">%s</g>' % (at, b'<use xlink:href="#g%d"/>' % (at - 1) * 10) for at in range(1, 10))
    laughs = b'width="9" height="9"><g id="g0"><rect width="1" height="1"/></g>%s<use xlink:href="#g9"/></svg>' % b"".join(uses)
    yield "laughs-by-use.svg", _SVG + laughs, "cannot be drawn"
    circle = b'><g id="a"><use xlink:href="#b"/></g><g id="b"><use xlink:href="#a"/></g></svg>'
    yield "circle-of-uses.svg", _SVG + circle, "cannot be drawn"
    yield "deep.svg", _SVG + b">" + b"<g>" * 100_000 + b"</g>" * 100_000 + b"</svg>", ""
    entities = b"".join(b'<!ENTITY a%d "%s">' % (at, b"&a%d;" % (at - 1) * 10) for at in range(1, 10))
    yield "laughs.svg", b'<!DOCTYPE s [<!ENTITY a0 "ha">%s]><svg><text>&a9;</text></svg>' % entities, "entities"


def _pages() -> Iterator[tuple[str, bytes, str]]:
    yield "deep.html", b"<html><body>" + b"<b>" * 100_000 + b"x", "lie in thousands of others"
    yield "tables.html", b"<html><body>" + b"<table><tr><td>" * 180 + b"x" + b"<p>y</p>" * 1_000, ""
    yield "attributes.html", b"<html><body><p " + b"a='1' " * 300_000 + b">x</p>", ""
    yield "comments.html", b"<!--" * 20_000 + b"<html>", ""


def _mails() -> Iterator[tuple[str, bytes, str]]:
    head = b"From: a@example.org\nTo: b@example.org\nSubject: s\nMessage-ID: <1@2>\nMIME-Version: 1.0\n"
    parts = (b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (at, at) for at in range(10_000))
    yield "parts-in-parts.eml", head + b"".join(parts) + b"Content-Type: text/plain\n\nhello", "lie in hundreds of others"
    yield "mails-in-mails.eml", head + b"Content-Type: message/rfc822\n\n" * 10_000 + b"From: x\n\nhi", "lie in hundreds"
    part = b"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nhello there\n"
    yield "attachments.eml", head + b'Content-Type: multipart/mixed; boundary="b"\n\n' + part * 10_000 + b"--b--", ""
    yield "subject.eml", head + b"Subject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n\nhello", ""
    yield "brackets.eml", b"From: %s\nDate: %s\nMessage-ID: <1>\nSubject: x\n\nhi" % (b"(" * 100_000, b"(" * 100_000), ""


def _texts() -> Iterator[tuple[str, bytes, str]]:
    yield "brackets.md", b"[" * 100_000, ""
    yield "quotes.md", b">" * 100_000 + b"\n" + b"- " * 100_000, ""
    yield "fences.md", b"```\n" * 100_001, ""
    yield "deep.json", b"[" * 100_000 + b"]" * 100_000, ""
    yield "dates.txt", b"Date: " + b"2026-" * 100_000, ""
    captions = b"WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n"
    yield "voices.vtt", captions + b"<v A" * 100_000, ""
    yield "blanks.vtt", captions + b"<v " + b" " * 100_000, ""
    yield "arrows.vtt", b"WEBVTT\n\n" + b"00:00:00.000 --> " * 100_000, "no captions"
    yield "number.srt", b"1\n00:00:00,000 --> 00:00:01,000\nhi\n\n" + b"9" * MEGABYTE + b"\n", ""
    yield "quotation.csv", b"a,b\n" + b'"' * MEGABYTE, ""


def _png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunk(*each) for each in chunks) + chunk(b"IEND", b"")


def grey_png(side: int) -> bytes:
    """A black square of so many pixels a side."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(bytes(side + 1)) for _ in range(side)) + packer.flush()
    return _png(side, side, (b"IDAT", data))


def _pictures() -> Iterator[tuple[str, bytes, str]]:
    yield "claims.png", _png(0x7FFFFFFF, 0x7FFFFFFF, (b"IDAT", b"")), "pixels"
    yield "text.png", _png(9, 9, (b"zTXt", b"a\0\0" + _packed(300)), (b"IDAT", zlib.compress(bytes(90)))), "broken"
    yield "claims.gif", b"GIF89a\xff\xff\xff\xff\x80\0\0" + bytes(6) + b",\0\0\0\0\xff\xff\xff\xff\0\x08\x01\0\0;", "pixels"
    bmp = b"BM" + struct.pack("<IIIIiiHH", 2**31 - 1, 0, 54, 40, 2**31 - 1, 2**31 - 1, 1, 24)
    yield "claims.bmp", bmp + bytes(100), "pixels"
    yield "claims.jpg", b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xd9", "pixels"
    yield "claims.webp", b"RIFF\xff\xff\xff\x7fWEBPVP8L\xff\xff\xff\x7f/\xff\xff\xff\xff\xff", "pixels"
    field = struct.pack("<HHII", 256, 4, 1, 8) + struct.pack("<HHII", 257, 4, 1, 8)
    yield "circle.tiff", b"II*\0\x08\0\0\0" + struct.pack("<H", 2) + field + struct.pack("<I", 8), "broken"


def _slow() -> Iterator[tuple[str, bytes, str]]:
    """What takes seconds each, most of them LibreOffice's."""
    root = _entry("Root Entry", 5, child=1)
    yield "circle-of-sectors.doc", _file([root, _entry("WordDocument", size=0x7FFFFFFF)]), "libreoffice"
    yield "circle-of-sectors.ppt", _file([root, _entry("PowerPoint Document", size=0x7FFFFFFF)]), "libreoffice"
    yield "thin-page.pdf", _one_page(_stream(b"0 0 99 99 re f"), b"[0 0 200000000 1]"), "MNEME_DOCUMENTS__MEGABYTES"
    many = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>"
    shown = _stream(b"/X Do " * 1_000)
    forms = pdf_of_objects(
        _CATALOG, _PAGES, _page(resources=b"/XObject << /X 5 0 R >>"), shown, _stream(b"/X Do " * 1_000, many)
    )
    yield "forms.pdf", forms, "MNEME_DOCUMENTS__MEGABYTES"
    yield "members-of-50-megabytes.docx", many_members(1_000_000), "1,000,000 members"
    blurs = b'<feGaussianBlur stdDeviation="500"/>' * 500
    filtered = b'width="2000" height="2000"><filter id="f">%s</filter><rect filter="url(#f)" width="2000" height="2000"/></svg>'
    yield "blurred.svg", _SVG + filtered % blurs, "MNEME_DOCUMENTS__"  # time or memory, whichever ends first
    yield "99-million-pixels.png", grey_png(9_990), ""
