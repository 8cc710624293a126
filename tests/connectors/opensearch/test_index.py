"""OpenSearch: the contract of every index, and what is OpenSearch's own."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from connectors.opensearch import index as opensearch_index
from connectors.opensearch.index import OpenSearchIndex
from evaluation.own_index import drop_indices
from mneme import settings as mneme_settings
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import Create, Filter, Outcome, Put, Remove, TextLeg, VectorLeg
from mneme.records import Owner
from mneme.rows import Collection
from mneme.settings import load_settings
from queries import Memories
from tests.contracts.isolation import IsolationContract
from tests.contracts.labels import LabelsContract
from tests.contracts.memory_index import MemoryIndexContract
from tests.contracts.rows import DIMENSION, EMBEDDER, axis, episode, fact, message, of, score
from tests.queries.world import WordEmbedder
from tests.servers.isolated import isolated_opensearch
from tests.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def opensearch(opensearch_settings):
    """Settings with requests so small that every larger write is split."""
    return opensearch_settings.model_copy(update={"bulk_bytes": 10_000, "retry_seconds": 5.0})


@pytest.mark.opensearch
class TestOpenSearchIndex(MemoryIndexContract):
    @pytest.fixture
    def index(self, opensearch):
        index = OpenSearchIndex(opensearch)
        index.prepare(EMBEDDER)
        yield index
        index.close()

    @pytest.fixture
    def reopen(self, opensearch):
        return lambda: OpenSearchIndex(opensearch)


@pytest.fixture(scope="module")
def shared(opensearch_server):
    """An index for contracts whose tests have owners of their own: to make one takes longer than most of what they tell."""
    settings = isolated_opensearch(opensearch_server.url)
    index = OpenSearchIndex(settings)
    index.prepare(EMBEDDER)
    yield index
    index.close()
    drop_indices(settings)


@pytest.mark.opensearch
class TestOpenSearchIsolation(IsolationContract):
    @pytest.fixture
    def index(self, shared):
        return shared


@pytest.mark.opensearch
class TestOpenSearchLabels(LabelsContract):
    @pytest.fixture
    def index(self, shared):
        return shared


@pytest.fixture
def open_index(opensearch):
    """Opens prepared indices with settings of the test's own; all lie under one prefix."""
    opened = []

    def open_one(sleep=time.sleep, prepare=True, read_only=False, **changes):
        index = OpenSearchIndex(opensearch.model_copy(update=changes), sleep, read_only)
        opened.append(index)
        if prepare:
            index.prepare(EMBEDDER)
        return index

    yield open_one
    for index in opened:
        index.close()


@pytest.mark.opensearch
def test_every_collection_is_a_numbered_index_behind_an_alias_made_as_the_settings_say(open_index, opensearch):
    client = open_index(shards=2, refresh_interval="7s")._client
    for collection in Collection:
        alias = f"{opensearch.index_prefix}-{collection}"
        assert list(client.indices.get_alias(name=alias)) == [f"{alias}-1"]
    name = f"{opensearch.index_prefix}-facts-1"
    described = client.indices.get(index=name)[name]
    there = described["settings"]["index"]
    assert (there["number_of_shards"], there["refresh_interval"], there["gc_deletes"]) == ("2", "7s", "1h")
    assert described["mappings"]["_routing"] == {"required": True}
    assert described["mappings"]["properties"]["vector"]["method"]["engine"] == "lucene"
    open_index(refresh_interval="9s")  # a change is taken over at the next start
    for described in client.indices.get_settings(index=f"{opensearch.index_prefix}-*").values():
        assert described["settings"]["index"]["refresh_interval"] == "9s"


@pytest.mark.opensearch
def test_several_processes_may_prepare_at_once(open_index):
    indices = [open_index(prepare=False) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(index.prepare, EMBEDDER) for index in indices]:
            done.result()
    assert [result.outcome for result in indices[0].write([Put(fact("f"))])] == [Outcome.DONE]


@pytest.mark.opensearch
def test_an_index_in_the_place_of_an_alias_is_refused(open_index, opensearch):
    index = open_index(prepare=False)
    name = f"{opensearch.index_prefix}-facts"
    index._client.indices.create(index=name)
    with pytest.raises(StoreRejected, match="needs an alias"):
        index.prepare(EMBEDDER)
    index._client.indices.delete(index=name)


