"""The embedded index: the contract of every index, and what is LanceDB's own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from connectors.background import BackgroundJob
from connectors.indices import open_index
from connectors.lance import index as lance_index
from connectors.lance import table as lance_table
from connectors.lance.index import LanceIndex
from connectors.lance.row_cache import RowCache
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import Outcome, Put, Remove, TextLeg, VectorLeg, WriteResult
from mneme.receipts import flush_marker
from mneme.rows import Collection
from mneme.settings import Index, Settings
from tests.contracts.isolation import IsolationContract
from tests.contracts.labels import LabelsContract
from tests.contracts.memory_index import MemoryIndexContract
from tests.contracts.rows import EMBEDDER, NOON, axis, fact, message, of, score

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(params=[0, 100_000_000], ids=["uncached", "cached"])
def reader(folder: Path, writer: LanceIndex, request: pytest.FixtureRequest) -> Iterator[LanceIndex]:
    index = LanceIndex(folder, read_only=True, cache_bytes=request.param)
    yield index
    index.close()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty index. To make its tables takes longer than most of what is told of it."""
    folder = tmp_path_factory.mktemp("prepared") / "index"
    index = LanceIndex(folder)
    index.prepare(EMBEDDER)
    index.close()
    return folder


def opened_copy(prepared: Path, folder: Path, cache_bytes: int = 0) -> Iterator[LanceIndex]:
    shutil.copytree(prepared, folder)
    index = LanceIndex(folder, cache_bytes=cache_bytes)
    index.prepare(EMBEDDER)
    yield index
    index.close()


@pytest.fixture
def writer(prepared: Path, folder: Path) -> Iterator[LanceIndex]:
    yield from opened_copy(prepared, folder)


@pytest.fixture
def caching(prepared: Path, folder: Path) -> Iterator[LanceIndex]:
    """A writer that keeps the rows of the owners it is asked about in memory."""
    yield from opened_copy(prepared, folder, cache_bytes=100_000_000)


class TestLanceIndex(MemoryIndexContract):
    @pytest.fixture
    def index(self, caching: LanceIndex) -> LanceIndex:
        return caching

    @pytest.fixture
    def reopen(self, folder: Path) -> Callable[[], LanceIndex]:
        return lambda: LanceIndex(folder, read_only=True, cache_bytes=100_000_000)


class TestLanceIsolation(IsolationContract):
    @pytest.fixture
    def index(self, caching: LanceIndex) -> LanceIndex:
        return caching


class TestLanceLabels(LabelsContract):
    @pytest.fixture
    def index(self, caching: LanceIndex) -> LanceIndex:
        return caching


# --- one writer, many readers ----------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_told_who_writes(folder, writer):
    with pytest.raises(StoreUnavailable, match=rf"process {os.getpid()} is writing") as refusal:
        LanceIndex(folder)
    assert str(folder) in str(refusal.value)


def test_the_next_writer_may_start_when_the_first_has_closed(folder, writer):
    writer.close()
    LanceIndex(folder).close()


