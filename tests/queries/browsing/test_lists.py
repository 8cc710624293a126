"""Lists, the graph, waiting: what the contract of Memories (tests/contracts/memories.py) does not need a service for."""

import base64
import contextlib
import itertools
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.errors import InputError, StoreUnavailable
from mneme.ports import Put
from mneme.receipts import flush_marker
from mneme.rows import Row, row_of
from queries.browsing import graph, history, reader
from queries.browsing.lists import cursor, place_of
from tests.queries.world import (
    MAYA,
    START,
    conversation,
    edge,
    entity,
    filled,
    memories,
    mention,
    messages,
    with_validity,
)

MINE = {"user_id": "maya"}
MOMENTS = st.datetimes(timezones=st.just(UTC))


def person(name: str, mentions: int) -> Row:
    return row_of(entity(name, mentions=[mention(f"e{number}") for number in range(mentions)]))


@given(at=MOMENTS, identity=st.text(st.characters(exclude_categories=("Cs",))))
def test_a_cursor_is_the_place_it_was_made_of(at: datetime, identity: str) -> None:
    text = cursor((at, identity))
    assert text.isascii()
    assert place_of(text) == (at, identity)


@given(text=st.text(max_size=60))
def test_any_text_is_a_cursor_or_is_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        assert place_of(text)


@pytest.mark.parametrize(
    "told", ["[]", '["2026-01-01T00:00:00Z"]', "[1, 2]", '["x", "y"]', '{"a": 1}', '["2026-01-01", 3]', "7"]
)
def test_what_is_no_place_is_no_cursor(told: str) -> None:
    with pytest.raises(InputError, match="after: this is no cursor"):
        place_of(base64.urlsafe_b64encode(json.dumps(json.loads(told)).encode()).decode())


def test_new_conversations_move_nothing_between_two_pages() -> None:
    index = filled()
    with memories(index) as asked:
        first = asked.conversations(MINE, limit=1)
        index.write([Put(row) for row in messages(MAYA, "new", [("Maya", "hello")], day=90)])
        second = asked.conversations(MINE, limit=1, after=first.next)
    assert [page.items[0].conversation_id for page in (first, second)] == ["orchard", "kitchen"]


def test_a_conversation_that_goes_on_under_an_attachment_counts_what_was_said() -> None:
    said = messages(MAYA, "talk", [("Maya", "here is the lease")], day=70)
    attached = messages(MAYA, "talk", [("lease.pdf", "the rent is due")], day=71, first=9)
    chunks = [row_of(row.record().model_copy(update={"document_id": "lease"})) for row in attached]
    with memories(filled(*said, *chunks)) as asked:
        talk = asked.conversations(MINE).items[0]
    assert (talk.conversation_id, talk.messages, talk.last_at) == ("talk", 1, said[0].at)


def test_a_graph_is_walked_to_those_spoken_of_most_and_no_further_than_its_limit() -> None:
    friends = [person(f"Friend{letter}", number + 1) for number, letter in enumerate("abcdef")]
    edges = [row_of(edge("Hub", "knows", f"Friend{letter}")) for letter in "abcdef"]
    with memories(filled(person("Hub", 1), *friends, *edges)) as asked:
        around = asked.graph("hub", MINE, limit=3)
        assert [(each.name, each.hop) for each in around.entities] == [("Hub", 0), ("Friendf", 1), ("Friende", 1)]
        assert {each.target for each in around.relationships} == {"Friendf", "Friende"}
        most = asked.graph(None, MINE, limit=2)
    assert [each.name for each in most.entities] == ["Friendf", "Friende"]
    assert most.relationships == ()


def test_a_graph_says_when_not_all_of_it_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    with memories() as asked:
        assert asked.graph(None, MINE).notes == ()
        monkeypatch.setattr(graph, "MOST_NODES", 2)
        assert asked.graph(None, MINE).notes == ("there is more: only 2 entities and relationships were looked at",)


def test_a_graph_of_a_name_that_only_relationships_have_is_shown() -> None:
    with memories() as asked:
        around = asked.graph("Bergen", MINE)
    assert [each.name for each in around.entities] == ["Jonas"]
    assert ("Jonas", "lives_in", "Bergen") in {(each.source, each.relation, each.target) for each in around.relationships}


def test_a_portrait_says_when_there_are_more_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_CHANGES", 2)
    facts = conversation(MAYA, "moves", "Moves", [("Maya", f"I live in place {n}") for n in range(4)], day=30)[-4:]
    ended = [with_validity(older, valid_to=newer.at, superseded_by=newer.id) for older, newer in itertools.pairwise(facts)]
    with memories(filled(*ended, facts[-1])) as asked:
        told = asked.portrait(MINE)
    assert [change.newer.text for change in told.changes if change.newer] == [
        "Maya said that I live in place 3",
        "Maya said that I live in place 2",
    ]
    assert told.notes == ("there are more changes: only those of the latest 2 facts are shown",)


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


class Later:
    """An index in which a row appears after some looks; ``missing``: until then there is no index."""

    def __init__(self, row: Row, looks: int, missing: bool = False) -> None:
        self._row, self._looks, self._missing = row, looks, missing

    def get(self, keys: object, with_vectors: bool = False) -> dict[object, Row]:
        self._looks -= 1
        if self._looks >= 0 and self._missing:
            raise StoreUnavailable("there is no index here yet")
        return {} if self._looks >= 0 else {self._row.key: self._row}


@pytest.mark.parametrize("missing", [False, True])
def test_waiting_looks_more_and_more_seldom_until_it_is_there(missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, row = Clock(), flush_marker("default", "f", START)
    monkeypatch.setattr(reader, "time", clock)
    found = reader._awaited(Later(row, 8, missing), row, 60.0)  # type: ignore[arg-type]
    assert found is row
    assert clock.waited == [0.02, 0.04, 0.08, 0.16, 0.32, 0.5, 0.5, 0.5]


def test_waiting_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, row = Clock(), flush_marker("default", "f", START)
    monkeypatch.setattr(reader, "time", clock)
    assert reader._awaited(Later(row, 99), row, 1.0) is None  # type: ignore[arg-type]
    assert clock.now == pytest.approx(1.0)
    with pytest.raises(StoreUnavailable, match="no index"):
        reader._awaited(Later(row, 99, True), row, 1.0)  # type: ignore[arg-type]


def test_a_list_of_a_time_holds_only_what_is_from_it() -> None:
    with memories() as asked:
        listed = asked.browse("message", MINE | {"since": START + timedelta(days=5), "before": START + timedelta(days=6)})
    assert {each.conversation_id for each in listed.items} == {"orchard"}
