"""A store of another format is refused by whoever opens it, with what to do; only a rebuild reads it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from connectors.lance.index import LanceIndex
from connectors.opensearch.index import OpenSearchIndex
from mneme.errors import StoreRejected
from mneme.ports import MemoryIndex, Put, TextLeg
from mneme.rows import Collection
from mneme.settings import OpenSearch
from mneme.store_format import FORMAT
from tests.contracts.rows import EMBEDDER, axis, fact, of

ROW = fact("old", "green tea", vector=axis(0))
FOUND = {FORMAT - 1: "`mneme admin rebuild`", None: "`mneme admin rebuild`", FORMAT + 1: "a newer Mneme made it"}


@dataclass(frozen=True)
class Store:
    """A store that says it has another format than it has."""

    open: Callable[[bool, bool], MemoryIndex]  # read_only, any_format
    mark: Callable[[int | None], object]


@pytest.fixture
def embedded(tmp_path: Path) -> Store:
    filled(LanceIndex(tmp_path))
    facts = json.loads((tmp_path / "index.json").read_text())
    return Store(
        lambda read_only, any_format: LanceIndex(tmp_path, read_only, any_format=any_format),
        lambda found: (tmp_path / "index.json").write_text(json.dumps(facts | {"format": found})),
    )


@pytest.fixture
def opensearch(opensearch_settings: OpenSearch) -> Iterator[Store]:
    filled(OpenSearchIndex(opensearch_settings))
    index = OpenSearchIndex(opensearch_settings, any_format=True)
    names = ",".join(name for name, _ in index._indices().values())
    yield Store(
        lambda read_only, any_format: OpenSearchIndex(opensearch_settings, read_only=read_only, any_format=any_format),
        lambda found: index._client.indices.put_mapping(index=names, body={"_meta": {"format": found}}),
    )
    index.close()


@pytest.fixture(params=["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)])
def store(request: pytest.FixtureRequest) -> Store:
    made: Store = request.getfixturevalue(request.param)
    return made


def filled(index: MemoryIndex) -> None:
    index.prepare(EMBEDDER)
    index.write([Put(ROW)])
    index.refresh()
    index.close()


def test_another_format_is_refused_with_what_to_do_and_read_by_a_rebuild(store: Store) -> None:
    for found, remedy in FOUND.items():
        store.mark(found)
        for read_only in (True, False):
            index = store.open(read_only, False)
            for way in (
                lambda index=index: index.prepare(EMBEDDER),
                lambda index=index: index.recall([TextLeg(Collection.FACTS, of(), ("tea",), 10)]),
                lambda index=index: index.get([ROW.key]),
                lambda index=index: list(index.scan(Collection.FACTS, of())),
                lambda index=index: index.count(Collection.FACTS, of()),
            ):
                with pytest.raises(StoreRejected, match=remedy):
                    way()
            index.close()
        rebuilding = store.open(True, True)
        assert [row.record() for row in rebuilding.scan(Collection.FACTS, of())] == [ROW.record()]
        rebuilding.close()
