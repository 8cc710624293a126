"""PDF: text, structure and places; scans; what is refused."""

import io
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from connectors.documents.formats import ocr, pdf
from connectors.documents.formats.pdf import page_picture, parse_pdf
from connectors.documents.local import Task
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents
from tests.samples.pages import pdf_of_objects

READS_SCANS = pytest.mark.skipif(not ocr.Ocr(("eng",)).is_installed, reason="tesseract is not installed")
BODY = "The committee met in the old harbour office to review the budget for the new library, and decided on the roof. "


def parse(content: bytes, name: str = "report.pdf", **settings: int) -> ParsedDocument:
    def nested(content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        raise AssertionError("nothing lies inside")

    return parse_pdf(content, Task(name, None, Documents(**settings), nested))


def written(*pages: list[str], size: tuple[float, float] = (595, 842), turn: int = 0, **said: str) -> bytes:
    """Pages of lines, as a PDF."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size)
    for name, value in said.items():
        getattr(canvas, f"set{name.capitalize()}")(value)
    for lines in pages:
        canvas.setFont("Helvetica", 12)
        for number, line in enumerate(lines):
            canvas.drawString(72, size[1] - 120 - 15 * number, line)
        if turn:
            canvas.setPageRotation(turn)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def with_information(content: bytes, **said: str) -> bytes:
    writer = PdfWriter(PdfReader(io.BytesIO(content)))
    writer.add_metadata({f"/{name}": value for name, value in said.items()})
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def scanned(lines: list[str]) -> bytes:
    """A page that is a picture of its text."""
    import pypdfium2

    with pypdfium2.PdfDocument(written(lines)) as document:
        image = document[0].render(scale=200 / 72).to_pil()
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842))
    canvas.drawImage(ImageReader(image), 0, 0, 595, 842)
    canvas.save()
    return out.getvalue()


def texts(document: ParsedDocument) -> str:
    return "\n".join(section.text for section in document.sections)


def test_headings_give_sections_and_pages_give_places():
    styles = getSampleStyleSheet()
    flow = [Paragraph("The Library", styles["Title"])]
    for chapter in ("Roof", "Garden"):
        flow += [
            Paragraph(chapter, styles["Heading2"]),
            *(Paragraph(f"{chapter} {n}. {BODY * 6}", styles["Normal"]) for n in range(6)),
        ]
    out = io.BytesIO()
    SimpleDocTemplate(out).build(flow)
    document = parse(out.getvalue())
    assert document.title == "The Library"
    assert document.pages == 2
    titles = [(section.title, section.place) for section in document.sections]
    assert titles[:2] == [("The Library > Roof", "page 1"), ("The Library > Garden", "page 1")]
    assert titles[2:] == [("The Library > Garden", "page 2")]
    assert "Garden 5. The committee met" in document.sections[-1].text
    assert document.sections[-1].place == "page 2"


def test_a_ruled_table_is_rows_that_name_their_columns():
    cells = [["Item", "Supplier", "Price"], ["Oak desk", "Rotterdam", "120"], ["Chair", "Hamburg", "40"]]
    out = io.BytesIO()
    SimpleDocTemplate(out).build([Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])])
    text = texts(parse(out.getvalue()))
    assert text.splitlines() == ["Item: Oak desk; Supplier: Rotterdam; Price: 120", "Item: Chair; Supplier: Hamburg; Price: 40"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_loses_no_text(turn: int):
    assert "Rotterdam" in texts(parse(written(["The supplier is from Rotterdam", "and sends oak desks"], turn=turn)))


def test_chinese_is_read_without_blanks():
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.setFont("STSong-Light", 12)
    canvas.drawString(72, 700, "委员会在旧港口办公室开会")
    canvas.drawString(72, 684, "讨论新图书馆的预算。")
    canvas.save()
    assert texts(parse(out.getvalue())) == "委员会在旧港口办公室开会讨论新图书馆的预算。"


def test_the_date_is_the_one_the_document_was_made_at_with_its_offset():
    content = with_information(written(["Hello there"]), CreationDate="D:20240301120000+02'00'")
    assert parse(content).dated_at == datetime(2024, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize("said", ["", "D:20249999", "yesterday"])
def test_without_a_sound_date_of_making_a_line_with_a_date_counts(said: str):
    content = with_information(written(["Date: 2023-05-06", "Hello there"]), CreationDate=said)
    assert parse(content).dated_at == datetime(2023, 5, 6, tzinfo=UTC)


@READS_SCANS
def test_a_scan_has_the_date_that_it_says_and_not_that_of_scanning():
    content = with_information(scanned(["Date: 2023-05-06", "The supplier from Rotterdam"]), CreationDate="D:20240301120000Z")
    assert parse(content).dated_at == datetime(2023, 5, 6, tzinfo=UTC)


def test_title_and_author_are_what_the_document_says_of_itself():
    document = parse(written(["Hello there"], title="Roof repairs", author="Margaret"))
    assert (document.title, document.metadata) == ("Roof repairs", {"author": "Margaret"})


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - letter final.docx", "scan0001.tif", "(anonymous)"])
def test_what_programs_call_a_document_is_no_title(title: str):
    assert parse(written(["Hello there"], title=title), "offer.pdf").title == "offer"


def test_a_title_that_is_no_text_does_not_cost_the_document():
    content = with_information(written(["Hello there"]), Title="XY", Author="Ann")
    broken = re.sub(rb"\(XY\)|<feff00580059>", lambda found: b"<FEFFD800>".ljust(len(found[0])), content, flags=re.IGNORECASE)
    assert broken != content
    document = parse(broken, "offer.pdf")
    assert (document.title, document.metadata["author"], texts(document)) == ("offer", "Ann", "Hello there")


def test_blank_pages_are_neither_read_nor_missed():
    document = parse(written([], ["Something to read here"], []))
    assert (document.pages, document.unread) == (3, ())
    assert [section.place for section in document.sections] == ["page 2"]


@READS_SCANS
def test_a_page_that_is_a_picture_is_read_by_tesseract():
    document = parse(scanned(["The supplier from Rotterdam raised prices", "by twelve percent in the spring"]))
    assert "supplier from Rotterdam raised prices" in texts(document)
    assert document.sections[0].place == "page 1"


def without_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf.Ocr, "is_installed", False)


def test_without_tesseract_a_scan_is_refused_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch):
    without_tesseract(monkeypatch)
    with pytest.raises(InputError, match="apt-get install tesseract-ocr tesseract-ocr-chi-sim"):
        parse(scanned(["The supplier from Rotterdam"]))


def test_without_tesseract_pages_with_text_are_read_and_scans_are_told(monkeypatch: pytest.MonkeyPatch):
    without_tesseract(monkeypatch)
    writer = PdfWriter()
    for content in (written(["The supplier from Rotterdam"]), scanned(["raised prices"])):
        writer.append(io.BytesIO(content))
    out = io.BytesIO()
    writer.write(out)
    document = parse(out.getvalue())
    assert "Rotterdam" in texts(document)
    assert len(document.unread) == 1
    assert document.unread[0].startswith("page 2: no text, and tesseract is not installed")


@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_a_file_that_is_cut_off_is_refused(share: float):
    content = written(*[[BODY] * 20] * 20)
    with pytest.raises(InputError, match="cut off"):
        parse(content[: int(len(content) * share)])


def test_a_broken_file_is_refused():
    with pytest.raises(InputError, match="broken"):
        parse(b"%PDF-1.7\n" + b"\x00\xff garbage" * 100 + b"\nstartxref\n9\n%%EOF\n")


def encrypted(password: str) -> bytes:
    writer = PdfWriter(PdfReader(io.BytesIO(written(["The secret budget of the library"]))))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_an_encrypted_file_is_refused_unless_it_opens_without_a_password():
    with pytest.raises(InputError, match="encrypted"):
        parse(encrypted("user"))
    assert "secret budget" in texts(parse(encrypted("")))


def test_too_many_pages_are_refused_before_any_is_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "page_text", lambda page: pytest.fail("a page was read"))
    with pytest.raises(InputError, match=r"6 pages.*MOST_PAGES"):
        parse(written(*[["a line"]] * 6), most_pages=5)


def test_a_picture_of_a_huge_page_is_bounded():
    import pypdfium2

    with pypdfium2.PdfDocument(written(["far away"], size=(14_400, 14_400))) as document:
        image, dpi = page_picture(document[0], 600)
    assert image.width * image.height <= 26_000_000
    assert dpi == pytest.approx(72 * image.width / 14_400, rel=0.01)


# --- words ------------------------------------------------------------------------------------------------------------

WITH_LIGATURES = "The office first: a fire in the flour, coffee, waffles, an efficient affluent offline staff."


def one_glyph_for_two_letters() -> bytes:
    """A page that shows "office first, fire", with one glyph each for ``ffi`` and ``fi``, as embedded fonts have them."""
    shown = b"BT /F 14 Tf 72 700 Td (o\001ce \002rst, \002re) Tj ET"
    meaning = b"""/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange
2 beginbfchar <01> <006600660069> <02> <00660069> endbfchar 1 beginbfrange <20> <7E> <0020> endbfrange endcmap end"""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >> stream\n%b\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R /Encoding << /Differences [1 /fi 2 /fi] >> >>",
        b"<< /Length %d >> stream\n%b\nendstream" % (len(meaning), meaning),
    ]
    return pdf_of_objects(*objects)


def test_letters_that_share_a_glyph_stay_in_their_word():
    assert texts(parse(one_glyph_for_two_letters())) == "office first, fire"


@pytest.mark.parametrize("font_type", [3, 42])
def test_matplotlib_writes_words_with_ligatures(font_type: int):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with matplotlib.rc_context({"pdf.fonttype": font_type, "font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(12, 4))
        figure.text(0.05, 0.5, WITH_LIGATURES)
        FigureCanvasPdf(figure).print_pdf(out)
    assert WITH_LIGATURES in texts(parse(out.getvalue()))


def test_a_power_and_the_number_of_a_note_stay_apart_from_what_they_stand_on():
    out = io.BytesIO()
    styles = getSampleStyleSheet()
    said = "The range<super>1</super> must be less than 2<super>48</super>, says page 248 of A-7."
    SimpleDocTemplate(out).build([Paragraph(said, styles["Normal"])])
    assert texts(parse(out.getvalue())) == "The range 1 must be less than 2 48, says page 248 of A-7."


def test_a_label_on_its_side_is_read_in_whole_words():
    out = io.BytesIO()
    canvas = Canvas(out)
    for number in range(8):
        canvas.drawString(72, 700 - 15 * number, "The rain of each month, as measured at the weir.")
    canvas.rotate(90)
    canvas.drawString(300, -40, "Rain in millimetres of 2026")
    canvas.save()
    assert "millimetres" in texts(parse(out.getvalue())).split()
    assert "2026" in texts(parse(out.getvalue())).split()


def test_a_word_that_a_hyphen_breaks_at_the_end_of_a_line_is_whole():
    lines = ["The committee of the library met in the old har-", "bour office to review the budget for the roof."]
    assert texts(parse(written(lines))) == " ".join(lines).replace("- ", "")
