"""Hostile files: one for each reason to refuse one, and traps that are read and do nothing.

What a format, an archive or a limit refuses besides, its own tests hold; what exhausts or crashes a library is in
``tests/attacks/hostile_files.py``. Nothing here harms who makes it: bombs are made packed.
"""

import io
import random
import zipfile
from functools import cache

from tests.samples import english, records
from tests.samples.office import docx_of, with_parts, xlsx_of
from tests.samples.sample import Hostile
from tests.samples.scans import picture_of, scanned

_MEGABYTE = 1_000_000
_SECRET = "root:x:0:0"  # what stands in the file that a trap reaches for


@cache
def hostile() -> tuple[Hostile, ...]:
    """All of them.

    Raises:
        FontMissing: a font is not installed.
    """
    noise = random.Random(8)
    word = docx_of(english.INVOICE)
    sheets = xlsx_of(records.PRICES, "Hartwell price list", "Eleanor Vance", records.PRICES_DATED)
    page = picture_of(scanned(english.MINUTES)[0], "png")
    return (
        Hostile("empty.docx", b"", ("empty",)),
        Hostile("truncated.xlsx", sheets[: len(sheets) // 2], ("cut off",)),
        Hostile("truncated.png", page[: len(page) // 3], ("broken",)),
        Hostile("random.docx", noise.randbytes(40_000), ("format",)),
        Hostile("program.pdf", b"\x7fELF\x02\x01\x01" + bytes(9) + noise.randbytes(60_000), ("program",)),
        Hostile("encrypted.docx", _encrypted(word), ("password",)),
        Hostile("encrypted.xlsx", _encrypted(sheets), ("password",)),
        Hostile("bomb.docx", with_parts(word, {"word/document.xml": b" " * 40 * _MEGABYTE}), ("unpack",)),
        Hostile("laughs.docx", with_parts(word, {"word/document.xml": _LAUGHS}), ("entit",)),
        Hostile("long-text.csv", _long_csv(9 * _MEGABYTE), ("characters", "MNEME_DOCUMENTS__LARGEST_TEXT")),
        Hostile("large.csv", _long_csv(52 * _MEGABYTE), ("bytes", "MNEME_DOCUMENTS__LARGEST_BYTES")),
        Hostile("deep.html", b"<div>" * 100_000 + b"bottom of the well", ("thousands of others",)),
        Hostile("macro.xlsm", _with_macro(sheets), None, "Torque wrench", "VBA-PAYLOAD-4471"),
        Hostile("frame.html", _FRAME, None, "plan of the attic", _SECRET),
        Hostile("broken.eml", _BROKEN_MAIL, None, "the boiler was repaired on Thursday"),
    )


_LAUGHS = (  # ten entities, each ten times the one before: what looks small is ten thousand million letters
    b'<?xml version="1.0"?><!DOCTYPE bomb [<!ENTITY a0 "ha ha ha ha ">'
    + b"".join(b'<!ENTITY a%d "%s">' % (number, b"&a%d;" % (number - 1) * 10) for number in range(1, 10))
    + b']><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>&a9;'
    b"</w:t></w:r></w:p></w:body></w:document>"
)
_FRAME = b'<html><body><p>plan of the attic</p><iframe src="file:///etc/passwd"></iframe></body></html>'
_BROKEN_MAIL = (  # no closing boundary, a Date that is none, a charset that nobody knows, and base64 that is none
    b"From: Janitor\r\nTo: \r\nDate: yesterday\r\nSubject: =?utf-9?Q?Boiler?=\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: multipart/mixed; boundary=part\r\n\r\n--part\r\nContent-Type: text/plain; charset=klingon\r\n\r\n"
    b"For your information: the boiler was repaired on Thursday.\r\n--part\r\nContent-Type: application/pdf\r\n"
    b"Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=bill.pdf\r\n\r\n%%%not base64%%%\r\n"
)


def _encrypted(content: bytes) -> bytes:
    from msoffcrypto.format.ooxml import OOXMLFile

    out = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt("correct horse", out)
    return out.getvalue()


def _with_macro(content: bytes) -> bytes:
    """A workbook as one with macros, whose macro is words that must not count as text."""
    name = "[Content_Types].xml"
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        kinds = given.read(name)
    kinds = kinds.replace(
        b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
        b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
    )
    macro = b"Sub AutoOpen() Shell VBA-PAYLOAD-4471 End Sub"
    return with_parts(content, {name: kinds, "xl/vbaProject.bin": macro})


def _long_csv(size: int) -> bytes:
    head, row = b"Station,Day,Nitrate,Oxygen\n", b"Otley %07d,2026-04-11,14.2,8.7\n"
    return head + b"".join(row % number for number in range(size // len(row % 0)))