@pytest.mark.opensearch
def test_an_index_that_nobody_prepared_says_so(open_index):
    index = open_index(prepare=False)
    row = fact("f")
    for use in (
        lambda: index.write([Put(row)]),
        lambda: index.get([row.key]),
        lambda: index.recall([TextLeg(Collection.FACTS, of(), ("tea",), 10)]),
        lambda: list(index.scan(Collection.FACTS)),
        lambda: score(index, of(), ("tea",), None, 10),
        lambda: index.count(Collection.FACTS),
        lambda: index.set_metadata({"run": "1"}),
        index.metadata,
        index.refresh,
    ):
        with pytest.raises(StoreRejected, match=r"there is no index here yet.*fill it with"):
            use()


@pytest.mark.opensearch
def test_a_reader_creates_nothing_and_says_what_to_do(open_index):
    reader = open_index(prepare=False, read_only=True)
    with pytest.raises(StoreRejected, match=r"there is no index here yet.*fill it with `mneme ingest` or `mneme run`"):
        reader.prepare(EMBEDDER)
    assert reader._indices() == {}


@pytest.mark.opensearch
def test_a_search_without_an_index_creates_none_and_says_what_to_do(open_index, opensearch, monkeypatch):
    embedder = WordEmbedder()
    monkeypatch.setattr("queries.memories.open_embedder", lambda settings: embedder)
    settings = load_settings({}, index={"backend": "opensearch"}).model_copy(update={"opensearch": opensearch})
    with Memories.connect(settings) as memories:
        for method in ("keyword", "vector", "hybrid"):
            with pytest.raises(StoreRejected, match="there is no index here yet"):
                memories.search("tea", method, {"user_id": "mira"})
    assert open_index(prepare=False)._indices() == {}


@pytest.mark.opensearch
def test_a_reader_reads_what_was_written_and_changes_nothing(open_index, opensearch):
    writer = open_index()
    writer.write([Put(fact("f"))])
    reader = open_index(prepare=False, read_only=True, refresh_interval="9s")
    reader.prepare(EMBEDDER)
    assert list(reader.get([fact("f").key])) == [fact("f").key]
    for change in (lambda: reader.write([Put(fact("g"))]), lambda: reader.set_metadata({"run": "1"})):
        with pytest.raises(StoreRejected, match="opened for reading only"):
            change()
    name = f"{opensearch.index_prefix}-facts-1"
    settings = reader._client.indices.get_settings(index=name)[name]["settings"]["index"]
    assert settings["refresh_interval"] == opensearch.refresh_interval
    with pytest.raises(StoreRejected, match="mneme admin reindex"):
        reader.prepare(replace(EMBEDDER, model="another"))


@pytest.mark.opensearch
def test_a_read_only_block_is_waited_out_and_named_when_it_stays(open_index, opensearch):
    blocks = {"index": f"{opensearch.index_prefix}-facts", "params": {}}
    pauses = []

    def lift_the_block(seconds):
        pauses.append(seconds)
        plain._client.indices.put_settings(body={"index.blocks.read_only_allow_delete": None}, **blocks)

    plain, index, impatient = open_index(), open_index(sleep=lift_the_block), open_index(retry_seconds=0.0)
    plain._client.indices.put_settings(body={"index.blocks.read_only_allow_delete": True}, **blocks)
    results = index.write([Put(episode("e")), Put(fact("f")), Create(message("m"))])
    assert [result.outcome for result in results] == [Outcome.DONE] * 3
    assert len(pauses) == 1
    plain._client.indices.put_settings(body={"index.blocks.read_only_allow_delete": True}, **blocks)
    with pytest.raises(StoreUnavailable, match=r"read-only.*free disk space"):  # one that stays
        impatient.write([Put(fact("f"))])


