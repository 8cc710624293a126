"""The sheet of a draw: drawn items by their ids alone, a grader's verdicts, and the shares of a graded sheet.

It holds no text, so that it may be kept where the text of a data set may not be: an entity, a relationship and a line of a
profile are named by a hash, since their ids are words. The reading copy beside it holds the text.
``mneme bench truth score`` prints the shares by source.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console

from evaluation.report import Report, Row, print_table
from mneme.errors import InputError

Sample = Literal["facts", "dates", "annotations", "endings"]
Criterion = Literal["says", "alone", "date", "right", "ended"]
Verdict = Literal["yes", "no", "year"]

ASKED: dict[Criterion, str] = {
    "says": "says what the message says, of the right person: yes / no",
    "alone": "can be read alone (who, what, when): yes / no",
    "date": "has the right date: yes / no / year (the year is wrong)",
    "right": "is right, with its dates: yes / no",
    "ended": "does hold no longer: yes / no",
}


class Item(BaseModel):
    """One thing that was drawn. ``grades`` has a verdict for each criterion; None is not graded yet. ``note`` is free, and
    holds no text of the source."""

    model_config = ConfigDict(extra="forbid")

    number: int
    sample: Sample
    kind: str
    source: str
    id: str
    message_ids: tuple[str, ...]
    grades: dict[Criterion, Verdict | None]
    note: str = ""


class Sheet(BaseModel):
    """The items of a draw. ``facts`` counts, by source, what there was to draw from, ``dated`` and ``ended`` those of them."""

    model_config = ConfigDict(extra="forbid")

    seed: int
    facts: dict[str, int]
    dated: dict[str, int]
    ended: dict[str, int]
    items: list[Item]

    def write(self, path: Path) -> None:
        """Write it, an item in each line.

        Raises:
            InputError: the file cannot be written.
        """
        head = self.model_dump_json(exclude={"items"})
        body = ",\n".join(item.model_dump_json() for item in self.items)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'{head[:-1]},\n"items":[\n{body}\n]}}\n', encoding="utf-8")
        except OSError as error:
            raise InputError(f"sheet: {path} cannot be written ({error.strerror}); choose another file") from error


def read_sheet(path: Path) -> Sheet:
    """A sheet, graded or not.

    Raises:
        InputError: it cannot be read, or is no sheet.
    """
    try:
        return Sheet.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a sheet of `mneme bench truth draw`") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}; verdicts are yes, no, and year for a date") from error


_ALL = "all"
_FACTS = ("source", "graded", "says", "alone", "dates", "dates right", "wrong dates", "wrong years")


def run_score(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET.json", help="A graded sheet.", show_default=False)],
    console: Console,
) -> Report:
    """The shares of a graded sheet, by source: facts that are true and can be read alone, dates, annotations, endings.

    Raises:
        InputError: the sheet cannot be read or is none.
    """
    graded = read_sheet(sheet)
    rows, kinds, endings = list(fact_rows(graded)), list(kind_rows(graded)), ending_row(graded)
    ungraded = sum(verdict is None for item in graded.items for verdict in item.grades.values())
    everything, drawn_dates = rows[-1], list(_verdicts(_of(graded, "dates"), "date"))
    by_source = [float(row["says"]) for row in rows[:-1] if row["graded"]]
    print_table(console, f"Facts, drawn by seed {graded.seed}", rows, _FACTS)
    print_table(console, "Annotations", kinds, ["kind", "graded", "right"])
    print_table(console, "Marked as no longer so", [endings], ["facts", "ended", "graded", "wrong"])
    if ungraded:
        console.print(f"{ungraded} verdicts are missing; shares are of those that there are")
    return Report(
        bench="truth",
        settings={"seed": graded.seed, "facts": graded.facts, "dated": graded.dated, "ended": graded.ended},
        rows=rows,
        headline={
            "says": everything["says"],
            "says_worst_source": min(by_source, default=0.0),
            "alone": everything["alone"],
            "dates": len(drawn_dates),
            "wrong_dates": sum(verdict != "yes" for verdict in drawn_dates),
            "annotations": kinds[-1]["right"],
            "wrong_endings": endings["wrong"],
            "ungraded": ungraded,
        },
        parts={"annotations": kinds, "endings": [endings]},
    )


def fact_rows(sheet: Sheet) -> Iterator[Row]:
    """A row for each source, and one for all: facts drawn by themselves, dates of these and those drawn by themselves."""
    for source in (*sheet.facts, _ALL):
        facts = [item for item in _of(sheet, "facts") if source in (item.source, _ALL)]
        dated = [*facts, *(item for item in _of(sheet, "dates") if source in (item.source, _ALL))]
        says, dates = list(_verdicts(facts, "says")), list(_verdicts(dated, "date"))
        yield {
            "source": source,
            "graded": len(says),
            "says": _share(says),
            "alone": _share(list(_verdicts(facts, "alone"))),
            "dates": len(dates),
            "dates right": _share(dates),
            "wrong dates": sum(verdict != "yes" for verdict in dates),
            "wrong years": dates.count("year"),
        }


def kind_rows(sheet: Sheet) -> Iterator[Row]:
    """A row for each kind of annotation, and one for all."""
    drawn = _of(sheet, "annotations")
    for kind in (*sorted({item.kind for item in drawn}), _ALL):
        graded = list(_verdicts((item for item in drawn if kind in (item.kind, _ALL)), "right"))
        yield {"kind": kind, "graded": len(graded), "right": _share(graded)}


def ending_row(sheet: Sheet) -> Row:
    """Count the facts, how many were marked as ended, and how many of the graded marks are wrong."""
    graded = list(_verdicts(_of(sheet, "endings"), "ended"))
    return {
        "facts": sum(sheet.facts.values()),
        "ended": sum(sheet.ended.values()),
        "graded": len(graded),
        "wrong": graded.count("no"),
    }


def _of(sheet: Sheet, sample: str) -> list[Item]:
    return [item for item in sheet.items if item.sample == sample]


def _verdicts(items: Iterable[Item], criterion: Criterion) -> Iterator[Verdict]:
    return (verdict for item in items if (verdict := item.grades.get(criterion)) is not None)


def _share(verdicts: Sequence[Verdict]) -> float:
    return verdicts.count("yes") / len(verdicts) if verdicts else 0.0
