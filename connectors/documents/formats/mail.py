"""Mails: who wrote what to whom and when, the body, and what is attached, to a depth."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from itertools import chain
from pathlib import PurePath

from connectors.documents.blocks import Block, sections_of
from connectors.documents.dates import date_of, moment_in_header
from connectors.documents.formats.html import decoded, html_blocks
from connectors.documents.guards import TableLimits
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section

_HEADERS = ("Subject", "From", "To", "Cc", "Date")
_LONGEST_NAME = 100  # characters of the name of one, and of it as it is written
_LONGEST_FILENAME = 10_000
_LONGEST_HEADER = 200_000  # characters, of thousands of addresses; to decode words takes the square of their number
_MOST_PARTS_DEEP = 50  # multiparts in multiparts; more is a bomb
_SMALLEST_PICTURE = 1_500  # bytes; below are logos and what tells the sender that a mail was opened
_ITEM = re.compile(r"\s{0,6}(?:[-*•·]|\d{1,3}[.)、])\s+\S")


def parse_eml(content: bytes, task: Task) -> ParsedDocument:
    """The mail's own sections, then those of its attachments, each placed ``attachment offer.pdf, page 1``.

    The headers are text, too: who asks for a mail by its sender finds it. An attachment that cannot be read, or lies deeper
    than the settings allow, is named in ``unread``, and the mail is read all the same.

    Raises:
        InputError: it has neither headers of a mail nor a body.
    """
    message = message_from_bytes(content, policy=policy.compat32)
    unread: list[str] = []
    leaves = _leaves(message, 0, unread)
    bodies = [part for part in leaves if _is_body(part)]
    attachments = [part for part in leaves if not _is_body(part)]
    charset = next((charset for body in (message, *bodies) if (charset := body.get_content_charset(""))), "")
    headers = {name: text for name in _HEADERS if (text := _header(message, name, charset))}
    long = (name for name in _HEADERS if len(_raw(message, name, charset)) > _LONGEST_HEADER)
    unread += [f"{name}: only its first {_LONGEST_HEADER:,} characters" for name in long]
    if not headers and not attachments and not any(str(body.get_payload()).strip() for body in bodies):
        raise InputError("it is no mail: it has no headers and no body")
    title = headers.get("Subject") or PurePath(task.name).stem
    blocks = [Block("row", f"{name}: {text}") for name, text in headers.items()]
    limits = TableLimits(task.settings)
    for body in bodies:
        blocks += _body(body, limits)
    sections = list(sections_of(blocks, title))
    for number, part in enumerate(attachments):
        found, reasons = _attachment(part, number, task)
        sections += found
        unread += reasons
    metadata = {name.lower(): text for name, text in headers.items() if name != "Date"}
    if identifier := _header(message, "Message-ID"):
        metadata["message_id"] = identifier.strip("<>")
    dated_at = moment_in_header(headers.get("Date", "")) or _received(message) or date_of(blocks)
    return ParsedDocument(title, tuple(sections), dated_at, metadata, unread=tuple(unread))


def _leaves(part: Message, depth: int, unread: list[str]) -> list[Message]:
    """The parts of a mail that a reader sees; of those that come in several ways, the best one."""
    kind = part.get_content_type()
    if depth > _MOST_PARTS_DEEP:
        unread.append(f"parts of the mail that lie more than {_MOST_PARTS_DEEP} deep in others")
        return []
    if not kind.startswith("multipart/"):
        return [part]
    ways = [_leaves(child, depth + 1, unread) for child in _children(part)]
    return max(ways, key=_worth, default=[]) if kind == "multipart/alternative" else list(chain.from_iterable(ways))


def _worth(leaves: list[Message]) -> int:
    """HTML shows tables and headings, plain text is better than none."""
    kinds = [part.get_content_type() for part in leaves if _is_body(part) and str(part.get_payload()).strip()]
    return 2 if "text/html" in kinds else len(kinds) and 1


def _is_body(part: Message) -> bool:
    return part.get_content_type() in ("text/plain", "text/html") and not _is_attachment(part)


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _is_attachment(part: Message) -> bool:
    disposition = str(part.get("Content-Disposition", "")).split(";")[0].strip().lower()
    return disposition == "attachment" or (disposition != "inline" and part.get_filename() is not None)


def _body(part: Message, limits: TableLimits) -> Iterator[Block]:
    payload = part.get_payload(decode=True)
    text = decoded(payload, part.get_content_charset("") or "") if isinstance(payload, bytes) else ""
    if part.get_content_type() == "text/html":
        yield from html_blocks(text, limits)
    else:
        yield from _plain(text)


def _plain(text: str) -> Iterator[Block]:
    """Paragraphs and items of plain text."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = [line.rstrip() for line in paragraph.strip("\n").split("\n")]
        if len(lines) > 1 and all(_ITEM.match(line) for line in lines):
            yield from (Block("item", line) for line in lines)
        else:
            yield Block("text", "\n".join(lines))


