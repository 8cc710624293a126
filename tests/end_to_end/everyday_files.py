"""Files as people have them, made by the programs that people use: a browser, LibreOffice, matplotlib, python-docx, ...

What they say is below, and in the folder ``everyday``: the pages that become PDF and Word files, and formats that are text.
"""

import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser

from tests.samples.fonts import font_file
from tests.samples.office import Cell, converted, settled

FOLDER = Path(__file__).parent / "everyday"
MADE_AT = datetime(2026, 3, 2, 9, tzinfo=UTC)  # the same in each run, so that the same file is the same bytes
_AS_A_TEXT = "--infilter=HTML (StarWriter)"  # with pages, and no web page


def everyday_files(browser: Browser) -> dict[str, bytes]:
    """Their content, by name.

    Raises:
        OfficeMissing, FontMissing: LibreOffice or a font is not installed.
    """
    given = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    return {
        **{name: content for name, content in given.items() if name not in ("tenancy.html", "rota.html", "wuye.html")},
        "tenancy.pdf": _printed(browser, given["tenancy.html"].decode()),
        **converted({"rota.html": given["rota.html"]}, "pdf:writer_pdf_Export", _AS_A_TEXT),
        **converted({"wuye.html": given["wuye.html"]}, "doc:MS Word 97", _AS_A_TEXT),
        **converted({"stock.xlsx": _workbook(STOCK)}, "xls"),
        **converted({"safety.pptx": _slides(SAFETY)}, "ppt"),
        "weather.pdf": _figures(),
        "trip.docx": _trip(),
        "budget.xlsx": _workbook(BUDGET),
        "kickoff.pptx": _slides(KICKOFF),
        "windows.eml": _mail(),
        "notice.png": _shown(browser, NOTICE),
        "receipt.jpg": _drawn(RECEIPT, "JPEG"),
        "concert.webp": _drawn(CONCERT, "WEBP"),
        "fax.tiff": _drawn(FAX, "TIFF"),
        "guests.bmp": _drawn(GUESTS, "BMP"),
        "platform.gif": _drawn(PLATFORM, "GIF"),
        "ferry.svg": _plot(),
    }


# --- office -----------------------------------------------------------------------------------------------------------


BUDGET: dict[str, list[list[Cell]]] = {
    "Income": [
        ["Budget of the drama club, season 2026/27"],
        ["Source", "Planned", "Received", "Responsible"],
        ["Tickets", 5400, 1120, "Ewan"],
        ["Members' fees", 1860, 1860, "Dana"],
        ["Lottery grant", 2500, None, "Ruth"],
        ["Bar in the interval", 900, 310, "Ewan"],
    ],
    "Expenses": [
        ["Budget of the drama club, season 2026/27"],
        ["Item", "Planned", "Spent", "Remark"],
        ["Hall hire", 3200, 1600, "two instalments"],
        ["Royalties", 780, 780, "paid in March"],
        ["Costumes", 1350, 412.5, "Lena sews, we buy the cloth"],
        ["Lights", 640, 0, "the dimmer is borrowed"],
        ["Posters", 275, 198, ""],
        [],
        ["Reserve", "Amount"],
        ["For the roof of the store", 1500],
    ],
}
STOCK: dict[str, list[list[Cell]]] = {
    "Store room": [
        ["Article", "Unit", "Left", "Order below", "Supplier"],
        ["Nitrile gloves, size M", "box of 100", 14, 10, "Medica Nord"],
        ["Nitrile gloves, size L", "box of 100", 3, 10, "Medica Nord"],
        ["Gauze, sterile 10 x 10", "pack of 25", 41, 20, "Hartlieb"],
        ["Saline 0.9 percent", "bottle 500 ml", 22, 12, "Aqua Pharm"],
        ["Tourniquet", "piece", 6, 4, "Hartlieb"],
    ],
    "Ambulance": [
        ["Article", "Unit", "Left"],
        ["Blankets", "piece", 4],
        ["Splints", "piece", 7],
    ],
}
Slide = tuple[str, Sequence[str], Sequence[Sequence[str]], str]  # title, lines, table, notes
KICKOFF: list[Slide] = [
    ("Tide: an app for harbour fees", ["Kick-off on 2 February 2026", "Lead: Yusra Haddad"], [], ""),
    (
        "Milestones",
        [],
        [
            ["Milestone", "Date", "Who"],
            ["Prototype", "20 March", "Yusra"],
            ["Beta with two harbours", "11 May", "Ole"],
            ["Launch", "1 September", "all"],
        ],
        "",
    ),
    (
        "Risks",
        ["The card terminal of Rosvik speaks no known protocol.", "The harbour master of Lindhavn retires in June."],
        [],
        "If somebody asks: the insurance covers outages up to 40,000 euros.",
    ),
]
SAFETY: list[Slide] = [
    ("Working at height", ["For everybody who climbs on roofs or trees", "Repeated every January"], [], ""),
    (
        "Ladders",
        ["Put the foot of a ladder one metre from the wall for each four metres of height.", "Two people carry it."],
        [],
        "",
    ),
    ("Chainsaws", ["Helmet, visor and leg guards.", "Nobody saws alone; the second person stays five metres away."], [], ""),
]


