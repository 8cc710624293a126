import json
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.opensearch.mapping import document_of, mapping, row_of_document, row_of_packed
from mneme.records import Validity
from mneme.rows import flush_marker
from tests.contracts.memory_index import assert_same
from tests.contracts.rows import DIMENSION, EMBEDDER, NOON, axis, episode, fact, message

ROWS = [
    fact("f", vector=axis(0), validity=Validity(valid_to=NOON), event_at=NOON - timedelta(days=30_000), speakers=("Zoé",)),
    fact("", "", conversation_id="", message_ids=()),
    episode("e", vector=axis(1)),
    message("m", "你好", metadata={"": 1.5}),
    flush_marker("acme", "x", NOON),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_a_row_comes_back_from_its_document(row):
    document = json.loads(document_of(row))
    assert_same(row_of_document(row.collection, document), row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_a_row_comes_back_without_its_vector_from_what_a_search_brings(row):
    packed = json.loads(document_of(row))["packed"].rstrip("=")  # as the server gives it
    assert_same(row_of_packed(row.collection, packed), row.embedded(None))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_every_field_of_a_document_is_in_the_mapping(row):
    assert json.loads(document_of(row)).keys() <= mapping(EMBEDDER)["properties"].keys()


@given(st.lists(st.floats(-1, 1, width=32), min_size=DIMENSION, max_size=DIMENSION))
def test_vectors_come_back_to_the_last_bit(numbers):
    vector = np.array(numbers, dtype=np.float32)
    document = json.loads(document_of(fact("f", vector=vector)))
    assert np.array_equal(np.array(document["vector"], dtype=np.float32), vector)


def test_a_vector_is_written_with_the_fewest_digits_that_tell_it():
    vector = np.array([0.1, 1 / 3, 0, 1e-9], dtype=np.float32)
    assert document_of(fact("f", vector=vector)).endswith(b',"vector":[0.1,0.33333334,0.0,1e-9]}')


def test_a_number_of_any_size_is_written():
    body = json.loads(document_of(message("m", metadata={"n": 10**40})))["body"]
    assert body["metadata"] == {"n": 10**40}


def test_half_of_a_surrogate_pair_is_told():
    with pytest.raises(UnicodeEncodeError):
        document_of(message("m", "\ud83d"))
