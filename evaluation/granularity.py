"""``mneme bench granularity``: whether the type of memory that a question wants comes first.

The questions (evaluation/labels/granularity.jsonl) are about the shipped examples, were written before the order was tuned, and
half of them hold no cue word such as "planning" or "kind of person". To the held-out part nothing was tuned; it is not blind,
though: who wrote it wrote the patterns of queries/granularity/forms.py too, and saw its total while working. A line says whose
memory is asked, when, and which type ought to hold the first place: a fact, an episode, the profile, a foresight, a case, a
skill, or knowledge (a section of a document, or a fact of one).

1. Ingest the examples through the flow into an index of their own.
2. Ask each question at its time, with the settings of every search, and look at the first place.
3. Count, by part, language, cue and wanted type, and report.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Literal

from rich.console import Console

from connectors.indices import open_index
from connectors.models import open_embedder
from evaluation.own_index import fresh_index
from evaluation.report import Report, Row, plot_bars, print_table, searched_with
from flows import ingest
from mneme.errors import InputError
from mneme.settings import Settings
from mneme.text import has_cjk
from queries import Memories, SearchResponse
from queries.responses import Found, FoundCase, FoundEpisode, FoundFact, FoundForesight, FoundMessage, FoundProfile, FoundSkill

MemoryType = Literal["fact", "episode", "profile", "foresight", "case", "skill", "knowledge", "message"]

_FILES = ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl", "handbook.md")
_TREE = Path(__file__).resolve().parent.parent
_TYPES: dict[type[Found], MemoryType] = {
    FoundFact: "fact",
    FoundEpisode: "episode",
    FoundProfile: "profile",
    FoundForesight: "foresight",
    FoundCase: "case",
    FoundSkill: "skill",
    FoundMessage: "message",
}
_ALL = "all"
_NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question, whose memory it asks and when, and the type that ought to come first."""

    part: Literal["dev", "held-out"]
    text: str
    wanted: MemoryType
    cue: bool
    filters: dict[str, str]
    asked_at: datetime

    @property
    def language(self) -> str:
        """``zh`` or ``en``."""
        return "zh" if has_cjk(self.text) else "en"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and the type and text of what came first."""

    question: WrittenQuestion
    first: str
    text: str

    @property
    def right(self) -> bool:
        """True if the wanted type came first."""
        return self.first == self.question.wanted


def written_questions() -> list[WrittenQuestion]:
    """Every question that is shipped."""
    lines = (files("evaluation") / "labels" / "granularity.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def run_granularity(settings: Settings, out: Path, examples: Path | None = None, console: Console | None = None) -> Report:
    """Measure and report; the JSON has what came first for each question.

    Args:
        settings: ``index.backend`` says which index is filled.
        examples: the folder of the examples; None for that of the checkout.

    Raises:
        InputError: the examples are not there, or ``out`` cannot be written.
        MnemeError: whatever the flow or a search raises.
    """
    console = console or Console()
    folder = examples or _TREE / "examples"
    paths = [folder / name for name in _FILES]
    if missing := [path.name for path in paths if not path.is_file()]:
        raise InputError(f"examples: {', '.join(missing)} not in {folder}; they come with the repository, name their folder")
    with fresh_index(settings, "granularity") as own:
        # 1.
        ingest(paths, own)
        # 2.
        answered = ask_all(own, written_questions())
    # 3.
    rows = [row for part in ("dev", "held-out") for row in _rows(part, answered)]
    shares = {row["part"]: row["right first"] for row in rows if row["of"] == _ALL}
    report = Report(
        bench="granularity",
        settings=searched_with(settings),
        rows=rows,
        headline={"index": settings.index.backend, "dev": shares["dev"], "held_out": shares["held-out"]},
        parts={"questions": [_shown(each) for each in answered]},
    )
    print_table(console, "Which type comes first", rows, ["part", "of", "questions", "right first"])
    wrong = [_shown(each) for each in answered if not each.right]
    print_table(console, "Another type came first", wrong, ["part", "question", "wanted", "first"])
    by_type = [row for row in rows if row["of"] in _TYPES.values() or row["of"] in ("knowledge", _ALL)]
    return report.finish(
        console, out, partial(plot_bars, by_type, "of", "part", "right first", title="The wanted type comes first")
    )


def ask_all(settings: Settings, questions: Sequence[WrittenQuestion]) -> list[Answered]:
    """Return the first place for each question, asked at its own time."""
    now = [questions[0].asked_at]
    index = open_index(settings, read_only=True)
    with Memories(index, open_embedder(settings), settings, clock=lambda: now[0]) as memories:
        answered = []
        for question in questions:
            now[0] = question.asked_at
            found = memories.search(question.text, filters=question.filters)
            places = found.ranked()
            first, text = (type_of(places[0], found), places[0].text) if places else (_NOTHING, "")
            answered.append(Answered(question, first, text))
    return answered


def type_of(found: Found, response: SearchResponse) -> MemoryType:
    """The type of one result of a response."""
    if isinstance(found, FoundFact | FoundEpisode):
        episode = found.parent_episode_id if isinstance(found, FoundFact) else found.id
        if episode in {each.id for each in response.knowledge}:
            return "knowledge"
    return _TYPES[type(found)]


def _rows(part: str, answered: Sequence[Answered]) -> list[Row]:
    """A row for the whole part, each language, with and without cue words, and each type."""
    here = [each for each in answered if each.question.part == part]
    groups = {_ALL: here}
    for each in here:
        cue = "with cue words" if each.question.cue else "without cue words"
        for group in (each.question.language, cue, each.question.wanted):
            groups.setdefault(group, []).append(each)
    order = [_ALL, "en", "zh", "with cue words", "without cue words", *_TYPES.values(), "knowledge"]
    return [
        {"part": part, "of": group, "questions": len(groups[group]), "right first": _share(groups[group])}
        for group in order
        if group in groups
    ]


def _share(answered: Sequence[Answered]) -> float:
    return sum(each.right for each in answered) / len(answered)


def _shown(answered: Answered) -> dict[str, str]:
    question = answered.question
    return {
        "part": question.part,
        "question": question.text,
        "wanted": question.wanted,
        "first": answered.first,
        "text": answered.text,
    }


def _question(line: dict[str, object]) -> WrittenQuestion:
    asked_at, text = str(line.pop("asked_at")), str(line.pop("question"))
    return WrittenQuestion(text=text, asked_at=datetime.fromisoformat(asked_at), **line)  # type: ignore[arg-type]
