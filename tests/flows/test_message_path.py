"""How many files one message passes, and how many call each other both ways: what docs/internals/architecture.md says."""

import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from types import FrameType

import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from connectors.files.files import read_file
from evaluation.bench_stages import RowsInMemory, by_hand, opened
from flows.lanes.pending import Backlogs
from mneme.settings import Settings
from tests.flows.driven_steps import DrivenSteps

ROOT = f"{Path(__file__).parents[2]}/"
ROOMS = ("mneme", "connectors", "flows")
MOST_FILES, MOST_PAIRS = 70, 5


def calls_between_files(example: str) -> set[tuple[str, str]]:
    """The files that call and are called from the 16th message before the end of an example to the end of its episode.

    The stand-ins of evaluation/ take the place of an embedder, a pool and an index: a call by one of them is by nobody of ours.
    """
    settings = Settings().replace(boundaries={"hold_back_seconds": 0.0}, embedder={"provider": "hash"})
    index, embedder = RowsInMemory(settings.opensearch), HashEmbedder()
    events = list(read_file(Path(ROOT, "examples", example)))
    calls: set[tuple[str, str]] = set()

    def note(frame: FrameType, what: str, _: object) -> None:
        if what == "call" and (called := _file(frame)).startswith(ROOMS):
            caller = frame.f_back
            while caller is not None and not _file(caller):
                caller = caller.f_back
            calls.add((_file(caller) if caller is not None else "", called))

    with opened(settings, index, embedder, Backlogs()) as (services, writer):
        steps = DrivenSteps(by_hand(services, embedder), writer)
        for event in events[:-16]:
            steps.feed([event])
        sys.setprofile(note)
        for event in events[-16:]:
            steps.feed([event])
        steps.end()
        sys.setprofile(None)
    return calls


def _file(frame: FrameType) -> str:
    """The file of a frame below the root; empty for one of a library."""
    path = frame.f_code.co_filename
    return path.removeprefix(ROOT) if path.startswith(ROOT) and "site-packages" not in path else ""


@pytest.mark.parametrize("example", ["friends.jsonl", "chinese.jsonl", "acme.jsonl"])
def test_a_message_passes_few_files_and_few_of_them_call_each_other_both_ways(example: str) -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:  # what other tests asked for is remembered, and hides files
        calls = fresh.submit(calls_between_files, example).result()
    files = {called for _, called in calls}
    pairs = [pair for pair in combinations(sorted(files), 2) if calls.issuperset({pair, pair[::-1]})]
    assert 50 < len(files) <= MOST_FILES, sorted(files)
    assert len(pairs) <= MOST_PAIRS, pairs
