"""All samples, by format. Those of one format are made when they are first asked for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from PIL import Image

from tests.samples import chinese, english, records, short
from tests.samples.drawings import framed_svg_of, outlined_svg_of, svg_of
from tests.samples.office import converted, docx_of, pptx_of, xlsx_of
from tests.samples.pages import pdf_of
from tests.samples.papers import Paper
from tests.samples.records import text_of_rows
from tests.samples.sample import Sample
from tests.samples.scans import picture_of, pictures_of, scanned, scanned_pdf
from tests.samples.texts import csv_of, html_of, mail_of, markdown_of, plain_of, srt_of, vtt_of


@cache
def samples(format: str) -> tuple[Sample, ...]:
    """Those of one format.

    Raises:
        FontMissing: a font is not installed.
        OfficeMissing: LibreOffice is not installed, and the format is one of the old ones.
    """
    return tuple(_MAKERS[format]())


def _paged(paper: Paper, name: str, format: str, content: bytes, place: str = "page", **more: bool) -> Sample:
    texts = {f"{place} {page + 1}": paper.text_of(page) for page in range(len(paper.pages))}
    return Sample(name, format, content, texts, paper.title, paper.dated_at, paper.language, **more)


def _flowing(paper: Paper, name: str, format: str, content: bytes, scan: bool = False) -> Sample:
    return Sample(name, format, content, {"": paper.text}, paper.title, paper.dated_at, paper.language, scan)


# --- documents --------------------------------------------------------------------------------------------------------


def _pdf() -> Iterator[Sample]:
    for paper in (*english.PAPERS, *chinese.PAPERS):
        yield _paged(paper, f"{paper.name}.pdf", "pdf", pdf_of(paper))
    yield _paged(english.LEASE, "lease-helvetica.pdf", "pdf", pdf_of(english.LEASE, font="Helvetica"))
    yield _paged(english.REPORT, "report-two-columns.pdf", "pdf", pdf_of(english.REPORT, columns=2, size=10))
    yield _paged(chinese.CONTRACT, "采购合同-宋体.pdf", "pdf", pdf_of(chinese.CONTRACT, font="STSong-Light"))
    for name, paper, pages in _scans():
        yield _paged(paper, f"scan-{name}.pdf", "pdf", scanned_pdf(pages), scan=True)
    yield _paged(english.MANUAL, "scan-manual.pdf", "pdf", scanned_pdf(scanned(english.MANUAL)), scan=True)


def _docx() -> Iterator[Sample]:
    for paper in (*english.PAPERS, *chinese.PAPERS):
        made = _paged if len(paper.pages) > 1 else _flowing
        yield made(paper, f"{paper.name}.docx", "docx", docx_of(paper))


def _pptx() -> Iterator[Sample]:
    for paper, notes in (
        (short.SLIDES, "Say that the budget was approved by Fiona Clarke."),
        (short.CHINESE_SLIDES, "提醒大家填写反馈表。"),
    ):
        made = _paged(paper, f"{paper.name}.pptx", "pptx", pptx_of(paper, notes), "slide")
        yield replace(made, texts={**made.texts, "slide 1": f"{made.texts['slide 1']}\n{notes}"})


def _xlsx() -> Iterator[Sample]:
    for name, title, sheets, language in (
        ("prices", "Hartwell price list", records.PRICES, "en"),
        ("茶叶价目表", "春季茶叶价目表", records.CHINESE_PRICES, "zh"),
        ("staff", "Staff of the institute", {"Staff": records.STAFF}, "en"),
    ):
        content = xlsx_of(sheets, title, "Eleanor Vance", records.PRICES_DATED)
        texts = {f"sheet {sheet}": text_of_rows(rows) for sheet, rows in sheets.items()}
        yield Sample(f"{name}.xlsx", "xlsx", content, texts, title, records.PRICES_DATED, language)


def _old(format: str) -> Iterator[Sample]:
    """The new format's samples, saved in the old one."""
    given = {sample.name: sample for sample in samples(f"{format}x")}
    for name, content in converted({name: sample.content for name, sample in given.items()}, format).items():
        yield replace(given[f"{name}x"], name=name, format=format, content=content)


