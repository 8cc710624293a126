"""A store of another format is refused by whoever opens it, with what to do; only a rebuild reads it."""

import json
from collections.abc import Callable, Iterator
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

Open = Callable[[bool, bool], MemoryIndex]  # read_only, any_format
ROW = fact("old", "green tea", vector=axis(0))
FOUND = {FORMAT - 1: "`mneme admin rebuild`", None: "`mneme admin rebuild`", FORMAT + 1: "a newer Mneme made it"}


@pytest.fixture(params=FOUND, ids=["older", "without a number", "newer"])
def found(request: pytest.FixtureRequest) -> int | None:
    """The number that the store carries."""
    number: int | None = request.param
    return number


@pytest.fixture
def embedded(tmp_path: Path, found: int | None) -> Open:
    filled(LanceIndex(tmp_path))
    facts = json.loads((tmp_path / "index.json").read_text())
    (tmp_path / "index.json").write_text(json.dumps(facts | {"format": found}))
    return lambda read_only, any_format: LanceIndex(tmp_path, read_only, any_format=any_format)


@pytest.fixture
def opensearch(opensearch_settings: OpenSearch, found: int | None) -> Iterator[Open]:
    index = OpenSearchIndex(opensearch_settings)
    filled(index)
    index = OpenSearchIndex(opensearch_settings, any_format=True)
    names = [name for name, _ in index._indices().values()]
    for name in names:
        index._client.indices.put_mapping(index=name, body={"_meta": {"format": found}})
    yield lambda read_only, any_format: OpenSearchIndex(opensearch_settings, read_only=read_only, any_format=any_format)
    index._client.indices.delete(index=",".join(names))
    index.close()


@pytest.fixture(params=["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)])
def opened(request: pytest.FixtureRequest) -> Open:
    """Opens a store of another format."""
    made: Open = request.getfixturevalue(request.param)
    return made


def filled(index: MemoryIndex) -> None:
    index.prepare(EMBEDDER)
    index.write([Put(ROW)])
    index.refresh()
    index.close()


@pytest.mark.parametrize("read_only", [True, False], ids=["reader", "writer"])
def test_it_is_refused_with_what_to_do(opened: Open, found: int | None, read_only: bool) -> None:
    index = opened(read_only, False)
    ways = (
        lambda: index.prepare(EMBEDDER),
        lambda: index.recall([TextLeg(Collection.FACTS, of(), ("tea",), 10)]),
        lambda: index.get([ROW.key]),
        lambda: list(index.scan(Collection.FACTS, of())),
        lambda: index.count(Collection.FACTS, of()),
    )
    for way in ways:
        with pytest.raises(StoreRejected, match=FOUND[found]):
            way()
    index.close()


def test_a_rebuild_reads_it(opened: Open, found: int | None) -> None:
    index = opened(True, True)
    assert [row.record() for row in index.scan(Collection.FACTS, of())] == [ROW.record()]
    index.close()
