"""Indices made before metadata could be filtered on: they are opened and go on, and nothing in them is lost."""

from collections.abc import Iterator

import pytest

from connectors.durable import FolderLock
from connectors.lance.index import LanceIndex
from connectors.opensearch.index import OpenSearchIndex
from connectors.opensearch.mapping import mapping
from mneme.errors import StoreUnavailable
from mneme.labels import LabelCondition, equal_to
from mneme.ports import MemoryIndex, Outcome, Put, TextLeg
from mneme.rows import Collection
from tests.contracts.rows import EMBEDDER, axis, fact, of

APOLLO = of(labels=(LabelCondition(equal_to("project", ["apollo"])),))
NOT_APOLLO = of(labels=(LabelCondition(equal_to("project", ["apollo"]), negated=True),))
OLD = fact("old", "green tea", vector=axis(0))
NEW = fact("new", "black tea", vector=axis(1), metadata={"project": ("apollo",)})


def assert_goes_on(index: MemoryIndex) -> None:
    """What was there is there, and new rows are filtered on."""
    (row,) = index.get([OLD.key], with_vectors=True).values()
    assert row.record() == OLD.record()
    assert row.vector is not None
    assert row.labels == ()
    assert [result.outcome for result in index.write([Put(NEW)])] == [Outcome.DONE]
    index.refresh()
    assert ids(index, APOLLO) == ["new"]
    assert ids(index, NOT_APOLLO) == ["old"]
    assert [row.id for row in index.scan(Collection.FACTS, of())] == ["new", "old"]
    assert [result.outcome for result in index.write([Put(fact("old", "white tea", version=2))])] == [Outcome.DONE]


def ids(index: MemoryIndex, filter: object) -> list[str]:
    (hits,) = index.recall([TextLeg(Collection.FACTS, filter, ("tea",), 10)])  # type: ignore[arg-type]
    return [hit.row.id for hit in hits]


class TestLance:
    @pytest.fixture
    def folder(self, tmp_path):
        """An index whose tables have no column of labels."""
        index = LanceIndex(tmp_path / "index")
        index.prepare(EMBEDDER)
        index.write([Put(OLD)])
        for collection in Collection:
            index._table(collection)._table.drop_columns(["labels"])
        index.close()
        return tmp_path / "index"

    def test_a_writer_takes_it_over(self, folder):
        index = LanceIndex(folder)
        index.prepare(EMBEDDER)
        assert_goes_on(index)
        index.close()

    def test_a_reader_takes_it_over_and_the_writer_after_it_goes_on(self, folder):
        reader = LanceIndex(folder, read_only=True)
        assert ids(reader, of()) == ["old"]
        assert ids(reader, APOLLO) == []
        assert ids(reader, NOT_APOLLO) == ["old"]
        writer = LanceIndex(folder)
        writer.prepare(EMBEDDER)
        assert_goes_on(writer)
        assert ids(reader, APOLLO) == ["new"]
        writer.close()
        reader.close()

    def test_a_reader_waits_for_a_process_that_writes(self, folder):
        """It may be one of the earlier version, which does not know the column."""
        lock = FolderLock(folder, "this index")
        reader = LanceIndex(folder, read_only=True)
        with pytest.raises(StoreUnavailable, match="is writing"):
            ids(reader, of())
        lock.release()
        assert ids(reader, of()) == ["old"]
        reader.close()


@pytest.mark.opensearch
class TestOpenSearch:
    @pytest.fixture
    def settings(self, opensearch_settings, monkeypatch) -> Iterator[object]:
        """Of indices whose mapping has no labels."""
        with monkeypatch.context() as earlier:
            earlier.setattr("connectors.opensearch.index.mapping", without_labels)
            index = OpenSearchIndex(opensearch_settings)
            index.prepare(EMBEDDER)
            index.write([Put(OLD)])
            index.close()
        yield opensearch_settings
        index = OpenSearchIndex(opensearch_settings)
        index._client.indices.delete(index=",".join(name for name, _ in index._indices().values()))
        index.close()

    def test_a_writer_takes_it_over(self, settings):
        index = OpenSearchIndex(settings)
        index.prepare(EMBEDDER)
        assert_goes_on(index)
        index.close()

    def test_a_reader_finds_what_is_there_before_that(self, settings):
        reader = OpenSearchIndex(settings, read_only=True)
        reader.prepare(EMBEDDER)
        reader.refresh()
        assert ids(reader, NOT_APOLLO) == ["old"]
        assert ids(reader, APOLLO) == []
        reader.close()


def without_labels(embedder: object) -> dict[str, object]:
    made = mapping(embedder)  # type: ignore[arg-type]
    del made["properties"]["labels"]
    return made
