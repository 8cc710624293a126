import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from connectors.opensearch.mapping import VECTORS, document_of, mapping, row_of_hit
from mneme.receipts import flush_marker
from mneme.records import Validity
from mneme.rows import Row
from tests.contracts.memory_index import assert_same
from tests.contracts.rows import EMBEDDER, NOON, axis, episode, fact, message

ROWS = [
    fact("f", vector=axis(0), validity=Validity(valid_to=NOON), event_at=NOON - timedelta(days=30_000), speakers=("Zoé",)),
    fact("", "", conversation_id="", message_ids=()),
    episode("e", vector=axis(1)),
    replace(message("m", "你好", metadata={"": 1.5}), vector=axis(2), token_vectors=bytes(range(64))),
    flush_marker("acme", "x", NOON),
]


def hit(row: Row) -> dict[str, Any]:
    """A row as the server gives it: what is left out of the source is among the fields that are stored."""
    document = json.loads(document_of(row))
    vectors = {name: [document.pop(name)] for name in VECTORS if name in document}
    document.pop("vector", None)
    return {"_source": document, "fields": vectors}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_a_row_comes_back_from_its_document(row):
    assert_same(row_of_hit(row.collection, hit(row)), row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_a_row_comes_back_without_its_vectors_where_nobody_asked_for_them(row):
    assert_same(row_of_hit(row.collection, {"_source": hit(row)["_source"]}), row.embedded(None))


def test_what_a_row_is_read_from_has_no_vectors():
    assert set(mapping(EMBEDDER)["_source"]["excludes"]) == {"vector", *VECTORS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_every_field_of_a_document_is_in_the_mapping(row):
    assert json.loads(document_of(row)).keys() <= mapping(EMBEDDER)["properties"].keys()


def test_a_vector_is_written_in_whole_numbers():
    vector = np.array([0.1, -1 / 3, 0, 1e-9], dtype=np.float32)
    assert json.loads(document_of(fact("f", vector=vector)))["vector"] == [38, -127, 0, 0]


def test_a_number_of_any_size_is_written():
    body = json.loads(document_of(message("m", metadata={"n": 10**40})))["body"]
    assert body["metadata"] == {"n": 10**40}


def test_half_of_a_surrogate_pair_is_told():
    with pytest.raises(UnicodeEncodeError):
        document_of(message("m", "\ud83d"))
