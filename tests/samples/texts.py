"""Formats that are text: Markdown, HTML, plain text, csv and tsv, captions, and mails."""

import csv
import io
from collections.abc import Sequence
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape

from tests.samples.papers import Grid, Heading, Items, Paper, Paragraph, Piece


def plain_of(paper: Paper) -> str:
    """The paper as people write plain text: headings alone on their lines, tables with tabs."""
    return "\n\n".join("\n".join(_plain(piece)) for piece in paper.pieces) + "\n"


def markdown_of(paper: Paper) -> str:
    """The paper with front matter, ``#`` headings, lists and pipe tables."""
    front = f"---\ntitle: {paper.title}\nauthor: {paper.author}\ndate: {paper.dated_at:%Y-%m-%d}\n---\n\n"
    return front + "\n\n".join("\n".join(_marked(piece)) for piece in paper.pieces) + "\n"


def html_of(paper: Paper, charset: str = "utf-8") -> bytes:
    """A page of the web, with a menu, a script and a style that are no part of its text."""
    language = "zh-CN" if paper.language == "zh" else "en"
    body = "\n".join(line for piece in paper.pieces for line in _tagged(piece))
    page = f"""<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="{charset}">
<title>{escape(paper.title)}</title>
<meta name="author" content="{escape(paper.author)}">
<meta property="article:published_time" content="{paper.dated_at.isoformat()}">
<style>body {{ font-family: serif; }}</style>
<script>window.analytics = {{"id": "ZX-SCRIPT-991"}};</script>
</head>
<body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About</a></li></ul></nav>
<main>
{body}
</main>
<footer>{escape(paper.running)}</footer>
</body>
</html>
"""
    return page.encode(charset)


def csv_of(rows: Sequence[Sequence[object]], delimiter: str = ",") -> str:
    """Rows as csv, quoted where it is needed."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue()


def vtt_of(spoken: Sequence[tuple[str, str]], seconds: int = 6) -> str:
    """Captions with voice tags; each takes so many seconds."""
    cues = (
        f"{number + 1}\n{_clock(number * seconds)} --> {_clock((number + 1) * seconds - 1)}\n<v {who}>{text}</v>\n"
        for number, (who, text) in enumerate(spoken)
    )
    return "WEBVTT\n\nNOTE made for a test\n\n" + "\n".join(cues)


def srt_of(spoken: Sequence[tuple[str, str]], seconds: int = 6) -> str:
    """Subtitles whose lines begin with who speaks."""
    clock = ((_clock(n * seconds), _clock((n + 1) * seconds - 1)) for n in range(len(spoken)))
    cues = (
        f"{number}\n{begin} --> {end}\n{who}: {text}\n".replace(".000", ",000")
        for number, ((begin, end), (who, text)) in enumerate(zip(clock, spoken, strict=True), start=1)
    )
    return "\n".join(cues)


def mail_of(
    paper: Paper,
    sender: str,
    to: str,
    attachments: Sequence[tuple[str, str, bytes]] = (),
    inner: bytes = b"",
    html: bool = False,
    charset: str = "utf-8",
) -> bytes:
    """A mail whose subject and body are a paper's.

    Args:
        paper: what it says.
        sender: ``Name <address>``.
        to: the same.
        attachments: name, media type and bytes of each.
        inner: a mail that is attached as one.
        html: whether the body is also given as HTML.
        charset: of the body.
    """
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, to, paper.title
    mail["Date"] = format_datetime(paper.dated_at)
    mail["Message-ID"] = f"<{paper.dated_at:%Y%m%d}.{len(paper.text)}@example.org>"
    mail.set_content(plain_of(paper), charset=charset)
    if html:
        mail.add_alternative(html_of(paper).decode(), subtype="html")
    for name, media_type, content in attachments:
        main, _, sub = media_type.partition("/")
        mail.add_attachment(content, maintype=main, subtype=sub, filename=name)
    if inner:
        from email import message_from_bytes, policy

        mail.add_attachment(message_from_bytes(inner, policy=policy.default))
    for number, part in enumerate(each for each in mail.walk() if each.is_multipart() and each.get_boundary() is None):
        if part.get_content_maintype() == "multipart":
            part.set_boundary(f"===part-{paper.dated_at:%Y%m%d}-{len(paper.text)}-{number}===")
    return mail.as_bytes()


def _plain(piece: Piece) -> list[str]:
    match piece:
        case Heading(text):
            return [text]
        case Paragraph(text):
            return [text]
        case Items(items):
            return [f"- {item}" for item in items]
        case Grid(rows):
            return ["\t".join(row) for row in rows]


def _marked(piece: Piece) -> list[str]:
    match piece:
        case Heading(text, level):
            return [f"{'#' * level} {text}"]
        case Grid(rows):
            lines = [f"| {' | '.join(row)} |" for row in rows]
            return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]
        case _:
            return _plain(piece)


def _tagged(piece: Piece) -> list[str]:
    match piece:
        case Heading(text, level):
            return [f"<h{level}>{escape(text)}</h{level}>"]
        case Paragraph(text):
            return [f"<p>{escape(text)}</p>"]
        case Items(items):
            return ["<ul>", *(f"<li>{escape(item)}</li>" for item in items), "</ul>"]
        case Grid(rows):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
            body = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]]
            return ["<table>", f"<thead><tr>{head}</tr></thead>", "<tbody>", *body, "</tbody>", "</table>"]


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000"
