"""Bytes to text, whatever they were saved as."""

import codecs
import re

from mneme.errors import InputError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65_536  # bytes that a detection looks at
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")  # without escape: ISO-2022-JP is written with it
_MOST_NO_TEXT = 0.02  # of the bytes; a stray control character does not make a text binary
_SHIFTED = re.compile(rb"\x1b\$[@B]")  # to Japanese, in ISO-2022-JP, which looks like ASCII
_ALONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_HIGH = re.compile(rb"[\x80-\xff]")
_MOSTLY = 0.7


def is_text(content: bytes) -> bool:
    """True if bytes may be text: they have a byte order mark, or (almost) no control characters. The first 64 KiB decide."""
    head = content[:_SAMPLE]
    if any(head.startswith(mark) for mark, _ in _MARKS) or _utf16_without_mark(head):
        return True
    return b"\0" not in head and len(_NO_TEXT.findall(head)) <= _MOST_NO_TEXT * len(head)


def text_of(content: bytes) -> str:
    r"""The text that bytes are, with line feeds at the ends of lines.

    1. A byte order mark says what they are.
    2. What is UTF-8 without a fault is UTF-8; what shifts to Japanese is ISO-2022-JP.
    3. A zero in every second byte: UTF-16.
    4. Single letters beyond ASCII between ASCII ones are of Western Europe: cp1252. The rest is detected.

    >>> text_of("caf\u00e9\r\n".encode("latin-1"))
    'caf\xe9\n'

    Raises:
        InputError: it is no text.
    """
    return _decoded(content).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def first_text(content: bytes, size: int) -> str:
    """The text that about the first ``size`` bytes are, cut between two characters; see ``text_of``."""
    end = size
    while size - 3 < end < len(content) and 0x80 <= content[end] < 0xC0:  # within a character of UTF-8
        end -= 1
    return text_of(content[:end])


def _decoded(content: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if encoding is not None:
        return content.decode(encoding, errors="replace")
    try:
        return content.decode("iso2022_jp" if _SHIFTED.search(content) else "utf-8")
    except UnicodeDecodeError:
        return content.decode(_utf16_without_mark(content[:_SAMPLE]) or _detected(content), errors="replace")


def _utf16_without_mark(head: bytes) -> str | None:
    even, odd = head[::2], head[1::2]
    if len(odd) < 2:
        return None
    zeros_even, zeros_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zeros_odd > _MOSTLY and not zeros_even:
        return "utf-16-le"
    return "utf-16-be" if zeros_even > _MOSTLY and not zeros_odd else None


def _detected(content: bytes) -> str:
    first = _HIGH.search(content)
    begin = max(0, first.start() - 1024) if first else 0
    sample = content[begin : begin + _SAMPLE]
    if len(_ALONE.findall(sample)) > _MOSTLY * len(_HIGH.findall(sample)) and _fits(sample, "cp1252"):
        return "cp1252"
    try:
        from charset_normalizer import from_bytes
    except ModuleNotFoundError:
        raise InputError("it is not UTF-8; save it as UTF-8, or run pip install 'mneme-river[documents]'") from None
    guess = from_bytes(sample).best()
    if guess is None or guess.encoding.startswith(("utf_16", "utf_32")):
        if _fits(sample, "cp1252"):
            return "cp1252"
        raise InputError("its encoding is not known; save it as UTF-8")
    return guess.encoding


def _fits(sample: bytes, encoding: str) -> bool:
    try:
        sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
