"""Rows that were decoded a moment ago."""

from connectors.decoded_rows import SECONDS, DecodedRows
from connectors.opensearch.mapping import document_of, row_of_packed
from mneme.rows import Collection, Row
from tests.contracts.rows import fact


class Decoder:
    """Counts what it is asked to decode."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.now = 0.0

    def __call__(self, collection: Collection, packed: str) -> Row:
        self.asked.append(packed)
        return row_of_packed(collection, packed)

    def clock(self) -> float:
        return self.now


def packed(text: str) -> str:
    return str(document_of(fact("f", text))["packed"])


def test_what_comes_again_is_decoded_once():
    decoder = Decoder()
    rows = DecodedRows(decoder)
    first, second = (rows.row(Collection.FACTS, packed("tomatoes")) for _ in range(2))
    assert first is second
    assert len(decoder.asked) == 1


def test_a_row_that_was_written_again_is_another():
    rows = DecodedRows(row_of_packed)
    before = rows.row(Collection.FACTS, packed("tomatoes"))
    after = rows.row(Collection.FACTS, packed("peppers"))
    assert (before.body["atomic_fact"], after.body["atomic_fact"]) == ("tomatoes", "peppers")


def test_the_same_bytes_in_another_collection_are_another_row():
    rows = DecodedRows(row_of_packed)
    kinds = {rows.row(each, packed("tomatoes")).collection for each in (Collection.FACTS, Collection.EPISODES)}
    assert kinds == {Collection.FACTS, Collection.EPISODES}


def test_memory_is_bounded():
    decoder = Decoder()
    rows = DecodedRows(decoder, most=10)
    texts = [packed(str(number)) for number in range(25)]
    for text in texts:
        rows.row(Collection.FACTS, text)
    rows.row(Collection.FACTS, texts[-1])
    assert len(decoder.asked) == 25
    rows.row(Collection.FACTS, texts[0])
    assert len(decoder.asked) == 26


def test_what_is_not_found_any_more_leaves_memory():
    decoder = Decoder()
    rows = DecodedRows(decoder, clock=decoder.clock)
    rows.row(Collection.FACTS, packed("erased"))
    for _ in range(2):
        decoder.now += SECONDS
        rows.row(Collection.FACTS, packed("tomatoes"))
    decoder.asked.clear()
    rows.row(Collection.FACTS, packed("erased"))
    assert decoder.asked == [packed("erased")]
