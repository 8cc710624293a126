"""PDF files with text, by reportlab."""

import io
from datetime import datetime
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    ListFlowable,
    ListItem,
    PageBreak,
    PageTemplate,
    Spacer,
    Table,
)
from reportlab.platypus import Paragraph as Drawn

from tests.samples.fonts import font_file
from tests.samples.papers import Grid, Heading, Items, Paper, Paragraph, Piece, lines_of

_WIDTH, _HEIGHT = A4
_MARGIN = 60  # points
_GAP = 24  # between two columns


def pdf_of_objects(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalog."""
    out, places = bytearray(b"%PDF-1.5\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    begin = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % at for at in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, begin)
    return bytes(out)


def pdf_of(paper: Paper, columns: int = 1, font: str = "", size: float = 11) -> bytes:
    """The paper as PDF, a page for each of its pages.

    Args:
        paper: what it says.
        columns: one or two.
        font: ``sans``, ``serif`` or ``chinese``, embedded; ``STSong-Light``, a CID font that is not; ``Helvetica``.
            Empty: ``serif``, or ``chinese``.
        size: of the text, in points.

    Raises:
        FontMissing: a font is not installed.
    """
    font = _registered(font or ("chinese" if paper.language == "zh" else "serif"))
    out = io.BytesIO()
    document = BaseDocTemplate(out, pagesize=A4, title=paper.title, author=paper.author, invariant=1)
    width = (_WIDTH - 2 * _MARGIN - _GAP * (columns - 1)) / columns
    height = _HEIGHT - 2 * _MARGIN
    frames = [Frame(_MARGIN + each * (width + _GAP), _MARGIN, width, height, 0, 0, 0, 0) for each in range(columns)]

    def margins(canvas: Any, document: Any) -> None:
        canvas.setDateFormatter(lambda *_: _pdf_date(paper.dated_at))
        canvas.setFont(font, 8)
        canvas.drawString(_MARGIN, _HEIGHT - 36, paper.running)
        canvas.drawCentredString(_WIDTH / 2, 30, f"- {document.page} -")

    document.addPageTemplates(PageTemplate(frames=frames, onPage=margins))
    flow: list[Any] = []
    for number, page in enumerate(paper.pages):
        flow += [PageBreak()] if number else []
        turn = _middle(page) if columns == 2 else -1
        for at, piece in enumerate(page):
            flow += [FrameBreak()] if at == turn else []
            flow += _flowables(piece, font, size, width, paper.language)
    document.build(flow)
    assert document.page == len(paper.pages), f"{paper.name}: a page of the paper does not fit on one of the PDF"
    return out.getvalue()


def _registered(font: str) -> str:
    if font in pdfmetrics.getRegisteredFontNames() or font == "Helvetica":
        return font
    if font == "STSong-Light":
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    else:
        pdfmetrics.registerFont(TTFont(font, str(font_file(font))))
    return font


def _flowables(piece: Piece, font: str, size: float, width: float, language: str) -> list[Any]:
    def style(size: float) -> ParagraphStyle:
        wrap = "CJK" if language == "zh" else None
        return ParagraphStyle("text", fontName=font, fontSize=size, leading=1.4 * size, wordWrap=wrap, spaceAfter=0.6 * size)

    match piece:
        case Heading(text, level):
            return [Spacer(1, size / 2), Drawn(text, style(size * (1.7 if level == 1 else 1.3)))]
        case Paragraph(text):
            return [Drawn(text, style(size))]
        case Items(items):
            # The dot of the bullet: reportlab draws its own with a font that has no dot for Chinese.
            drawn = [ListItem(Drawn(item, style(size)), value="•", bulletFontName="Helvetica") for item in items]
            return [ListFlowable(drawn, bulletType="bullet", start="•", leftIndent=1.5 * size, bulletFontSize=size)]
        case Grid(rows):
            cells = [[Drawn(cell, style(size * 0.95)) for cell in row] for row in rows]
            widths = _column_widths(rows, width)
            return [Table(cells, colWidths=widths, style=[("GRID", (0, 0), (-1, -1), 0.7, colors.black)]), Spacer(1, size)]


def _middle(page: tuple[Piece, ...]) -> int:
    """The heading with which the second column begins, so that both are about as long."""
    lengths = [len("\n".join(lines_of(piece))) for piece in page]
    headings = [at for at, piece in enumerate(page) if isinstance(piece, Heading)]
    return min(headings, key=lambda at: abs(sum(lengths[:at]) - sum(lengths) / 2))


def _column_widths(rows: tuple[tuple[str, ...], ...], width: float) -> list[float]:
    longest = [4 + max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [width * each / sum(longest) for each in longest]


def _pdf_date(moment: datetime) -> str:
    return moment.strftime("D:%Y%m%d%H%M%S+00'00'")
