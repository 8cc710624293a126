"""Questions to files of every format, as people ask them: the answer is among the first three, and its place is cited."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from connectors.documents.kinds import KINDS
from flows import ingest
from mneme.settings import Settings
from queries import Memories
from queries.responses import Found
from tests.end_to_end.everyday_files import everyday_files
from tests.samples.office import OfficeMissing

pytestmark = pytest.mark.slow

FIRST, ENOUGH = 3, 38


@dataclass(frozen=True)
class Question:
    """A question, the words that answer it, and where they stand: the file, and page, row or section."""

    text: str
    answer: str
    file: str
    place: str = ""

    def is_answered_by(self, found: Found) -> bool:
        citation = getattr(found, "citation", None)
        return (
            citation is not None
            and citation.name == self.file
            and self.place in f"{citation.place} · {citation.section}"
            and self.answer in found.text
        )


QUESTIONS = (
    Question("By when do I have to pay the rent of the flat?", "third working day", "tenancy.pdf", "page 1"),
    Question("How many copies of the letter box key did I get?", "Letter box", "tenancy.pdf", "page 2"),
    Question("Who inspects the staircase, and when?", "office of the fire brigade", "tenancy.pdf", "page 2"),
    Question("How long before must the landlord tell me that he wants to come in?", "48 hours", "tenancy.pdf", "page 3"),
    Question("Who opens the food bank on Saturdays?", "Olga Brandt", "rota.pdf", "page 1"),
    Question("What should I do when the freezer alarm goes off?", "Polar Service", "rota.pdf", "page 2"),
    Question("Where does the bread go that nobody takes?", "night shelter", "rota.pdf", "page 2"),
    Question("Which month was the wettest at the weir?", "July", "weather.pdf", "page 1"),
    Question("How many days of frost did February have?", "12", "weather.pdf", "page 2"),
    Question("Where and when do we meet for the school trip?", "7:10 at the fountain", "trip.docx", "Travel"),
    Question("What does the museum cost on the trip to Ghent?", "6.50", "trip.docx", "Costs"),
    Question("Whom do I tell about my child's medicine?", "Ms Aydin", "trip.docx", "Medicine and allergies"),
    Question("物业费什么时候交？", "十五日之前", "wuye.doc", "收费"),
    Question("地下停车位每月多少钱？", "450元", "wuye.doc", "收费"),
    Question("电梯哪一天检修？", "六月十二日", "wuye.doc", "检修安排"),
    Question("What did we plan to spend on costumes?", "1350", "budget.xlsx", "sheet Expenses, row 5"),
    Question("How much do we expect from the lottery?", "2500", "budget.xlsx", "sheet Income, row 5"),
    Question("How much is kept in reserve for the roof?", "1500", "budget.xlsx", "sheet Expenses, row 10"),
    Question("How many boxes of large gloves are left?", "Left: 3", "stock.xls", "sheet Store room, row 3"),
    Question("Who supplies the saline?", "Aqua Pharm", "stock.xls", "sheet Store room, row 5"),
    Question("When does the beta of the harbour app begin?", "11 May", "kickoff.pptx", "slide 2"),
    Question("What is up with the card terminal?", "no known protocol", "kickoff.pptx", "slide 3"),
    Question("How far from the wall do I put the ladder?", "one metre", "safety.ppt", "slide 2"),
    Question("What do the two windows cost?", "2,860 euros", "windows.eml"),
    Question("For how long is the glass guaranteed?", "ten years", "windows.eml", "attachment terms.docx"),
    Question("What does a child pay for a swim at the weekend?", "3.10", "pool.html", "Prices"),
    Question("On which day may only women use the sauna?", "Thursdays", "pool.html", "Sauna"),
    Question("How much butter is in the shortbread?", "200 g", "recipes.md", "Shortbread"),
    Question("How long does the sourdough stay in the fridge?", "sixteen hours", "recipes.md", "Resting"),
    Question("What was the pressure of the boiler on 9 January?", "0.9 bar", "boiler.txt", "line 6"),
    Question("Who changed the expansion vessel?", "Rikke Hansen", "boiler.txt", "line 9"),
    Question("Which member plays the viola?", "Freya Holm", "members.csv", "row 7"),
    Question("What did Selma Ruiz order?", "seed potatoes", "orders.tsv", "row 5"),
    Question("Why did Marta give up her bakery?", "asthma", "interview.vtt"),
    Question("How deep do moles dig?", "seventy centimetres", "moles.srt"),
    Question("When is there no hot water?", "23 April", "notice.png"),
    Question("What did I pay for the hinges?", "23.60", "receipt.jpg"),
    Question("Who sings in Saint Anne's Church?", "Noemi Castel", "concert.webp"),
    Question("Which bolts does the harbour of Rosvik need?", "M16", "fax.tiff"),
    Question("What is the password of the network in the guest flat?", "marsh-otter-58", "guests.bmp"),
    Question("From which platform do trains to Harrow leave?", "platform four", "platform.gif"),
    Question("How many passengers did the ferry have in its best year?", "12,600", "ferry.svg"),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine: `make programs`")
    from playwright.sync_api import sync_playwright

    folder = tmp_path_factory.mktemp("everyday")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"])
        try:
            made = everyday_files(browser)
        except OfficeMissing as missing:
            pytest.skip(str(missing))
        finally:
            browser.close()
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def memories(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memories]:
    settings = Settings(_env_file=None, data=tmp_path_factory.mktemp("memory"))
    report = ingest(files, settings, defaults={"user_id": "imke"})
    assert report.dead_letters == 0
    with Memories.connect(settings) as memories:
        yield memories


def test_there_is_a_file_of_every_format_that_is_read_here_and_a_question_to_each(files: list[Path]) -> None:
    formats = {name for name, kind in KINDS.items() if kind.family != "sound"}
    assert {path.suffix[1:] for path in files} == formats
    assert {question.file for question in QUESTIONS} == {path.name for path in files}
    assert len(QUESTIONS) >= 40
    assert len(files) >= 20


def test_nearly_every_question_finds_its_answer_in_the_first_three_with_its_place(memories: Memories) -> None:
    missed = []
    for question in QUESTIONS:
        best = memories.search(question.text, filters={"user_id": "imke"}, top_k=FIRST).ranked()[:FIRST]
        if not any(map(question.is_answered_by, best)):
            missed.append([question.text, *(f"{getattr(each, 'citation', None)}: {each.text[:90]}" for each in best)])
    print(f"{len(QUESTIONS) - len(missed)} of {len(QUESTIONS)} in the first {FIRST}, with file and place; not: {missed}")
    assert len(QUESTIONS) - len(missed) >= ENOUGH, missed


def test_every_line_of_a_text_is_found_by_its_words_and_a_line_of_a_log_is_cited_by_its_number(
    files: list[Path], memories: Memories
) -> None:
    [log] = [path for path in files if path.name == "boiler.txt"]
    for number, line in enumerate(log.read_text().splitlines(), start=1):
        if line:
            best = memories.search(line, filters={"user_id": "imke"}, top_k=FIRST).ranked()[:FIRST]
            place = f"line {number}" if line[:4] == "2026" else "line"
            assert any(Question(line, line, log.name, place).is_answered_by(each) for each in best), (line, best)
