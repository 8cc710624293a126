"""Rows in memory: they pass, score and come back as the rows of an index do."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.lance.index import LanceIndex
from connectors.lance.owner_rows import OwnerRows
from connectors.lance.owner_search import OwnerSearch
from mneme.labels import LabelCondition, containing, equal_to, present, within
from mneme.ports import Filter, Put, TextLeg, VectorLeg
from mneme.records import Owner, Validity
from mneme.rows import Collection, Row, Vector, directions, whole_numbers
from tests.connectors.owner_rows_help import as_read
from tests.contracts.memory_index import assert_same
from tests.contracts.rows import ALICE, DIMENSION, EMBEDDER, NOON, axis, fact, of, score, towards
from tests.memory_index_reference import ReferenceIndex

BOB = Owner(tenant_id="acme", type="user", id="bob")
ELSEWHERE = Owner(tenant_id="other", type="user", id="alice")
WORDS = ("tea", "milk", "honey", "green", "coffee", "茶")
HOURS = st.integers(-3, 3).map(lambda hours: NOON + timedelta(hours=hours))
NAMES = st.sampled_from(["a", "b", "A", "é", "a'b"])


@st.composite
def rows_of_facts(draw: st.DrawFn, owners: tuple[Owner, ...] = (ALICE,)) -> list[Row]:
    """Facts with few values in each column, so that filters meet them."""
    count = draw(st.integers(0, 12))
    return [draw(_facts(f"f{number:02d}", owners)) for number in range(count)]


@st.composite
def _facts(draw: st.DrawFn, id: str, owners: tuple[Owner, ...]) -> Row:
    vector = draw(st.none() | st.sampled_from([axis(0), axis(1), towards(0.3), -towards(0.6)]))
    fields: dict[str, Any] = {
        "conversation_id": draw(st.none() | NAMES),
        "document_id": draw(st.none() | NAMES),
        "agent_id": draw(st.none() | NAMES),
        "parent_episode_id": draw(NAMES),
        "speakers": tuple(draw(st.lists(NAMES, max_size=3))),
        "message_ids": tuple(draw(st.lists(NAMES, max_size=3))),
        "said_at": draw(HOURS),
        "metadata": draw(
            st.fixed_dictionaries({}, optional={"p": st.just(("x",)), "n": st.just((1, 2)), "t": st.just(("Yes",))})
        ),
        "validity": Validity(
            valid_to=draw(st.none() | HOURS), merged_into=draw(st.none() | st.just("another")), superseded_by=None
        ),
    }
    return fact(
        id, " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=6))), 1, vector, draw(st.sampled_from(owners)), **fields
    )


_some = st.lists(NAMES, max_size=2).map(tuple)
_labels = st.lists(
    st.builds(
        LabelCondition,
        st.sampled_from(
            [equal_to("p", ["x"]), equal_to("n", [2, "2"]), within("n", {"gt": 1}), present("t"), containing("t", "ES")]
        ),
        st.booleans(),
    ),
    max_size=2,
).map(tuple)
FILTERS = st.builds(
    Filter,
    tenant_id=st.sampled_from(["acme", "acme", "acme", "other"]),
    owner_keys=st.sampled_from([(ALICE.key,), (ALICE.key, BOB.key), (BOB.key, ELSEWHERE.key), ()]),
    kinds=st.sampled_from([(), (), ("fact",), ("repetition",), ("episode",)]),
    ids=st.sampled_from([(), (), ("f00", "f03", "absent")]),
    parent_ids=_some,
    conversation_ids=_some,
    document_ids=_some,
    agent_ids=_some,
    people=_some,
    message_ids=_some,
    labels=_labels,
    since=st.none() | HOURS,
    before=st.none() | HOURS,
    valid_at=st.none() | HOURS,
    hidden=st.booleans(),
)


def as_kept(vector: Vector) -> Vector:
    return directions(whole_numbers(vector))


def rows_in_memory(rows: list[Row]) -> OwnerRows:
    return OwnerRows(Collection.FACTS, as_read(rows))


def reference(rows: list[Row]) -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    return index


# --- filters ---------------------------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(rows=rows_of_facts((ALICE, BOB, ELSEWHERE)), filter=FILTERS)
def test_the_rows_that_pass_are_those_of_the_reference_in_order_of_id(rows, filter):
    part = rows_in_memory(rows)
    expected = [row.id for row in reference(rows).scan(Collection.FACTS, filter)]
    assert [row.id for row in part.rows(part.passing(filter))] == expected


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LanceIndex, OwnerRows]]:
    """The same rows in LanceDB and in memory."""
    values = ["a", "b", "A", "é", "a'b"]
    rows = [
        fact(
            f"f{number:02d}",
            " ".join(WORDS[: number % 5]),
            vector=axis(number % DIMENSION) if number % 3 else None,
            owner=(ALICE, BOB, ELSEWHERE)[number % 7 % 3],
            conversation_id=values[number % 5] if number % 2 else None,
            document_id=values[number % 4] if number % 3 else None,
            agent_id=values[number % 3] if number % 4 else None,
            parent_episode_id=values[number // 5 % 5],
            speakers=tuple(values[: number % 3]),
            message_ids=tuple(values[number % 4 : 4]),
            said_at=NOON + timedelta(hours=number % 7 - 3),
            metadata=({}, {"p": ("x",)}, {"n": (1, 2), "t": ("Yes",)})[number % 3],
            validity=Validity(
                valid_to=NOON + timedelta(hours=number % 5 - 2) if number % 2 else None,
                merged_into=None if number % 6 else "another",
            ),
        )
        for number in range(60)
    ]
    index = LanceIndex(tmp_path_factory.mktemp("lance") / "index")
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    yield index, rows_in_memory(rows)
    index.close()


@settings(max_examples=40)
@given(filter=FILTERS)
def test_a_filter_means_the_same_in_memory_as_in_sql(many, filter):
    index, part = many
    expected = [row.id for row in index.scan(Collection.FACTS, filter)]
    assert [row.id for row in part.rows(part.passing(filter))] == expected


# --- scores ----------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    rows=rows_of_facts(), tokens=st.lists(st.sampled_from(WORDS), max_size=4), cut=st.integers(0, 12), limit=st.integers(0, 6)
)
def test_scores_are_those_of_the_reference_however_the_rows_are_parted(rows, tokens, cut, limit):
    index = reference([row if row.vector is None else replace(row, vector=as_kept(row.vector)) for row in rows])
    scope, asked = OwnerSearch([rows_in_memory(rows[:cut]), rows_in_memory(rows[cut:])]), as_kept(towards(0.5))
    legs = [TextLeg(Collection.FACTS, of(), tuple(tokens), limit), VectorLeg(Collection.FACTS, of(), asked, limit)]
    words, near = index.recall(legs)
    got = scope.match(of(), tokens, limit)
    assert [hit.row.id for hit in got] == [hit.row.id for hit in words]
    assert [hit.score for hit in got] == pytest.approx([2.2 * hit.score for hit in words])  # with k1 + 1 above
    got = scope.nearest(of(), asked, limit)
    assert [hit.row.id for hit in got] == [hit.row.id for hit in near]
    assert [hit.score for hit in got] == pytest.approx([hit.score for hit in near], abs=1e-6)
    scored = {each.row.id: each for each in scope.score(of(), tokens, asked, limit)}
    expected = {each.row.id: each for each in score(index, of(), tokens, asked, limit)}
    assert scored.keys() == expected.keys()
    for id, each in scored.items():
        assert each.bm25 == pytest.approx(2.2 * expected[id].bm25)
        assert each.cosine == (None if expected[id].cosine is None else pytest.approx(expected[id].cosine, abs=1e-6))


def test_the_words_of_an_owner_who_is_not_searched_change_no_score():
    mine = [fact("f1", "tea milk"), fact("f2", "milk")]
    alone = OwnerSearch([rows_in_memory(mine)]).match(of(), ("tea", "milk"), 5)
    beside = OwnerSearch([rows_in_memory(mine)]).match(replace(of(), owner_keys=(ALICE.key, BOB.key)), ("tea", "milk"), 5)
    assert [hit.score for hit in alone] == [hit.score for hit in beside]


def test_what_is_taken_out_counts_in_no_statistics():
    rows = [fact(f"f{number}", "tea milk" if number % 2 else "tea") for number in range(6)]
    part = rows_in_memory(rows).without([1, 4])
    left = OwnerSearch([rows_in_memory([row for at, row in enumerate(rows) if at not in (1, 4)])]).match(
        of(), ("tea", "milk"), 9
    )
    got = OwnerSearch([part]).match(of(), ("tea", "milk"), 9)
    assert len(part.live_addresses()) == 4
    assert [(hit.row.id, hit.score) for hit in got] == [(hit.row.id, hit.score) for hit in left]


def test_equal_vectors_have_equal_cosines_wherever_they_lie():
    drawn = np.random.default_rng(3).normal(size=DIMENSION).astype(np.float32)
    part = rows_in_memory([fact(f"f{number:03d}", vector=drawn) for number in range(101)])
    few, all_of_them = np.array([7, 100]), np.arange(101)
    question = directions(whole_numbers(np.random.default_rng(4).normal(size=DIMENSION).astype(np.float32)))
    assert len({*part.cosines(question, few).tolist(), *part.cosines(question, all_of_them).tolist()}) == 1


def test_a_cosine_does_not_depend_on_how_long_a_vector_is():
    part = rows_in_memory([fact("f1", vector=3 * towards(0.6)), fact("f2"), fact("f3", vector=towards(0.6) / 3)])
    for length in (1, 5):
        found = OwnerSearch([part]).nearest(of(), length * axis(0), 3)
        assert [hit.score for hit in found] == pytest.approx([as_kept(towards(0.6))[0]] * 2, abs=1e-6)


# --- rows ------------------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(rows=rows_of_facts())
def test_rows_come_back_as_they_were(rows):
    part = rows_in_memory(rows)
    for got, row in zip(part.rows(np.arange(len(rows))), rows, strict=True):
        assert_same(got, row, with_vector=False)
        assert got.record() == row.record()


def test_a_row_is_made_once():
    part = rows_in_memory([fact("f", "tea")])
    assert part.rows(np.array([0]))[0] is part.rows(np.array([0]))[0]


def test_without_rows_nothing_is_found():
    part = rows_in_memory([])
    assert len(part.live_addresses()) == 0
    assert OwnerSearch([part]).match(of(), ("tea",), 5) == OwnerSearch([part]).nearest(of(), axis(0), 5) == []
    assert OwnerSearch([]).score(of(), ("tea",), axis(0), 5) == []