def test_the_lock_of_a_killed_writer_is_free(folder):
    folder.mkdir()
    script = """
import os, pathlib, sys
from connectors.durable import FolderLock
lock = FolderLock(pathlib.Path(sys.argv[1]), "the index")
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", script, str(folder)], check=False).returncode == 9
    LanceIndex(folder).close()


def test_a_reader_sees_each_write_at_its_next_query(writer, reader):
    for number in range(3):
        row = fact(f"f{number}", "green tea", vector=axis(0))
        writer.write([Put(row)])
        assert reader.get([row.key]).keys() == {row.key}
        legs = [TextLeg(Collection.FACTS, of(), ("tea",), 10), VectorLeg(Collection.FACTS, of(), axis(0), 10)]
        assert [len(hits) for hits in reader.recall(legs)] == [number + 1, number + 1]
        assert reader.count(Collection.FACTS) == number + 1


def test_a_reader_outlives_maintenance_by_the_writer(writer, reader):
    writer.write([Put(fact(f"f{number}", "green tea")) for number in range(20)])
    assert reader.count(Collection.FACTS) == 20
    for number in range(5):
        writer.write([Put(fact("f0", f"black tea {number}", version=number + 2))])
        writer.refresh()
    assert next(reader.scan(Collection.FACTS)).version == 6
    assert len(reader.recall([TextLeg(Collection.FACTS, of(), ("tea",), 50)])[0]) == 20


def test_a_reader_finds_nothing_any_more_that_was_changed_removed_or_purged(writer, reader):
    legs = [TextLeg(Collection.FACTS, of(), ("tea",), 50), VectorLeg(Collection.FACTS, of(), axis(0), 50)]

    def found() -> list[set[str]]:
        shown = [{hit.row.id for hit in hits} for hits in reader.recall(legs)]
        scored = {each.row.id for each in score(reader, of(), ("tea",), axis(0), 50)}
        return [*shown, scored]

    everything = {f"f{number:02d}" for number in range(20)}
    writer.write([Put(fact(id, "green tea", vector=axis(0))) for id in everything])
    assert found() == [everything] * 3
    writer.write([Put(fact("f00", "red wine", vector=axis(1))), Remove(fact("f01").key, version=2)])
    assert found() == [everything - {"f00", "f01"}, everything - {"f01"}, everything - {"f01"}]
    writer.write([Remove(fact("f02").key, version=2)])
    writer.purge()
    assert found() == [everything - {"f00", "f01", "f02"}, everything - {"f01", "f02"}, everything - {"f01", "f02"}]
    writer.write([Put(fact("f03", "black tea", version=2))])
    writer._table(Collection.FACTS).maintain()
    assert found()[1] == everything - {"f01", "f02", "f03"}


def test_a_purge_leaves_nothing_in_memory(caching):
    caching.write([Put(fact(f"f{number}", "green tea", vector=axis(0))) for number in range(5)])
    assert len(caching.recall([TextLeg(Collection.FACTS, of(), ("tea",), 50)])[0]) == 5
    assert caching._cache.size > 0
    caching.purge()
    assert caching._cache.size == 0


def test_a_reader_changes_nothing(reader):
    for change in (
        lambda: reader.write([Put(fact("f"))]),
        reader.refresh,
        reader.purge,
        lambda: reader.set_metadata({"run": "1"}),
    ):
        with pytest.raises(StoreRejected, match="reading only"):
            change()


def test_where_there_is_no_index_yet_a_reader_says_how_to_make_one(tmp_path):
    index = LanceIndex(tmp_path / "nothing", read_only=True)
    for use in (
        lambda: index.prepare(EMBEDDER),
        lambda: index.count(Collection.FACTS),
        lambda: index.recall([TextLeg(Collection.FACTS, of(), ("tea",), 1)]),
        index.metadata,
    ):
        with pytest.raises(StoreUnavailable, match="mneme ingest"):
            use()
    assert not (tmp_path / "nothing").exists()


# --- what may go wrong -----------------------------------------------------------------------------------------------


def test_a_preparation_that_was_interrupted_starts_again(folder, writer):
    writer.close()
    (folder / "index.json").unlink()
    again = LanceIndex(folder)
    again.prepare(EMBEDDER)
    assert again.write([Put(fact("f"))]) == [WriteResult(Outcome.DONE)]
    again.close()


def test_an_index_that_lost_its_facts_is_never_made_anew_over_its_rows(folder, writer):
    writer.write([Put(fact("f"))])
    writer.close()
    (folder / "index.json").unlink()
    again = LanceIndex(folder)
    with pytest.raises(StoreRejected, match=r"index\.json: missing, though there are facts"):
        again.prepare(EMBEDDER)
    again.close()


def test_broken_facts_about_the_index_are_refused_by_name(folder, writer):
    (folder / "index.json").write_text("{oops")
    with pytest.raises(StoreRejected, match=r"index\.json: not JSON"):
        writer.metadata()


def test_a_disk_that_takes_no_more_is_unavailable_and_loses_nothing(folder):
    """The limit on file sizes stands in for a full disk: LanceDB gets an error from the same call."""
    script = """
import pathlib, resource, sys
from connectors.lance.index import LanceIndex
from mneme.errors import StoreUnavailable
from mneme.ports import Outcome, Put
from mneme.rows import Collection
from tests.contracts.rows import EMBEDDER, fact
index = LanceIndex(pathlib.Path(sys.argv[1]))
index.prepare(EMBEDDER)
index.write([Put(fact("before"))])
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
try:
    index.write([Put(fact("during"))])