# --- pictures ---------------------------------------------------------------------------------------------------------


@cache
def _scans() -> tuple[tuple[str, Paper, list[Image.Image]], ...]:
    """Pages as a scanner gives them: what they are called, what they say, and how they look."""
    lease = english.LEASE.first_page()
    return (
        ("clean", lease, scanned(lease)),
        ("skewed", english.MINUTES, scanned(english.MINUTES, damage="skewed")),
        ("noisy", lease, scanned(lease, damage="noisy")),
        ("table", english.INVOICE, scanned(english.INVOICE)),
        ("table-worn", english.INVOICE, scanned(english.INVOICE, damage="worn")),
        ("two-columns", english.REPORT, scanned(english.REPORT, columns=2, size=10)),
        ("two-columns-noisy", english.REPORT, scanned(english.REPORT, columns=2, size=10, damage="noisy")),
        ("chinese", chinese.CONTRACT.first_page(), scanned(chinese.CONTRACT.first_page())),
        ("chinese-skewed", chinese.MINUTES, scanned(chinese.MINUTES, damage="skewed")),
        ("chinese-noisy", chinese.MANUAL, scanned(chinese.MANUAL, damage="noisy")),
    )


def _pictures(format: str) -> Iterator[Sample]:
    for name, paper, pages in _scans():
        yield _flowing(paper, f"scan-{name}.{format}", format, picture_of(pages[0], format), scan=True)
    if format == "tiff":
        pages = pictures_of(scanned(english.MANUAL), "tiff")
        yield _paged(english.MANUAL, "fax-manual.tiff", "tiff", pages, scan=True)


def _svg() -> Iterator[Sample]:
    for lines, title, about, language, font in (
        (short.DIAGRAM, "Layout of the pumping station", "Drawn by Ruth Adler on 4 May 2026", "en", "sans"),
        (short.CHINESE_DIAGRAM, "变电站线路图", "二零二六年三月绘制", "zh", "chinese"),
    ):
        text = "\n".join(lines)
        drawn = svg_of(lines, title, about)
        yield Sample(f"{title}.svg", "svg", drawn, {"": f"{text}\n{title}\n{about}"}, title, None, language)
        drawn = outlined_svg_of(lines, font)
        yield Sample(f"{title}-outlines.svg", "svg", drawn, {"": text}, "", None, language, scan=True)
    picture = scanned(english.INVOICE)[0]
    yield replace(_flowing(english.INVOICE, "framed.svg", "svg", framed_svg_of(picture), scan=True), title="")


# --- texts ------------------------------------------------------------------------------------------------------------


def _txt() -> Iterator[Sample]:
    for paper in (*english.PAPERS[:3], *chinese.PAPERS):
        yield replace(_flowing(paper, f"{paper.name}.txt", "txt", plain_of(paper).encode()), title="")
    for paper, encoding in (
        (english.MINUTES, "utf-16"),
        (short.LATIN, "latin-1"),
        (chinese.CONTRACT, "gb18030"),
        (chinese.MINUTES, "utf-16-le"),
        (short.TRADITIONAL, "big5"),
    ):
        mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
        made = _flowing(paper, f"{paper.name}-{encoding}.txt", "txt", mark + plain_of(paper).encode(encoding))
        yield replace(made, title="")


def _md() -> Iterator[Sample]:
    for paper in (english.MANUAL, english.LEASE, chinese.MANUAL):
        yield _flowing(paper, f"{paper.name}.md", "md", markdown_of(paper).encode())


