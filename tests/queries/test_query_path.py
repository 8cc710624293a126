"""How many files a hybrid search passes, and how many call each other both ways: what docs/internals/architecture.md says."""

from pathlib import Path

from flows import ingest
from mneme.settings import Settings
from queries import Memories
from tests.call_path import ROOT, Calls, files_of, in_a_fresh_process, noted_calls, two_way_pairs

MOST_FILES, MOST_PAIRS = 62, 4


def calls_between_files(data: Path) -> Calls:
    """The files that call and are called in the first search of the embedded index."""
    settings = Settings().replace(data=data, boundaries={"hold_back_seconds": 0.0}, embedder={"provider": "hash"})
    ingest([Path(ROOT, "examples", "friends.jsonl")], settings)
    with Memories.open(settings) as memories, noted_calls("mneme", "connectors", "queries") as calls:
        memories.search("Where does Jason work now, and who is his sister married to?", filters={"user_id": "mira"})
    return calls


def test_a_search_passes_few_files_and_few_of_them_call_each_other_both_ways(tmp_path: Path) -> None:
    calls = in_a_fresh_process(calls_between_files, tmp_path)
    files, pairs = files_of(calls), two_way_pairs(calls)
    assert 40 < len(files) <= MOST_FILES, sorted(files)
    assert len(pairs) <= MOST_PAIRS, pairs
    assert not [pair for pair in pairs if all(file.startswith("queries/") for file in pair)], pairs
