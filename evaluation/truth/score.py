"""``mneme bench truth score``: the shares of a graded sheet, by source."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from evaluation.report import Report, Row, print_table
from evaluation.truth.sheet import Criterion, Item, Sheet, Verdict, read_sheet

_ALL = "all"
_FACTS = ("source", "graded", "says", "alone", "dates", "dates right", "wrong dates", "wrong years")


def run_score(path: Path, out: Path, console: Console | None = None) -> Report:
    """Print the shares and write ``out`` (JSON).

    Raises:
        InputError: the sheet cannot be read or is none, or ``out`` cannot be written.
    """
    console = console or Console()
    sheet = read_sheet(path)
    rows, kinds, endings = list(fact_rows(sheet)), list(kind_rows(sheet)), ending_row(sheet)
    ungraded = sum(verdict is None for item in sheet.items for verdict in item.grades.values())
    everything, drawn_dates = rows[-1], list(_verdicts(_of(sheet, "dates"), "date"))
    by_source = [float(row["says"]) for row in rows[:-1] if row["graded"]]
    report = Report(
        bench="truth",
        settings={"seed": sheet.seed, "facts": sheet.facts, "dated": sheet.dated, "ended": sheet.ended},
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
    print_table(console, f"Facts, drawn by seed {sheet.seed}", rows, _FACTS)
    print_table(console, "Annotations", kinds, ["kind", "graded", "right"])
    print_table(console, "Marked as no longer so", [endings], ["facts", "ended", "graded", "wrong"])
    if ungraded:
        console.print(f"{ungraded} verdicts are missing; shares are of those that there are")
    return report.finish(console, out)


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
    """How many facts there were, how many were marked as ended, and how many of the graded marks are wrong."""
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
