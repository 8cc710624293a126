"""How many files one message passes, and how many call each other both ways: what docs/internals/architecture.md says."""

from pathlib import Path

import pytest

from connectors.embedders.hash_embedder import HashEmbedder
from connectors.files.files import read_file
from evaluation.bench_stages import RowsInMemory, by_hand, opened
from flows.lanes.pending import Backlogs
from mneme.settings import Settings
from tests.call_path import ROOT, Calls, files_of, in_a_fresh_process, noted_calls, two_way_pairs
from tests.flows.driven_steps import DrivenSteps

MOST_FILES, MOST_PAIRS = 71, 5


def calls_between_files(example: str) -> Calls:
    """The files that call and are called from the 16th message before the end of an example to the end of its episode.

    The stand-ins of evaluation/ take the place of an embedder, a pool and an index: a call by one of them is by nobody of ours.
    """
    settings = Settings().replace(boundaries={"hold_back_seconds": 0.0}, embedder={"provider": "hash"})
    index, embedder = RowsInMemory(settings.opensearch), HashEmbedder()
    events = list(read_file(Path(ROOT, "examples", example)))
    with opened(settings, index, embedder, Backlogs()) as (services, writer):
        steps = DrivenSteps(by_hand(services, embedder), writer)
        for event in events[:-16]:
            steps.feed([event])
        with noted_calls("mneme", "connectors", "flows") as calls:
            for event in events[-16:]:
                steps.feed([event])
            steps.end()
    return calls


@pytest.mark.parametrize("example", ["friends.jsonl", "chinese.jsonl", "acme.jsonl"])
def test_a_message_passes_few_files_and_few_of_them_call_each_other_both_ways(example: str) -> None:
    calls = in_a_fresh_process(calls_between_files, example)
    files, pairs = files_of(calls), two_way_pairs(calls)
    assert 50 < len(files) <= MOST_FILES, sorted(files)
    assert len(pairs) <= MOST_PAIRS, pairs