@pytest.mark.opensearch
def test_owners_on_different_shards_are_ranked_by_common_frequencies(open_index):
    index = open_index(shards=3)
    owners = [Owner(tenant_id="acme", type="user", id=f"user-{number}") for number in range(12)]
    rows = [fact(f"f{number:02d}", "green tea", vector=axis(0), owner=owner) for number, owner in enumerate(owners)]
    index.write([Put(row) for row in rows])
    index.refresh()
    everyone = Filter("acme", tuple(owner.key for owner in owners))
    by_words, by_meaning = index.recall(
        [TextLeg(Collection.FACTS, everyone, ("tea",), 20), VectorLeg(Collection.FACTS, everyone, axis(0), 20)]
    )
    assert [hit.row.id for hit in by_words] == [hit.row.id for hit in by_meaning] == [row.id for row in rows]
    assert len({hit.score for hit in by_words}) == 1
    scored = score(index, everyone, ("tea",), axis(0), 20)
    assert [one.bm25 for one in scored] == pytest.approx([by_words[0].score] * 12, rel=1e-4)
    assert set(index.get([row.key for row in rows])) == {row.key for row in rows}
    assert [row.id for row in index.scan(Collection.FACTS)] == [row.id for row in rows]


@pytest.mark.opensearch
def test_a_scan_of_several_pages_gives_each_row_once(open_index, monkeypatch):
    monkeypatch.setattr("connectors.opensearch.reader._PAGE", 4)
    index = open_index()
    rows = [fact(f"f{number}") for number in range(8)]
    index.write([Put(row) for row in rows])
    index.refresh()
    assert [row.id for row in index.scan(Collection.FACTS)] == [row.id for row in rows]
    assert len(index.get([row.key for row in rows])) == 8


@pytest.mark.opensearch
def test_a_purge_leaves_no_deleted_document_in_any_segment(open_index, opensearch, monkeypatch):
    """Half a minute: so often the server forgets what a copy of a shard might need (``OpenSearchIndex.purge``)."""
    monkeypatch.setattr(opensearch_index, "PURGE_AFTER_SECONDS", 2.0)
    index = open_index()
    index.write([Put(fact(f"f{number}", "green tea", vector=axis(0))) for number in range(20)])
    index.write([Put(fact("gone", "canary sings")), Put(fact("f0", "canary sings", version=2))])
    index.refresh()
    index.write([Remove(fact("gone").key, version=2), Put(fact("f0", "green tea", version=3))])
    index.refresh()
    assert deleted_documents(index, opensearch) > 0

    def is_purged() -> bool:
        index.purge()
        return deleted_documents(index, opensearch) == 0

    wait_until(is_purged)
    assert index.count(Collection.FACTS) == 20


@pytest.mark.opensearch
def test_a_purge_that_a_process_did_not_live_to_see_is_made_up_for_at_the_next_start(open_index, monkeypatch):
    monkeypatch.setattr(opensearch_index, "PURGE_AFTER_SECONDS", 0.5)
    first = open_index()
    first.purge()
    first.close()
    assert first.metadata()["purge"] == "due"
    second = open_index()
    wait_until(lambda: second.metadata()["purge"] != "due")


def deleted_documents(index: OpenSearchIndex, settings: mneme_settings.OpenSearch) -> int:
    """In all segments of the facts, with those that are only kept for replicas."""
    index.refresh()
    name = f"{settings.index_prefix}-facts-1"
    (copies,) = index._client.indices.segments(index=name)["indices"][name]["shards"].values()
    return sum(segment["deleted_docs"] for copy in copies for segment in copy["segments"].values())


@pytest.mark.opensearch
def test_a_vector_without_a_direction_finds_nothing(open_index):
    index = open_index()
    index.write([Put(fact("f", "tea", vector=axis(0)))])
    index.refresh()
    nowhere = np.zeros(DIMENSION, dtype=np.float32)
    assert index.recall([VectorLeg(Collection.FACTS, of(), nowhere, 10)]) == [[]]
    assert [one.cosine for one in score(index, of(), ("tea",), nowhere, 10)] == [None]


@pytest.mark.opensearch
def test_a_merge_leaves_one_segment_of_what_is_small(open_index):
    index = open_index()
    for number in range(5):
        index.write([Put(fact(f"f{number}"))])
        index.refresh()
    index.merge()
    index.refresh()
    segments = index._client.cat.segments(index=index._place(Collection.FACTS), params={"format": "json"})
    assert len(segments) == 1
    assert index.count(Collection.FACTS) == 5
