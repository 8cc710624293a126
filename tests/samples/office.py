"""Word, Excel and PowerPoint files, by python-docx, openpyxl and python-pptx; and the old ones, by LibreOffice."""

import hashlib
import io
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from tests.samples.papers import Grid, Heading, Items, Paper, Paragraph
from tests.servers.process import cache_directory, exclusive

Cell = str | int | float | date | None

_AN_EPOCH = (1980, 1, 1, 0, 0, 0)  # of a zip


class OfficeMissing(RuntimeError):
    """LibreOffice is not installed."""


def docx_of(paper: Paper) -> bytes:
    """The paper with styles for headings, lists and tables, its running title above and below."""
    import docx
    from docx.enum.text import WD_BREAK

    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author = paper.title, paper.author
    properties.created = properties.modified = paper.dated_at.replace(tzinfo=None)
    document.sections[0].header.paragraphs[0].text = paper.running
    document.sections[0].footer.paragraphs[0].text = paper.running
    for number, page in enumerate(paper.pages):
        if number:
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        for piece in page:
            match piece:
                case Heading(text, level):
                    document.add_heading(text, level)
                case Paragraph(text):
                    document.add_paragraph(text)
                case Items(items):
                    for item in items:
                        document.add_paragraph(item, style="List Bullet")
                case Grid(rows):
                    table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
                    for row, cells in enumerate(rows):
                        for column, cell in enumerate(cells):
                            table.cell(row, column).text = cell
    out = io.BytesIO()
    document.save(out)
    return settled(out.getvalue(), paper.dated_at)


def xlsx_of(sheets: Mapping[str, Sequence[Sequence[Cell]]], title: str, author: str, dated_at: datetime) -> bytes:
    """A workbook of sheets, each of rows of cells; a row of one cell is merged over the width of the sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    book.properties.title, book.properties.creator = title, author
    book.properties.created = dated_at.replace(tzinfo=None)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        width = max(len(row) for row in rows)
        for number, row in enumerate(rows, start=1):
            sheet.append(list(row))
            if len(row) == 1 and width > 1:
                sheet.merge_cells(start_row=number, start_column=1, end_row=number, end_column=width)
    out = io.BytesIO()
    book.save(out)
    return settled(out.getvalue(), dated_at)


def pptx_of(paper: Paper, notes: str) -> bytes:
    """A slide for each page of a paper: its first heading is the title; the notes are the first slide's."""
    from pptx import Presentation
    from pptx.util import Emu, Inches

    show = Presentation()
    show.core_properties.title, show.core_properties.author = paper.title, paper.author
    show.core_properties.created = show.core_properties.modified = paper.dated_at.replace(tzinfo=None)
    for number, page in enumerate(paper.pages):
        slide = show.slides.add_slide(show.slide_layouts[1])
        title, body = slide.placeholders[0], slide.placeholders[1].text_frame
        lines: list[tuple[str, int]] = []
        for piece in page:
            match piece:
                case Heading(text):
                    if title.has_text_frame and not title.text_frame.text:
                        title.text_frame.text = text
                    else:
                        lines.append((text, 0))
                case Paragraph(text):
                    lines.append((text, 0))
                case Items(items):
                    lines += [(item, 1) for item in items]
                case Grid(rows):
                    frame = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(5), Inches(8), Emu(0))
                    for row, cells in enumerate(rows):
                        for column, cell in enumerate(cells):
                            frame.table.cell(row, column).text = cell
        for at, (text, level) in enumerate(lines):
            line = body.paragraphs[0] if at == 0 else body.add_paragraph()
            line.text, line.level = text, level
        if number == 0:
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    show.save(out)
    return settled(out.getvalue(), paper.dated_at)


def converted(files: Mapping[str, bytes], format: str, *options: str) -> dict[str, bytes]:
    """Files by name, as LibreOffice saves them in another format: ``doc``, ``xls``, ``ppt``. Names keep their stem.

    Args:
        files: what is given.
        format: as LibreOffice names it, with a filter if need be: ``pdf:writer_pdf_Export``.
        options: more of its options.

    What this LibreOffice made of the same files before is kept for later runs: to make it takes seconds of a processor.

    Raises:
        OfficeMissing: LibreOffice is not installed.
    """
    office = shutil.which("soffice")
    if office is None:
        raise OfficeMissing("no soffice on this machine; install it: apt-get install libreoffice-writer-nogui "
                            "libreoffice-calc-nogui libreoffice-impress-nogui")  # fmt: skip
    program = Path(office).resolve().stat()
    known = repr((program.st_size, program.st_mtime_ns, format, options, sorted(files.items())))
    with exclusive(cache_directory() / "office" / hashlib.sha256(known.encode()).hexdigest()[:24]) as kept:
        made = kept / "made"
        if not made.exists():
            _convert(office, files, format, options, kept / "unfinished")
            (kept / "unfinished").rename(made)
        return {file.name: file.read_bytes() for file in sorted(made.iterdir())}


def _convert(office: str, files: Mapping[str, bytes], format: str, options: Sequence[str], out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="mneme-samples-") as folder:
        given = Path(folder) / "given"
        given.mkdir()
        for name, content in files.items():
            (given / name).write_bytes(content)
        words = [office, f"-env:UserInstallation=file://{folder}/profile", "--headless", *options]
        subprocess.run(
            [*words, "--convert-to", format, "--outdir", str(out), *(str(given / name) for name in files)],
            check=True,
            capture_output=True,
            timeout=500,
        )


def zip_of(parts: Mapping[str, bytes]) -> bytes:
    """A ZIP archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


def with_parts(content: bytes, parts: Mapping[str, bytes]) -> bytes:
    """An Office file with some of its parts replaced, and others added."""
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        return zip_of({name: given.read(name) for name in given.namelist()} | dict(parts))


def settled(content: bytes, dated_at: datetime) -> bytes:
    """The same zip without the moment at which it was made, so that the same sample is the same bytes."""
    out = io.BytesIO()
    moment = dated_at.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as settled:
        for name in given.namelist():
            part = given.read(name)
            if name == "docProps/core.xml":
                part = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + moment, part)
            settled.writestr(zipfile.ZipInfo(name, _AN_EPOCH), part, zipfile.ZIP_DEFLATED)
    return out.getvalue()
