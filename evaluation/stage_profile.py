"""Where each stage of ingestion spends its time, from stacks that py-spy sampled of ``mneme bench stages``.

    py-spy record --gil --rate 500 --format raw --output stages.folded -- mneme bench stages FILE --no-kafka
    python -m evaluation.stage_profile stages.folded

A sample counts for the innermost file of ours on its stack: what a library does for it, searching a pattern or encoding JSON,
is its time. Only the steps driven by hand are counted (evaluation/driven_steps.py), so what the engine adds is not in it, nor
is what stands for the index and the embedder there.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from evaluation.report import Row, print_table
from mneme.errors import InputError

_MOST = 8  # files of a stage
_OURS = re.compile(r"\((?:.*/)?((?:connectors|evaluation|flows|mneme)/[^:()]*)\.py:\d+\)$")
_STAND_INS = "evaluation/"
_DRIVEN = "DrivenSteps."
_STAGES = {
    "decode": "decode",
    "EmbedLane.": "embed",
    "SegmentLane.": "segment",
    "ExtractLane.": "extract",
    "ReconcileLane.": "reconcile",
    "Writer.": "write",
}
"""How the first frame behind the driver begins, and the stage that it is of."""


def read_samples(lines: Iterable[str]) -> dict[str, Counter[str]]:
    """Samples by stage and file of ours.

    Args:
        lines: one for each stack, as py-spy's format ``raw`` has them: frames from the outermost to the innermost, divided by
            semicolons, then how often it was seen.

    Raises:
        InputError: a line is no stack, or none of them is of the driven steps.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for number, line in enumerate(lines, 1):
        stack, _, count = line.rstrip().rpartition(" ")
        if not count.isdecimal():
            raise InputError(f"line {number}: a stack and its number of samples were expected; record with --format raw")
        frames = stack.split(";")
        driven = max((at for at, frame in enumerate(frames) if frame.startswith(_DRIVEN)), default=None)
        behind = frames[driven + 1 :] if driven is not None else []
        stage = next((stage for begin, stage in _STAGES.items() if any(each.startswith(begin) for each in behind[:2])), None)
        files = [match[1] for frame in behind if (match := _OURS.search(frame))]
        if stage and files and not files[-1].startswith(_STAND_INS):
            found[stage][files[-1]] += int(count)
    if not found:
        raise InputError("no stack is of driven steps: record `mneme bench stages` with py-spy")
    return found


def shares(samples: dict[str, Counter[str]]) -> list[Row]:
    """The files that take most of each stage, in percent of the stage."""
    order = [stage for stage in _STAGES.values() if stage in samples]
    return [
        {"stage": stage, "samples": samples[stage].total(), "file": file, "percent": 100 * count / samples[stage].total()}
        for stage in order
        for file, count in samples[stage].most_common(_MOST)
    ]


def main() -> None:
    """Print the table for a file of stacks."""
    parser = argparse.ArgumentParser(description="Where each stage of ingestion spends its time.")
    parser.add_argument("stacks", type=Path, help="written by py-spy with --format raw")
    path = parser.parse_args().stacks
    with path.open(encoding="utf-8") as lines:
        rows = shares(read_samples(lines))
    print_table(Console(), "Samples by stage and file", rows, list(rows[0]))


if __name__ == "__main__":
    main()
