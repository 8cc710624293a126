"""``mneme bench parsing``: what the house adds to the libraries that read documents.

Every file of a folder is read by ``ParserPool`` with one process (processes, limits, guards, sections, places, dates), and by
the library of its format alone, in a process of its own (evaluation/parsing/alone.py):

1. A round that does not count: both processes start and load the libraries. Files that a library alone cannot read (csv in
   GB18030) are left out.
2. Rounds: in each, every file is read by both, one right after the other, in turn one and the other first.
3. A file counts with the median of its rounds. ``overhead`` is what the pool takes more, as a share of what the library takes:
   of all files of a format together, and of all files.

Both processes are as nice as those of the pool, and have one thread for OCR.
"""

import os
import statistics
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console

from connectors.documents.kinds import kind_of
from connectors.documents.local import LocalParser
from connectors.documents.pool import ParserPool
from evaluation.parsing.alone import LIBRARIES, time_alone, warm_up
from evaluation.report import Report, Row, print_table
from mneme.errors import InputError
from mneme.settings import Documents

_NICE = 10  # as connectors/documents/worker.py
_COLUMNS = ["format", "library", "files", "pool_ms", "library_ms", "overhead"]


@dataclass(frozen=True, slots=True)
class Read:
    """A file that is read by both, and the seconds that each took, a number for each round."""

    name: str
    format: str
    content: bytes
    pool: list[float]
    library: list[float]


def run_parsing(folder: Path, settings: Documents, out: Path, rounds: int = 5, console: Console | None = None) -> Report:
    """Measure, print, and write ``out`` (JSON) and the plot beside it (PNG).

    Args:
        folder: files of any formats, also in folders below; those that Mneme refuses, and recordings, are left out and counted.
        settings: limits, languages and resolution; ``processes`` is one here.
        out: where the JSON goes.
        rounds: in which every file is read by both.
        console: where tables and progress go; None is standard output.

    Raises:
        InputError: there is no file that can be read, or ``out`` cannot be written.
    """
    console = console or Console()
    settings = settings.model_copy(update={"processes": 1})
    with console.status("looking at the files"):
        files, left_out = readable(folder, settings)
    with closing(ParserPool(settings)) as pool, _alone() as alone:
        # 1.
        with console.status("a round that does not count"):
            both = [each for each in files if _can_both(pool, alone, each, settings)]
            left_out += len(files) - len(both)
            files = both
        # 2.
        for number in range(rounds):
            with console.status(f"round {number + 1} of {rounds}"):
                for each in files:
                    if number % 2:
                        each.library.append(_by_library(alone, each, settings))
                    each.pool.append(_by_pool(pool, each))
                    if not number % 2:
                        each.library.append(_by_library(alone, each, settings))
    # 3.
    report = _report(files, left_out, rounds, settings)
    print_table(console, f"{len(files)} files, {rounds} rounds", report.rows, _COLUMNS)
    report.write(out)
    _plot(report.rows, out.with_suffix(".png"))
    console.print(report.line(), soft_wrap=True, highlight=False)
    return report


def _can_both(pool: ParserPool, alone: ProcessPoolExecutor, file: Read, settings: Documents) -> bool:
    _by_pool(pool, file)
    try:
        _by_library(alone, file, settings)
    except Exception:  # noqa: BLE001  any library may raise anything
        return False
    return True


def readable(folder: Path, settings: Documents) -> tuple[list[Read], int]:
    """The files of a folder that both can read, and how many cannot be.

    Raises:
        InputError: there is none.
    """
    parser = LocalParser(settings)
    files, left_out = [], 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        try:
            format = kind_of(content, path.name, None).name
            if format not in LIBRARIES:
                raise InputError("a recording")
            parser.parse(content, path.name, None)
            files.append(Read(path.name, format, content, [], []))
        except InputError:
            left_out += 1
    if not files:
        raise InputError(f"{folder}: no file that can be read; `python -m tests.samples FOLDER` makes some of every format")
    return files, left_out


def overhead(files: Sequence[Read]) -> float:
    """What the pool takes more for these files, as a share of what the libraries take."""
    pool, library = _seconds(files)
    return pool / library - 1


def _seconds(files: Sequence[Read]) -> tuple[float, float]:
    return sum(statistics.median(each.pool) for each in files), sum(statistics.median(each.library) for each in files)


def _by_pool(pool: ParserPool, file: Read) -> float:
    began = time.perf_counter()
    pool.parse(file.content, file.name, None)
    return time.perf_counter() - began


def _by_library(alone: ProcessPoolExecutor, file: Read, settings: Documents) -> float:
    return alone.submit(time_alone, file.content, file.format, settings.ocr_languages, settings.ocr_dpi).result()


@contextmanager
def _alone() -> Iterator[ProcessPoolExecutor]:
    """The process in which libraries read alone."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin) as alone:
        yield alone


def _begin() -> None:
    os.nice(_NICE)
    os.environ["OMP_THREAD_LIMIT"] = "1"
    warnings.simplefilter("ignore")  # of guessed encodings
    warm_up()


def _report(files: Sequence[Read], left_out: int, rounds: int, settings: Documents) -> Report:
    by_format: dict[str, list[Read]] = {}
    for each in files:
        by_format.setdefault(each.format, []).append(each)
    rows = [_row(format, LIBRARIES[format], group) for format, group in sorted(by_format.items())]
    rows.append(_row("all", "", files))
    pool, library = _seconds(files)
    return Report(
        bench="parsing",
        settings=settings.model_dump(mode="json", include={"ocr_languages", "ocr_dpi", "seconds", "megabytes"})
        | {"rounds": rounds},
        rows=rows,
        headline={
            "files": len(files),
            "left_out": left_out,
            "pool_seconds": pool,
            "library_seconds": library,
            "files_per_second": len(files) / pool,
            "overhead": pool / library - 1,
            "median_overhead": statistics.median(overhead(group) for group in by_format.values()),
        },
    )


def _row(format: str, library: str, files: Sequence[Read]) -> Row:
    pool, library_seconds = _seconds(files)
    return {
        "format": format,
        "library": library,
        "files": len(files),
        "pool_ms": 1000 * pool / len(files),
        "library_ms": 1000 * library_seconds / len(files),
        "overhead": overhead(files),
    }


def _plot(rows: Sequence[Row], out: Path) -> None:
    """Milliseconds a file for each format, by the pool and by the library alone, as a PNG."""
    from matplotlib.figure import Figure

    formats = [row for row in rows if row["format"] != "all"]
    figure = Figure(figsize=(max(6.4, 0.55 * len(formats)), 4.4), layout="constrained")
    axes = figure.add_subplot()
    for left, column, name in ((-0.2, "library_ms", "the library alone"), (0.2, "pool_ms", "ParserPool")):
        axes.bar([at + left for at in range(len(formats))], [float(row[column]) for row in formats], 0.4, label=name)
    axes.set(yscale="log", ylabel="milliseconds a file", title="Reading documents", xticks=range(len(formats)))
    axes.set_xticklabels([str(row["format"]) for row in formats])
    axes.grid(alpha=0.3, axis="y")
    axes.legend()
    figure.savefig(out, dpi=130)