def _html() -> Iterator[Sample]:
    for paper in (english.REPORT, english.INVOICE, chinese.CONTRACT):
        yield _flowing(paper, f"{paper.name}.html", "html", html_of(paper))
    yield _flowing(chinese.MINUTES, "会议纪要-gb18030.htm", "html", html_of(chinese.MINUTES, "gb18030"))


def _csv() -> Iterator[Sample]:
    yield Sample("staff.csv", "csv", csv_of(records.STAFF).encode(), {"": text_of_rows(records.STAFF)})
    yield Sample(
        "staff-semicolons.csv", "csv", csv_of(records.STAFF, ";").encode("utf-8-sig"), {"": text_of_rows(records.STAFF)}
    )
    text = text_of_rows(records.CHINESE_STAFF)
    yield Sample("员工.csv", "csv", csv_of(records.CHINESE_STAFF).encode("gb18030"), {"": text}, language="zh")


def _tsv() -> Iterator[Sample]:
    yield Sample("staff.tsv", "tsv", csv_of(records.STAFF, "\t").encode(), {"": text_of_rows(records.STAFF)})
    text = text_of_rows(records.CHINESE_STAFF)
    yield Sample("员工.tsv", "tsv", csv_of(records.CHINESE_STAFF, "\t").encode("utf-16"), {"": text}, language="zh")


def _captions(format: str, write: Callable[[Sequence[tuple[str, str]]], str]) -> Iterator[Sample]:
    for name, talk, language in (("bridge", records.TALK, "en"), ("发布会", records.CHINESE_TALK, "zh")):
        text = "\n".join(line for _, line in talk)
        yield Sample(f"{name}.{format}", format, write(talk).encode(), {"": text}, language=language, spoken=talk)


def _eml() -> Iterator[Sample]:
    anna, ben = "Anna Keller <anna@example.org>", "Ben Archer <ben@example.org>"
    yield _flowing(english.MINUTES, "minutes.eml", "eml", mail_of(english.MINUTES, anna, ben, html=True))
    content = mail_of(chinese.MINUTES, "周文博 <zhou@example.org>", "赵雅琴 <zhao@example.org>", charset="gb18030")
    yield _flowing(chinese.MINUTES, "会议纪要.eml", "eml", content)
    attached = [
        ("lease.pdf", "application/pdf", pdf_of(english.LEASE)),
        ("invoice.docx", "application/octet-stream", docx_of(english.INVOICE)),
        ("prices.csv", "text/csv", csv_of(records.STAFF).encode()),
    ]
    inside = mail_of(short.LETTER, ben, anna)
    content = mail_of(short.COVER, anna, ben, attached, inside)
    texts = {
        "": f"{short.COVER.text}\n{english.INVOICE.text}\n{text_of_rows(records.STAFF)}\n{short.LETTER.text}",
        "attachment lease.pdf, page 1": english.LEASE.text_of(0),
        "attachment lease.pdf, page 2": english.LEASE.text_of(1),
    }
    yield Sample("offer-with-attachments.eml", "eml", content, texts, short.COVER.title, short.COVER.dated_at)


_MAKERS: dict[str, Callable[[], Iterator[Sample]]] = {
    "pdf": _pdf,
    "docx": _docx,
    "doc": lambda: _old("doc"),
    "xlsx": _xlsx,
    "xls": lambda: _old("xls"),
    "pptx": _pptx,
    "ppt": lambda: _old("ppt"),
    "png": lambda: _pictures("png"),
    "jpg": lambda: _pictures("jpg"),
    "webp": lambda: _pictures("webp"),
    "tiff": lambda: _pictures("tiff"),
    "bmp": lambda: _pictures("bmp"),
    "gif": lambda: _pictures("gif"),
    "svg": _svg,
    "eml": _eml,
    "html": _html,
    "txt": _txt,
    "md": _md,
    "vtt": lambda: _captions("vtt", vtt_of),
    "srt": lambda: _captions("srt", srt_of),
    "csv": _csv,
    "tsv": _tsv,
}
FORMATS = tuple(_MAKERS)