def _workbook(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.properties.created = MADE_AT.replace(tzinfo=None)
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if len(rows[0]) == 1:
            sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=len(rows[1]))
    out = io.BytesIO()
    book.save(out)
    return settled(out.getvalue(), MADE_AT)


def _slides(slides: Sequence[Slide]) -> bytes:
    from pptx import Presentation
    from pptx.util import Inches

    show = Presentation()
    for title, lines, rows, notes in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = "\n".join(lines)
        if rows:
            frame = slide.shapes.add_table(len(rows), len(rows[0]), Inches(1), Inches(3), Inches(8), Inches(2))
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    frame.table.cell(row, column).text = cell
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    show.save(out)
    return settled(out.getvalue(), MADE_AT)


def _trip() -> bytes:
    import docx

    paper = docx.Document()
    paper.add_heading("Class 7b goes to Ghent", 0)
    paper.add_paragraph("Dear parents, from 18 to 21 May we go to Ghent. Thirty-one children and three teachers come along.")
    paper.add_heading("Travel", 1)
    paper.add_paragraph("We meet on Monday at 7:10 at the fountain in front of the station. The train leaves at 7:34.")
    paper.add_paragraph("We are back on Thursday at about half past six in the evening, at the same place.")
    paper.add_heading("Hostel", 1)
    paper.add_paragraph("We stay at the hostel De Draecke, in rooms of four and six. Bed linen is there, towels are not.")
    paper.add_heading("What to bring", 1)
    for item in ("Rain jacket and firm shoes", "A packed lunch for the first day", "At most 40 euros of pocket money"):
        paper.add_paragraph(item, style="List Bullet")
    paper.add_heading("Medicine and allergies", 2)
    paper.add_paragraph("Please tell Ms Aydin by 30 April which medicine your child takes. Inhalers stay with the child.")
    paper.add_heading("Costs", 1)
    rows = [
        ["What", "Price", "Paid by"],
        ["Train", "48.00", "parents"],
        ["Three nights with breakfast", "93.00", "parents"],
        ["City museum STAM", "6.50", "parents"],
        ["Boat on the Leie", "9.00", "support association"],
    ]
    table = paper.add_table(len(rows), len(rows[0]), style="Table Grid")
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    out = io.BytesIO()
    paper.save(out)
    return out.getvalue()


# --- mail -------------------------------------------------------------------------------------------------------------


def _mail() -> bytes:
    import docx

    mail = EmailMessage()
    mail["From"], mail["To"] = "Glazier Thorsen <office@thorsen.example>", "Imke Sanders <imke@example.org>"
    mail["Subject"], mail["Date"] = "Offer for your windows", "Tue, 14 Apr 2026 09:12:00 +0200"
    said = [
        "Dear Ms Sanders,",
        "thank you for your visit. For the two windows to the street we ask 2,860 euros, with fitting and without scaffolding.",
        "We could fit them in the week of 8 June. The old frames go to the tip, which costs 75 euros more.",
        "Kind regards, Pernille Thorsen",
    ]
    mail.set_content("\n\n".join(said))
    mail.add_alternative("".join(f"<p>{line}</p>" for line in said), subtype="html")
    terms = docx.Document()
    terms.add_heading("Terms of Glazier Thorsen", 1)
    terms.add_paragraph("The glass is under guarantee for ten years against mist between the panes, the fittings for two.")
    terms.add_paragraph("A third of the price is due with the order.")
    out = io.BytesIO()
    terms.save(out)
    kind = "vnd.openxmlformats-officedocument.wordprocessingml.document"
    mail.add_attachment(out.getvalue(), maintype="application", subtype=kind, filename="terms.docx")
    return mail.as_bytes()