def _attachment(part: Message, number: int, task: Task) -> tuple[list[Section], list[str]]:
    """The sections of an attachment, and what of it was not read."""
    kind = part.get_content_type()
    name = _name(part, number)
    place = f"attachment {name}"
    try:
        content = _content(part)
        inline = str(part.get("Content-Disposition", "")).lower().startswith("inline") or part.get("Content-ID") is not None
        if not content or (inline and kind.startswith("image/") and len(content) < _SMALLEST_PICTURE):
            return [], []
        nested = task.nested(content, name, None if kind == "application/octet-stream" else kind)
    except InputError as error:
        return [], [f"{place}: {str(error).removeprefix(f'{name}: ')}"]
    sections = [replace(each, place=f"{place}, {each.place}" if each.place else place) for each in nested.sections]
    if nested.spoken:
        said = "\n".join(f"{each.speaker}: {each.text}" if each.speaker else each.text for each in nested.spoken)
        sections.append(Section(nested.title, said, place))
    return sections, [f"{place}, {reason}" for reason in nested.unread]


def _content(part: Message) -> bytes:
    """The bytes of an attachment; a mail in a mail is written out again.

    Raises:
        InputError: they are not what the part says.
    """
    payload = part.get_payload()
    if isinstance(payload, list):
        try:
            return b"".join(each.as_bytes() for each in payload if isinstance(each, Message))
        except (UnicodeError, KeyError, ValueError, LookupError, TypeError) as error:
            raise InputError("the mail in it is broken; save it from the mail program") from error
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _name(part: Message, number: int) -> str:
    name = _words((part.get_filename() or "")[-_LONGEST_FILENAME:])
    if not name and part.get_content_type() == "message/rfc822":
        payload = part.get_payload()
        inner = payload[0] if isinstance(payload, list) and payload else None
        subject = _header(inner, "Subject") if isinstance(inner, Message) else ""
        name = f"{subject[:80] or 'message'}.eml"
    name = name.replace("\\", "/").rpartition("/")[2].strip()
    return name[-_LONGEST_NAME:] or f"{number + 1}.{part.get_content_subtype()}"


def _header(message: Message, name: str, charset: str = "") -> str:
    """A header as text. Bytes beyond ASCII, which none may have, are taken for what the body is in."""
    return _words(_raw(message, name, charset)[:_LONGEST_HEADER])


def _raw(message: Message, name: str, charset: str = "") -> str:
    """All headers of a name as they are written, one behind the other; each may be in an encoding of its own."""
    written = [str(value).strip() for each, value in message.raw_items() if each.lower() == name.lower()]
    return ", ".join(decoded(each.encode("utf-8", "surrogateescape"), charset) for each in written if each)


def _words(text: str) -> str:
    """A header's text with its encoded words decoded: ``=?gb2312?B?...?=``."""
    try:
        pieces = decode_header(text)
    except (HeaderParseError, ValueError):
        return " ".join(text.split())
    words = ""
    for piece, charset in pieces:
        if isinstance(piece, str):
            words += piece
        else:
            words += decoded(piece, charset) if charset else piece.decode("raw-unicode-escape", "replace")
    return " ".join(words.split())


def _received(message: Message) -> datetime | None:
    """The time at which the first server had it, for mails without a date."""
    said = (str(value).rpartition(";")[2] for value in reversed(message.get_all("Received", [])))
    return next(filter(None, map(moment_in_header, said)), None)
