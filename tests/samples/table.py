"""``python -m tests.samples.table docs/formats.md``: what is read, how well and how fast, measured on the samples.

It lies here and is no ``mneme bench``: what is known to stand in a file is known only to who made it.
"""

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from connectors.documents.kinds import KINDS, Kind
from connectors.documents.local import LocalParser
from evaluation.report import machine
from mneme.ports import ParsedDocument
from mneme.settings import Documents
from mneme.times import utc_now
from tests.samples import FORMATS, Sample, samples
from tests.samples.known_text import recall, text_of

TEXT_BAR, OCR_BAR = 0.98, 0.9

_HEAD = """\
# Formats

<!-- Written by `make formats`. Do not edit. -->

The content of a file decides its format, not the name. Nothing is downloaded when a file is read. `mneme doctor` says what this
machine can read, and how to install what is missing.

Measured {date:%Y-%m-%d} on {processors} processors ({system}, Python {python}), on {count} files that `tests/samples` makes, in
English and Chinese. Recall is the share of known words (characters, in Chinese) that were read. Scans have 200 dpi; some are
askew, grainy, speckled, or have columns or tables. Seconds are for a page, sheet or slide; in parentheses the slowest.

| format | needs | files | recall, median | recall, worst | seconds a page |
| --- | --- | --- | --- | --- | --- |
"""
_SOUND = """
Recordings (`mp3`, `wav`, `m4a`, `ogg`, `flac`, `webm`) need an endpoint for [transcription](models.md#sound).
"""
_HOSTILE = """
Broken, encrypted, hostile and too large files are refused: each is a dead letter with its reason and a remedy
([security](security.md#messages-and-files)). Macros, scripts and links are never run or followed.
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """How a sample was read."""

    sample: Sample
    document: ParsedDocument
    recall: float
    seconds: float

    @property
    def pages(self) -> int:
        """Of how many pages, sheets or slides it is."""
        return max(1, self.document.pages or 1)


def measure(parser: LocalParser, given: Sequence[Sample]) -> Iterator[Measured]:
    """Read each sample; the first one twice.

    Raises:
        InputError: one cannot be read.
    """
    parser.parse(given[0].content, given[0].name, None)
    for sample in given:
        began = time.perf_counter()
        document = parser.parse(sample.content, sample.name, None)
        seconds = time.perf_counter() - began
        yield Measured(sample, document, recall(sample.text, text_of(document)), seconds)


def page() -> str:
    """The page.

    Raises:
        InputError: a sample cannot be read.
    """
    parser = LocalParser(Documents())
    count, lines = 0, []
    for format in FORMATS:
        for scan in (False, True):
            given = [sample for sample in samples(format) if sample.scan == scan]
            if given:
                name = f"{format}, {'drawn' if format == 'svg' else 'scanned'}" if scan and format in ("pdf", "svg") else format
                lines.append(row_of(name, KINDS[format], list(measure(parser, given))))
                count += len(given)
    head = _HEAD.format(date=utc_now(), count=count, **machine())
    return head + "".join(lines) + _SOUND + _HOSTILE


def row_of(name: str, kind: Kind, measured: Sequence[Measured]) -> str:
    """The row of a format."""
    recalls = [each.recall for each in measured]
    seconds = [each.seconds / each.pages for each in measured]
    needs = ", ".join([*kind.modules, *(need.debian.split()[0] for need in kind.needs)]) or "nothing"
    cells = [
        name,
        needs,
        str(len(measured)),
        _share(statistics.median(recalls)),
        _share(min(recalls)),
        f"{_seconds(statistics.median(seconds))} ({_seconds(max(seconds))})",
    ]
    return f"| {' | '.join(cells)} |\n"


def _share(value: float) -> str:
    return "1" if value == 1 else f"{int(value * 1000) / 1000:.3f}".lstrip("0")


def _seconds(value: float) -> str:
    if value < 0.001:
        return "< 0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.samples.table FILE.md")
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
