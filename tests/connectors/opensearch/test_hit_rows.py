"""Rows of hits that are not sent again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from connectors.opensearch.hit_rows import Asked, HitRows
from connectors.opensearch.mapping import document_of
from mneme.ports import Filter
from mneme.rows import Collection, Row
from tests.contracts.rows import fact


class Server:
    """Holds rows under the number of their last write, and counts how many it sends."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[int, Row]] = {}
        self.sent = 0

    def hit(self, identity: str) -> dict[str, Any]:
        return {"_index": "facts-1", "_seq_no": self.rows[identity][0], "_primary_term": 1, "sort": [identity]}

    def __call__(self, asked: Sequence[Asked]) -> list[list[Mapping[str, Any]]]:
        answers: list[list[Mapping[str, Any]]] = []
        for _, filter, _ in asked:
            there = [each for each in filter.ids if each in self.rows and self.rows[each][1].owner_key in filter.owner_keys]
            self.sent += len(there)
            answers.append([self.hit(each) | {"_source": json.loads(document_of(self.rows[each][1]))} for each in there])
        return answers


@pytest.fixture
def server() -> Server:
    server = Server()
    server.rows = {"a": (1, fact("a", "tomatoes")), "b": (2, fact("b", "peppers"))}
    return server


def asked(server: Server) -> Asked:
    row = server.rows["b"][1]
    return Collection.FACTS, Filter(tenant_id=row.tenant_id, owner_keys=(row.owner_key,)), {}


def texts(rows: Sequence[Row | None]) -> list[str | None]:
    return [None if row is None else row.body["atomic_fact"] for row in rows]


def test_a_row_is_sent_once(server: Server):
    kept = HitRows(server)
    hits = [server.hit("b"), server.hit("a")]
    first, second = (kept.of([asked(server)] * 2, [hits, hits[:1]]) for _ in range(2))
    assert [texts(rows) for rows in first] == [["peppers", "tomatoes"], ["peppers"]]
    assert second[0][0] is first[0][0]
    assert server.sent == 2


def test_a_row_that_was_written_again_is_another(server: Server):
    kept = HitRows(server)
    kept.of([asked(server)], [[server.hit("a")]])
    server.rows["a"] = (3, fact("a", "carrots"))
    assert texts(kept.of([asked(server)], [[server.hit("a")]])[0]) == ["carrots"]


def test_what_is_gone_before_it_was_read_is_left_out(server: Server):
    hits = [server.hit("a"), server.hit("b")]
    del server.rows["a"]
    assert texts(HitRows(server).of([asked(server)], [hits])[0]) == [None, "peppers"]


def test_what_another_owner_was_shown_is_never_taken_for_a_row_of_this_one(server: Server):
    kept = HitRows(server)
    kept.of([asked(server)], [[server.hit("a")]])
    of_another = Filter(tenant_id="t", owner_keys=("somebody else",))
    assert texts(kept.of([(Collection.FACTS, of_another, {})], [[server.hit("a")]])[0]) == [None]
