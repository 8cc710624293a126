"""Hostile files: broken ones, bombs and traps, each with what a reader must do with it.

Nothing here harms who makes it: bombs are made packed.
"""

import io
import random
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.policy import SMTP
from functools import cache

from tests.samples import english, records
from tests.samples.office import docx_of, xlsx_of
from tests.samples.pages import pdf_of
from tests.samples.sample import Hostile
from tests.samples.scans import picture_of, scanned
from tests.samples.texts import html_of

_MEGABYTE = 1_000_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
_SECRET = "root:x:0:0"  # what stands in the file that traps reach for
_PASSWORD = "correct horse"


@cache
def hostile(sort: str) -> tuple[Hostile, ...]:
    """Those of one of ``SORTS``.

    Raises:
        FontMissing: a font is not installed.
    """
    return tuple(_MAKERS[sort]())


# --- refused ----------------------------------------------------------------------------------------------------------


def _broken() -> Iterator[Hostile]:
    noise = random.Random(8)
    lease, word = pdf_of(english.LEASE), docx_of(english.LEASE)
    sheets = _prices()
    page = picture_of(scanned(english.MINUTES)[0], "png")
    for name in ("empty.pdf", "empty.docx", "empty.png", "empty.txt"):
        yield Hostile(name, b"", ("empty",))
    yield Hostile("truncated.pdf", lease[:1500], ("pdf",))
    yield Hostile("truncated.docx", word[: len(word) // 2], ("cut off|truncated|broken|damaged",))
    yield Hostile("truncated.xlsx", sheets[: len(sheets) // 2], ("cut off|truncated|broken|damaged",))
    yield Hostile("truncated.png", page[: len(page) // 3], ("cut off|truncated|broken|damaged",))
    yield Hostile("random.docx", noise.randbytes(40_000), ("format",))
    yield Hostile("random.pdf", b"%PDF-1.7\n" + noise.randbytes(40_000), ("pdf",))
    yield Hostile("program.pdf", b"\x7fELF\x02\x01\x01" + bytes(9) + noise.randbytes(60_000), ("program|executable",))
    yield Hostile("program.docx", b"MZ\x90\x00" + bytes(56) + b"\x80" + noise.randbytes(60_000), ("program|executable",))
    yield Hostile("database.txt", _database(), ("database",))


def _locked() -> Iterator[Hostile]:
    yield Hostile("encrypted.pdf", _encrypted_pdf(), ("password",))
    yield Hostile("encrypted.docx", _encrypted_office(docx_of(english.LEASE)), ("password",))
    yield Hostile("encrypted.xlsx", _encrypted_office(_prices()), ("password",))


def _bombs() -> Iterator[Hostile]:
    yield Hostile("bomb.zip", _zip({"bomb.txt": None}), ("zip",))
    yield Hostile("bomb.docx", _replaced(docx_of(english.INVOICE), "word/document.xml"), ("unpack",))
    yield Hostile("bomb.xlsx", _replaced(_prices(), "xl/worksheets/sheet1.xml"), ("unpack",))
    laughs = _laughs()
    yield Hostile("laughs.svg", laughs + b'<svg xmlns="http://www.w3.org/2000/svg"><text>&a9;</text></svg>', ("entit",))
    inside = laughs + (
        b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&a9;</w:t>'
        b"</w:r></w:p></w:body></w:document>"
    )
    yield Hostile("laughs.docx", _replaced(docx_of(english.INVOICE), "word/document.xml", inside), ("entit",))
    yield Hostile("pixels.png", _blank_png(16_000), ("pixel",))
    yield Hostile("far-cell.xlsx", _far_cell(), None, "corner")


def _large() -> Iterator[Hostile]:
    yield Hostile("ten-thousand-pages.pdf", _blank_pages(10_000), ("10000|10,000", "pages", "MNEME_DOCUMENTS__MOST_PAGES"))
    yield Hostile("fifty-megabytes.csv", _long_csv(52 * _MEGABYTE), ("bytes|characters", "MNEME_DOCUMENTS__LARGEST"))
    yield Hostile("long-text.csv", _long_csv(9 * _MEGABYTE), ("characters", "MNEME_DOCUMENTS__LARGEST_TEXT"))
    yield Hostile("frames.tiff", _frames(5_000), ("5000|5,000", "pages", "MNEME_DOCUMENTS__MOST_PAGES"))


def _not_what_they_say() -> Iterator[Hostile]:
    known = "the caretaker, Mr Owen Pryce"
    yield Hostile("really-pdf.txt", pdf_of(english.LEASE), None, known)
    yield Hostile("really-docx.pdf", docx_of(english.LEASE), None, known)
    yield Hostile("really-xlsx.docx", _prices(), None, "Torque wrench up to 60 Nm")
    yield Hostile("really-html.txt", html_of(english.LEASE), None, known, "ZX-SCRIPT-991")
    yield Hostile("really-png.jpg", picture_of(scanned(english.MINUTES)[0], "png"), None, "Samuel reported that the old pump")
    yield Hostile("no-extension", docx_of(english.LEASE), None, known)


# --- read, and nothing more -------------------------------------------------------------------------------------------


def _traps() -> Iterator[Hostile]:
    known = "The membership fee rises from 36 to 42 pounds"
    yield Hostile("macro.docm", _with_macro(docx_of(english.MINUTES), "word", "document"), None, known, "VBA-PAYLOAD-4471")
    yield Hostile("macro.xlsm", _with_macro(_prices(), "xl", "sheet"), None, "Torque wrench", "VBA-PAYLOAD-4471")
    yield Hostile("script.html", _scripts(), None, known, "SCRIPT-PAYLOAD-3302")
    yield Hostile("deep.html", b"<div>" * 100_000 + b"<p>bottom of the well</p>" + b"</div>" * 100_000, ("deep|nested",))
    yield Hostile("mails.eml", _mail_in_mail(50), None, "letter number 0", "letter number 40")
    yield Hostile("broken.eml", _broken_mail(), None, "the boiler was repaired on Thursday")
    outside = b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    body = b'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="80"><text y="40">plan &x;</text></svg>'
    yield Hostile("outside.svg", outside + body, ("entit",))
    link = b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400" height="80">'
    link += b'<image xlink:href="file:///etc/passwd" width="400" height="80"/>'
    link += b'<text y="40" font-size="20">plan of the cellar</text></svg>'
    yield Hostile("link.svg", link, None, "plan of the cellar", _SECRET)
    frame = b'<html><body><p>plan of the attic</p><iframe src="file:///etc/passwd"></iframe></body></html>'
    yield Hostile("frame.html", frame, None, "plan of the attic", _SECRET)


def _scripts() -> bytes:
    page = html_of(english.MINUTES).decode()
    evil = "<script>fetch('http://example.org/SCRIPT-PAYLOAD-3302')</script><noscript>SCRIPT-PAYLOAD-3302</noscript>"
    evil += "<p onclick=\"alert('SCRIPT-PAYLOAD-3302')\">Click here</p><template>SCRIPT-PAYLOAD-3302</template>"
    return page.replace("<main>", f"<main>{evil}").encode()


def _mail_in_mail(depth: int) -> bytes:
    inner: EmailMessage | None = None
    for number in range(depth, -1, -1):
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", f"Letter {number}"
        mail["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
        mail.set_content(f"This is the letter number {number} of many.")
        if inner is not None:
            mail.add_attachment(inner)
            mail.set_boundary(f"===mail-{number}===")
        inner = mail
    assert inner is not None
    return inner.as_bytes()


def _broken_mail() -> bytes:
    """No closing boundary, a Date that is none, a charset that nobody knows, and base64 that is none."""
    return (
        b"From: Janitor\r\nTo: \r\nDate: yesterday\r\nSubject: =?utf-9?Q?Boiler?=\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=part\r\n\r\n--part\r\nContent-Type: text/plain; charset=klingon\r\n\r\n"
        b"For your information: the boiler was repaired on Thursday.\r\n--part\r\nContent-Type: application/pdf\r\n"
        b"Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=bill.pdf\r\n\r\n%%%not base64%%%\r\n"
    )


def _with_macro(content: bytes, folder: str, main: str) -> bytes:
    """The same file as one with macros, whose macro is words that must not count as text."""
    schema, program = ("wordprocessing", "word.document") if folder == "word" else ("spreadsheet", "excel.sheet")
    plain = f"application/vnd.openxmlformats-officedocument.{schema}ml.{main}.main+xml"
    macro = f"application/vnd.ms-{program}.macroEnabled.main+xml"

    def changed(name: str, part: bytes) -> bytes:
        if name != "[Content_Types].xml":
            return part
        kind = b'<Override PartName="/%s/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
        return part.replace(plain.encode(), macro.encode()).replace(b"</Types>", kind % folder.encode())

    return _rewritten(content, changed, {f"{folder}/vbaProject.bin": b"Sub AutoOpen() Shell VBA-PAYLOAD-4471 End Sub"})


_MAKERS: dict[str, Callable[[], Iterator[Hostile]]] = {
    "broken": _broken,
    "locked": _locked,
    "bombs": _bombs,
    "large": _large,
    "not what they say": _not_what_they_say,
    "traps": _traps,
}
SORTS = tuple(_MAKERS)

# --- making them ------------------------------------------------------------------------------------------------------


def _prices() -> bytes:
    return xlsx_of(records.PRICES, "Hartwell price list", "Eleanor Vance", records.PRICES_DATED)


def _database() -> bytes:
    with sqlite3.connect(":memory:") as base:
        base.execute("create table accounts (name text, amount integer)")
        base.execute("insert into accounts values ('Whitlock', 2450)")
        base.commit()
        content = base.serialize()
    base.close()
    return content


def _encrypted_pdf() -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(english.LEASE))))
    writer.encrypt(_PASSWORD, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _encrypted_office(content: bytes) -> bytes:
    from msoffcrypto.format.ooxml import OOXMLFile

    out = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(_PASSWORD, out)
    return out.getvalue()


def _zip(parts: dict[str, bytes | None]) -> bytes:
    """A zip; a part without content is 40 megabytes of spaces."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bomb:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with bomb.open(entry, "w", force_zip64=True) as part:
                for _ in range(40 if content is None else 0):
                    part.write(b" " * _MEGABYTE)
                part.write(content or b"")
    return out.getvalue()


def _replaced(content: bytes, name: str, part: bytes | None = None) -> bytes:
    """An office file with one part replaced; by default by what unpacks to 40 megabytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        return _zip({each: part if each == name else given.read(each) for each in given.namelist()})


def _rewritten(content: bytes, change: Callable[[str, bytes], bytes], more: dict[str, bytes] | None = None) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        return _zip({name: change(name, given.read(name)) for name in given.namelist()} | (more or {}))


def _laughs() -> bytes:
    """Ten entities, each ten times the one before: what looks small is ten thousand million letters."""
    entities = [b'<!ENTITY a0 "ha ha ha ha ">']
    entities += [b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 10)]
    return b'<?xml version="1.0"?><!DOCTYPE bomb [' + b"".join(entities) + b"]>"


def _far_cell() -> bytes:
    """A sheet with a word in its first cell and one in the last cell that a sheet can have."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active["A1"] = "corner"
    book.active["XFD1048576"] = "opposite"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _blank_png(side: int) -> bytes:
    """A white square of so many pixels a side, one bit each."""
    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * (side // 8)
    data = b"".join(packer.compress(row * 100) for _ in range(side // 100)) + packer.flush()

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _blank_pages(count: int) -> bytes:
    """A PDF with so many pages, each with the same line of text."""
    text = b"BT /F1 12 Tf 72 720 Td (one of many pages) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, b" ".join(b"%d 0 R" % (number + 5) for number in range(count))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
    ]
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    objects += [page] * count
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    begin = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, begin)
    return bytes(out)


def _long_csv(size: int) -> bytes:
    head, row = b"Station,Day,Nitrate,Oxygen\n", b"Otley %07d,2026-04-11,14.2,8.7\n"
    return head + b"".join(row % number for number in range(size // len(row % 0)))


def _frames(count: int) -> bytes:
    """A tiff of so many frames of 8 by 8 white pixels, all the same strip."""
    out = bytearray(b"II*\0" + struct.pack("<I", 16) + b"\xff" * 8)
    fields = [(256, 8), (257, 8), (258, 1), (259, 1), (262, 1), (273, 8), (277, 1), (278, 8), (279, 8)]
    length = 2 + 12 * len(fields) + 4
    for number in range(count):
        out += struct.pack("<H", len(fields))
        for tag, value in fields:
            out += struct.pack("<HHII", tag, 4, 1, value)
        out += struct.pack("<I", len(out) + 4 if number < count - 1 else 0)
    assert len(out) == 16 + count * length
    return bytes(out)