except StoreUnavailable as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
assert [result.outcome for result in index.write([Put(fact("during")), Put(fact("after"))])] == [Outcome.DONE] * 2
print([row.id for row in index.scan(Collection.FACTS)])
index.close()
"""
    ended = subprocess.run([sys.executable, "-c", script, str(folder)], check=False, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()
    *error, rows = ended.stdout.decode().splitlines()
    assert f"{folder}: cannot be read or written; check the disk" in error[0]
    assert rows == "['after', 'before', 'during']"


def test_what_opensearch_rejects_is_rejected_here_too(writer):
    for row, reason in (
        (fact("n" * 513), "513 bytes"),
        (fact("f", vector=np.full(8, np.nan, dtype=np.float32)), "finite"),
        (fact("f", vector=np.zeros(8, dtype=np.float32)), "not all 0"),
        (fact("f", vector=np.ones(9, dtype=np.float32)), "8 dimensions"),
    ):
        (result,) = writer.write([Put(row)])
        assert result.outcome is Outcome.REJECTED
        assert reason in result.reason


def test_nothing_is_near_a_vector_of_zeros(writer):
    writer.write([Put(fact("f", vector=axis(0)))])
    assert writer.recall([VectorLeg(Collection.FACTS, of(), axis(0) * 0, 10)]) == [[]]
    (scored,) = score(writer, of(), (), axis(0) * 0, 10)
    assert scored.cosine == 0.0


# --- maintenance -----------------------------------------------------------------------------------------------------


def test_old_tombstones_are_forgotten(writer, monkeypatch):
    row = fact("f", version=3)
    writer.write([Put(row), Remove(row.key, version=7)])
    monkeypatch.setattr(lance_table, "TOMBSTONES_LAST", timedelta(0))
    writer.write([Put(fact("other"))])
    writer.merge()
    assert writer.write([Put(row)]) == [WriteResult(Outcome.DONE)]


def test_a_purge_leaves_nothing_of_what_was_removed_or_replaced_in_any_file(folder, writer, reader):
    def hold(word: str) -> bool:
        return any(word.encode() in path.read_bytes() for path in (folder / "tables").rglob("*") if path.is_file())

    words = " ".join(f"{number * 104729:09x}" for number in range(500))
    writer.write([Put(fact(f"f{number}", "green tea", vector=axis(0))) for number in range(40)])
    writer.write([Put(fact("removed-canary", f"Canary-1 sings {words}")), Put(fact("f0", "Canary-2 sings", version=2))])
    writer._table(Collection.FACTS).maintain()
    writer.write([Remove(fact("removed-canary").key, version=2), Put(fact("f0", "green tea", version=3, vector=axis(0)))])
    for _ in range(2):  # to one file, in which the tombstone is too little for a merge to write it anew
        writer._table(Collection.FACTS).maintain()
    assert hold("Canary-1")
    assert hold("Canary-2")
    assert hold("removed-canary")
    writer.purge()
    assert not hold("Canary-1")
    assert not hold("Canary-2")
    assert not hold("removed-canary")
    assert len(reader.recall([TextLeg(Collection.FACTS, of(), ("tea",), 50)])[0]) == 40


def test_a_purge_takes_versions_along_that_are_dated_in_the_future(folder, writer, monkeypatch):
    monkeypatch.setattr(lance_table, "_ALL_VERSIONS", timedelta(days=365))  # all of today are newer, as if of a clock ahead
    writer.write([Put(fact("gone", "Canary-3 sings")), Put(fact("stays", "green tea"))])
    writer.write([Remove(fact("gone").key, version=2)])
    writer.purge()
    assert not any(b"Canary-3" in path.read_bytes() for path in (folder / "tables").rglob("*") if path.is_file())
    writer.write([Put(fact("later", "black tea"))])
    assert writer.count(Collection.FACTS) == 2


def test_what_an_interrupted_commit_left_goes_with_a_purge(folder, writer):
    writer.write([Put(fact("f")), Put(fact("f", version=2))])
    left = folder / "tables" / "facts.lance" / "data" / "0123456789.lance"
    left.write_bytes(b"half a commit")
    writer.purge()
    assert not left.exists()


def test_a_reader_outlives_a_purge_by_the_writer(writer, reader):
    writer.write([Put(fact(f"f{number:04d}", "green tea", vector=axis(0))) for number in range(100)])
    scan = reader.scan(Collection.FACTS, of(), with_vectors=True)
    next(scan)
    writer.write([Put(fact("f0001", "black tea", version=2))])
    writer.purge()
    assert len(list(scan)) == 99
    assert reader.count(Collection.FACTS) == 100
    assert len(reader.recall([TextLeg(Collection.FACTS, of(), ("black",), 50)])[0]) == 1


def test_many_small_commits_leave_few_files(folder, writer, monkeypatch):
    monkeypatch.setattr(lance_table, "COMMITS_BETWEEN_MAINTENANCE", 8)
    monkeypatch.setattr(lance_table, "VERSIONS_LAST", timedelta(milliseconds=1))
    monkeypatch.setattr(BackgroundJob, "ask", lambda job: job._work())  # at once, however busy the machine is

    def files() -> int:
        return sum(len(names) for _, _, names in os.walk(folder / "tables" / "facts.lance"))

    counts = []
    for number in range(32):
        writer.write([Put(fact(f"f{number}", "green tea"))])
        counts.append(files())
    assert max(counts[16:]) <= max(counts[:16]) + 8
    assert writer.count(Collection.FACTS) == 32


def test_the_writer_waits_for_maintenance_only_when_it_is_long_overdue(writer, monkeypatch):
    monkeypatch.setattr(lance_table, "COMMITS_BETWEEN_MAINTENANCE", 5)
    monkeypatch.setattr(BackgroundJob, "ask", lambda job: asked.append(len(maintained)))
    maintain = lance_table.LanceTable.maintain
    monkeypatch.setattr(lance_table.LanceTable, "maintain", lambda table: maintained.append(table) or maintain(table))
    asked, maintained = [], []
    for number in range(9):
        writer.write([Put(fact(f"f{number}"))])
    assert asked == [0, 0, 0, 0, 0], "from the fifth commit on, behind the writer's back"
    writer.write([Put(fact("f9"))])
    assert len(maintained) == 1


def test_what_is_due_is_done_behind_the_writer(folder, monkeypatch):
    monkeypatch.setattr(lance_table, "COMMITS_BETWEEN_MAINTENANCE", 5)
    index = LanceIndex(folder)
    index.prepare(EMBEDDER)
    for number in range(5):
        index.write([Put(fact(f"f{number}", "green tea"))])
    index.close()  # waits for what is under way
    again = LanceIndex(folder)
    again.prepare(EMBEDDER)
    assert again._table(Collection.FACTS)._table.index_stats("id_idx").num_unindexed_rows == 0
    assert again.count(Collection.FACTS) == 5
    again.close()


def test_no_row_is_lost_while_tables_are_maintained(writer, monkeypatch):
    monkeypatch.setattr(lance_table, "COMMITS_BETWEEN_MAINTENANCE", 2)
    for number in range(16):
        again = [fact(f"f{number - 1}", version=2)] if number else []
        assert all(result.outcome is Outcome.DONE for result in writer.write([Put(fact(f"f{number}")), *map(Put, again)]))
    versions = {row.id: row.version for row in writer.scan(Collection.FACTS)}
    assert versions == {f"f{number}": 2 for number in range(15)} | {"f15": 1}


def test_the_collection_of_the_last_write_is_committed_last(writer, reader, monkeypatch):
    """A reader that sees the marker of a flush sees what was written before it."""
    committed = []
    write = lance_table.LanceTable.write
    monkeypatch.setattr(
        lance_table.LanceTable, "write", lambda table, writes: committed.append(table.collection) or write(table, writes)
    )
    marker = flush_marker("acme", "flush-1", NOON)
    writer.write([Put(fact("f")), Put(message("m")), Put(fact("g")), Put(marker)])
    assert committed == [Collection.MESSAGES, Collection.FACTS, Collection.CONTROL]
    assert reader.get([marker.key]).keys() == {marker.key}


def test_what_is_written_is_brought_to_the_disk(folder, writer, monkeypatch):
    synced = set()
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.add(os.readlink(f"/proc/self/fd/{file}")) or fsync(file))
    before = {path for path in (folder / "tables").rglob("*") if path.is_file()}
    writer.write([Put(fact("f", "tea", vector=axis(0)))])
    new = {str(path) for path in (folder / "tables").rglob("*") if path.is_file()} - {str(path) for path in before}
    assert new
    assert new <= synced
    assert {os.path.dirname(path) for path in new} <= synced


def test_the_cache_is_as_large_as_the_settings_say(tmp_path, monkeypatch):
    limits = []

    class Recorded(RowCache):
        def __init__(self, limit: int) -> None:
            super().__init__(limit)
            limits.append(limit)

    monkeypatch.setattr(lance_index, "RowCache", Recorded)
    settings = Settings(_env_file=None, data=tmp_path / "data", index=Index(cache_megabytes=7))
    for read_only in (True, False):
        open_index(settings, read_only).close()
    assert limits == [7_000_000, 7_000_000]


def test_what_is_kept_in_memory_of_old_versions_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """LanceDB's own bound is 7 GB, which each commit and each index that is made anew come nearer to."""
    most = 400_000
    monkeypatch.setattr(lance_index, "_INDEX_CACHE_BYTES", most)
    monkeypatch.setattr(lance_index, "_METADATA_CACHE_BYTES", most)
    lance_index._session.cache_clear()
    index = LanceIndex(tmp_path / "index")
    try:
        index.prepare(EMBEDDER)
        for number in range(40):
            index.write([Put(fact(f"f{number}", "green tea", vector=axis(0)))])
            index.write([Remove(fact(f"f{number}", "green tea").key, 2)])
            if number % 4 == 0:
                index.purge()
        assert 0 < lance_index._session().size_bytes <= 2 * most
    finally:
        index.close()
        lance_index._session.cache_clear()


def test_a_writer_that_closes_leaves_no_files_that_were_replaced(folder):
    index = LanceIndex(folder)
    index.prepare(EMBEDDER)
    for number in range(lance_table.COMMITS_LEFT + 1):
        index.write([Put(fact(f"f{number}", "green tea", vector=axis(0)))])
    index.merge()
    index.write([Put(fact("last", "green tea", vector=axis(0)))])
    index.close()
    files = {place: len(list((folder / "tables" / "facts.lance" / place).iterdir())) for place in ("data", "_transactions")}
    assert files == {"data": 1, "_transactions": 1}