# --- a browser and matplotlib -------------------------------------------------------------------------------------------

NOTICE = """<body style="font: 20px 'DejaVu Sans'; width: 700px; padding: 24px; background: #fff8e1">
<h1>To all tenants of Larkfield Road 14</h1><p>The hot water is off on Thursday, 23 April, from 8 to 13 o'clock,
because the pump in the cellar is changed.</p><p>Please do not use the lift while the lamp on the ground floor is red.</p>
<p><b>B. Oduya, caretaker</b></p></body>"""


def _printed(browser: Browser, page: str) -> bytes:
    context = browser.new_context()
    try:
        shown = context.new_page()
        shown.set_content(page)
        return shown.pdf(format="A4")
    finally:
        context.close()


def _shown(browser: Browser, page: str) -> bytes:
    context = browser.new_context(viewport={"width": 760, "height": 420}, device_scale_factor=2)
    try:
        shown = context.new_page()
        shown.set_content(page)
        return shown.screenshot()
    finally:
        context.close()


def _figures() -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with PdfPages(out) as pages:
        figure = Figure(figsize=(8, 5))
        axes = figure.subplots()
        axes.bar(["Jan", "Apr", "Jul", "Oct"], [71, 44, 164, 98])
        axes.set_title("Rain at Larkfield weir in 2025")
        axes.set_ylabel("millimetres a month")
        figure.text(0.12, 0.01, "July was the wettest month since measurements began, with 164 mm.")
        pages.savefig(figure)
        figure = Figure(figsize=(8, 5))
        axes = figure.subplots()
        axes.axis("off")
        axes.set_title("Frost and sunshine at Larkfield weir in 2025")
        rows = [["January", "19", "41"], ["February", "12", "88"], ["March", "5", "130"], ["April", "1", "177"]]
        axes.table(rows, colLabels=["Month", "Days of frost", "Hours of sun"], loc="center")
        pages.savefig(figure)
    return out.getvalue()


def _plot() -> bytes:
    import matplotlib
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4))
        axes = figure.subplots()
        axes.plot([2021, 2022, 2023, 2024, 2025], [8.1, 9.4, 9.9, 12.6, 11.2])
        axes.set_title("Passengers of the Rosvik ferry")
        axes.set_ylabel("thousands a year")
        axes.annotate("record in 2024: 12,600 passengers", (2024, 12.6))
        figure.savefig(out, format="svg")
    return out.getvalue()


# --- pictures -----------------------------------------------------------------------------------------------------------

RECEIPT = ["Kessler Hardware, Ostheim", "28 March 2026  16:41", "4 hinges, brass        23.60", "wood screws, 100        7.90",
           "sandpaper, fine         3.20", "Total                  34.70", "paid by card"]  # fmt: skip
CONCERT = ["Evening of lute and song", "Saint Anne's Church, Westerby", "Sunday, 17 May, at half past five",
           "Noemi Castel, soprano, and Aldo Ferri, lute", "Admission free, a collection for the organ"]  # fmt: skip
FAX = ["To the workshop of Tide Shipyard", "From Ole, harbour of Rosvik", "Please send twelve bolts M16 by 90, stainless,",
       "for the fender of pier two.", "We need them before the gale of Saturday."]  # fmt: skip
GUESTS = ["Welcome to the guest flat", "The network is called Heron-Guests.", "Its password is marsh-otter-58.",
          "Breakfast is in the blue cupboard.", "Leave the key in the box when you go."]  # fmt: skip
PLATFORM = ["Station of Larkfield", "Trains to Harrow leave from platform four.", "Trains to Ostheim leave from platform one.",
            "The lift is out of order until June."]  # fmt: skip


def _drawn(lines: Sequence[str], format: str) -> bytes:
    font = ImageFont.truetype(str(font_file("sans")), 44)
    picture = Image.new("RGB", (1400, 90 * (len(lines) + 1)), "white")
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 90 * number), line, "black", font)
    out = io.BytesIO()
    picture.save(out, format)
    return out.getvalue()
