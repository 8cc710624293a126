"""What every MemoryIndex promises (mneme/ports/), as tests.

Subclass ``MemoryIndexContract`` as ``TestSomething`` and supply two fixtures: ``index``, prepared for
``rows.EMBEDDER`` and empty, and ``reopen``, a function that opens the same store once more (not yet prepared).
"""

import dataclasses
import itertools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from mneme.errors import StoreRejected
from mneme.ports import (
    Create,
    EmbedderIdentity,
    Filter,
    MemoryIndex,
    Outcome,
    Put,
    Remove,
    Scored,
    Selection,
    TextLeg,
    VectorLeg,
    Write,
)
from mneme.receipts import flush_marker
from mneme.records import Owner, Validity
from mneme.rows import LARGEST, Collection, Embedding, Key, Row, Vector, directions, whole_numbers
from mneme.text import tokenise
from tests.contracts.rows import ALICE, DIMENSION, EMBEDDER, NOON, axis, episode, fact, message, of, score, towards

BOB = Owner(tenant_id="acme", type="user", id="bob")
NASTY = [
    *("o'brien", 'a"b', "a\\b", "100%_sure", "line\nbreak", "会话/é", "*", "x' OR '1'='1", "{}", "a,b", " ", "n" * 512),
    "é" * 256,
]
# Which of the rows a to e in the test about filters pass.
FILTERS: list[tuple[dict[str, object], str]] = [
    ({}, "abcde"),
    ({"kinds": ("fact",)}, "abcde"),
    ({"kinds": ("episode",)}, ""),
    ({"ids": ("a", "d", "absent")}, "ad"),
    ({"parent_ids": ("e1",)}, "ab"),
    ({"parent_ids": ("e1", "e3")}, "abe"),
    ({"conversation_ids": ("talk",)}, "ac"),
    ({"document_ids": ("book",)}, "b"),
    ({"agent_ids": ("helper",)}, "c"),
    ({"people": ("Zoé",)}, "ab"),
    ({"people": ("Zoé", "Max")}, "abd"),
    ({"people": ("max",)}, ""),
    ({"message_ids": ("m2",)}, "bc"),
    ({"since": NOON}, "cde"),
    ({"before": NOON}, "ab"),
    ({"since": NOON, "before": NOON + timedelta(hours=1)}, "c"),
    ({"valid_at": NOON}, "abce"),
    ({"valid_at": NOON - timedelta(seconds=1)}, "abcde"),
    ({"parent_ids": ("e1", "e2"), "message_ids": ("m2",), "people": ("Zoé",)}, "b"),
    ({"parent_ids": ("e1",), "agent_ids": ("helper",)}, ""),
    ({"outside_documents": True}, "acde"),
    ({"ended": True}, "d"),
]
_DONE, _NEWER = Outcome.DONE, Outcome.NEWER_EXISTS
# By what they show: writes of a row, each with its version and what becomes of it, and which of them is there at the end.
LIVES: dict[str, tuple[list[tuple[type[Put | Create | Remove], int, Outcome]], int | None]] = {
    "a higher version replaces the whole row": ([(Put, 1, _DONE), (Put, 2, _DONE)], 1),
    "an equal version overwrites": ([(Put, 3, _DONE), (Put, 3, _DONE)], 1),
    "a lower version is refused": ([(Put, 3, _DONE), (Put, 2, _NEWER)], 0),
    "a second create is refused whatever its version": ([(Create, 1, _DONE), (Create, 9, _NEWER)], 0),
    "a create after a put is refused": ([(Put, 4, _DONE), (Create, 9, _NEWER)], 0),
    "a created row is replaced by a higher version": ([(Create, 1, _DONE), (Put, 2, _DONE)], 1),
    "a row is removed at its own version": ([(Put, 5, _DONE), (Remove, 5, _DONE)], None),
    "a removal older than the row is refused": ([(Put, 5, _DONE), (Remove, 4, _NEWER)], 0),
    "to remove what is not there is no error": ([(Remove, 1, _DONE), (Remove, 2, _DONE)], None),
    "a put older than the removal is refused": ([(Put, 3, _DONE), (Remove, 7, _DONE), (Put, 6, _NEWER)], None),
    "a put of the version of the removal brings the row back": ([(Put, 1, _DONE), (Remove, 1, _DONE), (Put, 1, _DONE)], 2),
    "a put newer than the removal brings the row back": ([(Put, 3, _DONE), (Remove, 7, _DONE), (Put, 8, _DONE)], 2),
    "a row that was created above a removal is removed at its own version": (
        [(Remove, 7, _DONE), (Create, 9, _DONE), (Remove, 9, _DONE)],
        None,
    ),
}


def outcomes(index: MemoryIndex, *writes: Write) -> list[Outcome]:
    return [result.outcome for result in index.write(writes)]


def stepped(name: str, step: int, version: int) -> Row:
    """The row that a step of ``LIVES`` writes; the first has more in it."""
    more: dict[str, object] = {} if step else {"event_at": NOON, "speakers": ("Alice",)}
    return fact(name, f"step {step}", version, None if step else axis(0), **more)


def written(name: str, step: int, kind: type[Put | Create | Remove], version: int) -> Write:
    row = stepped(name, step, version)
    return Remove(row.key, version) if kind is Remove else kind(row)


def fill(index: MemoryIndex, *rows: Row) -> None:
    """Write rows and make them searchable."""
    assert outcomes(index, *(Put(row) for row in rows)) == [Outcome.DONE] * len(rows)
    index.refresh()


def only(index: MemoryIndex, key: Key, with_vectors: bool = False) -> Row | None:
    return index.get([key], with_vectors).get(key)


def found(index: MemoryIndex, leg: TextLeg | VectorLeg) -> list[str]:
    (hits,) = index.recall([leg])
    return [hit.row.id for hit in hits]


def by_text(query: str, filter: Filter | None = None, limit: int = 10) -> TextLeg:
    return TextLeg(Collection.FACTS, filter or of(), tuple(tokenise(query)), limit)


def by_vector(vector: Vector, filter: Filter | None = None, limit: int = 10) -> VectorLeg:
    return VectorLeg(Collection.FACTS, filter or of(), vector, limit)


def assert_same(got: Row | None, expected: Row, with_vector: bool = True) -> None:
    assert got is not None
    for field in dataclasses.fields(Row):
        if field.init and field.name not in ("vector", "token_vectors"):
            assert getattr(got, field.name) == getattr(expected, field.name), field.name
    if with_vector and expected.vector is not None:
        assert got.vector is not None
        assert got.vector.dtype == np.float32
        np.testing.assert_allclose(got.vector, directions(whole_numbers(expected.vector)), atol=1e-6)
    else:
        assert got.vector is None
    assert got.token_vectors == (expected.token_vectors if with_vector else b"")


def assert_embeddings(got: Mapping[Key, Embedding], *expected: Row) -> None:
    having = {row.key: row for row in expected if row.vector is not None}
    assert got.keys() == having.keys()
    for key, row in having.items():
        assert_same(replace(row, vector=got[key].vector, token_vectors=got[key].token_vectors), row)


class MemoryIndexContract:
    """Behaviour that callers of a MemoryIndex rely on."""

    @pytest.fixture
    def index(self) -> MemoryIndex:
        raise NotImplementedError("supply a prepared, empty index")

    @pytest.fixture
    def reopen(self) -> Callable[[], MemoryIndex]:
        raise NotImplementedError("supply a function that opens the same store again")

    # --- prepare -----------------------------------------------------------------------------------------------------

    def test_rows_outlive_another_preparation_and_the_process(self, index, reopen):
        row = fact("f", vector=axis(3))
        index.write([Put(row)])
        index.prepare(EMBEDDER)
        for _ in range(2):
            again = reopen()
            again.prepare(EMBEDDER)
            assert_same(only(again, row.key, with_vectors=True), row)
            again.close()
            index.close()

    def test_another_embedder_or_tokeniser_is_refused_with_the_way_to_index_again(self, index, reopen, monkeypatch):
        again = reopen()
        for other in (
            EmbedderIdentity("another", "fp32", DIMENSION),
            EmbedderIdentity("contract", "int8", DIMENSION),
            EmbedderIdentity("contract", "fp32", DIMENSION * 2),
        ):
            with pytest.raises(StoreRejected, match="mneme admin reindex") as refusal:
                again.prepare(other)
            assert other.fingerprint in str(refusal.value)
            assert EMBEDDER.fingerprint in str(refusal.value)
        again.prepare(replace(EMBEDDER, languages=("en",)))  # one that was fitted to other languages is the same
        again.close()
        monkeypatch.setattr("mneme.text.TOKENISER", "mneme-0")
        again = reopen()
        with pytest.raises(StoreRejected, match="mneme admin reindex"):
            again.prepare(EMBEDDER)
        again.close()

    # --- write -------------------------------------------------------------------------------------------------------

    def test_a_merge_loses_nothing(self, index):
        rows = [fact(f"f{number}", vector=axis(number % DIMENSION)) for number in range(30)]
        index.write([Put(row) for row in rows])
        index.merge()
        index.refresh()
        assert [row.id for row in index.scan(Collection.FACTS)] == sorted(row.id for row in rows)

    def test_the_version_decides_which_write_of_a_row_holds(self, index):
        for step in range(3):
            due = {name: writes[step] for name, (writes, _) in LIVES.items() if step < len(writes)}
            writes = [written(name, step, kind, version) for name, (kind, version, _) in due.items()]
            assert dict(zip(due, outcomes(index, *writes), strict=True)) == {
                name: outcome for name, (*_, outcome) in due.items()
            }
        for name, (writes, last) in LIVES.items():
            row = only(index, fact(name).key, with_vectors=True)
            if last is None:
                assert row is None, name
            else:
                assert_same(row, stepped(name, last, writes[last][1]))

    def test_a_removed_row_is_gone(self, index):
        row = fact("f", "likes tea", version=1, vector=axis(0))
        fill(index, row)
        assert outcomes(index, Remove(row.key, version=2)) == [Outcome.DONE]
        assert only(index, row.key) is None
        index.refresh()
        assert index.recall([by_text("tea"), by_vector(axis(0))]) == [[], []]
        assert index.count(Collection.FACTS, of()) == 0

    def test_writes_of_one_row_apply_in_order(self, index):
        last = fact("f", "v4", version=4)
        assert outcomes(
            index,
            Put(fact("f", "v1", version=1)),
            Put(fact("f", "v3", version=3)),
            Put(fact("f", "v2", version=2)),
            Put(fact("g", "other", version=1)),
            Remove(last.key, version=3),
            Put(last),
        ) == [Outcome.DONE, Outcome.DONE, Outcome.NEWER_EXISTS, Outcome.DONE, Outcome.DONE, Outcome.DONE]
        assert_same(only(index, last.key), last)

    def test_a_row_can_be_created_again_after_its_removal_in_the_same_call(self, index):
        row = message("m", version=1)
        again = message("m", "again", version=3)
        assert outcomes(index, Create(row), Remove(row.key, version=2), Create(again)) == [Outcome.DONE] * 3
        assert_same(only(index, again.key), again)

    def test_what_cannot_be_stored_is_rejected_alone_and_says_why(self, index):
        good, other = fact("good", vector=axis(0)), fact("other")
        bad = fact("bad", vector=np.ones(DIMENSION + 1, dtype=np.float32) / 3)
        results = index.write([Put(good), Put(bad), Put(other)])
        assert [result.outcome for result in results] == [Outcome.DONE, Outcome.REJECTED, Outcome.DONE]
        assert results[1].reason
        assert set(index.get([good.key, bad.key, other.key])) == {good.key, other.key}

    def test_many_writes_come_back_in_order(self, index):
        rows = [fact(f"f{number:04d}", "word " * (number % 40), vector=axis(number % DIMENSION)) for number in range(100)]
        index.write([Put(replace(rows[7], version=2)), Put(replace(rows[80], version=2))])
        expected = [Outcome.NEWER_EXISTS if number in (7, 80) else Outcome.DONE for number in range(100)]
        assert outcomes(index, *(Put(row) for row in rows)) == expected
        index.refresh()
        assert index.count(Collection.FACTS) == 100

    def test_repeating_all_writes_changes_nothing(self, index):
        gone = fact("gone")
        writes = [
            Put(fact("f", vector=axis(1))),
            Create(message("m")),
            Remove(gone.key, version=2),
            Put(episode("e", version=3)),
        ]
        index.write(writes)
        index.refresh()
        before = [list(index.scan(collection)) for collection in Collection]
        index.write(writes)
        index.refresh()
        after = [list(index.scan(collection)) for collection in Collection]
        assert [[row.id for row in rows] for rows in before] == [[row.id for row in rows] for rows in after]
        for old, new in zip(itertools.chain(*before), itertools.chain(*after), strict=True):
            assert_same(new, old)

    def test_threads_may_write_and_read_at_once(self, index):
        def work(thread: int) -> int:
            for number in range(5):
                row = fact(f"t{thread}-{number}", f"thread {thread}")
                assert outcomes(index, Put(row)) == [Outcome.DONE]
                assert_same(only(index, row.key), row)
                index.recall([by_text("thread")])
            return thread

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [0, 1, 2, 3]
        index.refresh()
        assert index.count(Collection.FACTS, of()) == 20

    def test_what_is_repeated_or_deleted_is_found_only_when_asked_for(self, index):
        fill(
            index,
            fact("said", "Alice likes tea", vector=axis(0)),
            fact("again", "Alice likes tea", vector=axis(0), validity=Validity(merged_into="said")),
        )
        assert index.recall([by_text("tea"), by_vector(axis(0))]) != [[], []]
        assert found(index, by_text("tea")) == found(index, by_vector(axis(0))) == ["said"]
        assert found(index, by_text("tea", of(hidden=True))) == ["again", "said"]
        assert [row.id for row in index.scan(Collection.FACTS, of())] == ["said"]
        assert index.count(Collection.FACTS, of(hidden=True)) == 2
        assert [row.kind for row in index.scan(Collection.FACTS, of(hidden=True))] == ["repetition", "fact"]

    # --- get ---------------------------------------------------------------------------------------------------------

    def test_a_written_row_is_there_before_any_refresh(self, index):
        times = {"event_at": NOON - timedelta(days=20_000), "said_at": NOON + timedelta(microseconds=123_456)}
        row = fact("f", "Alice moved to Lyon", vector=towards(0.6), speakers=("Alice",), **times)
        index.write([Put(row)])
        assert_same(only(index, row.key), row, with_vector=False)
        assert_same(only(index, row.key, with_vectors=True), row)

    def test_vectors_of_tokens_come_with_the_vector_and_by_themselves(self, index):
        tokens = bytes(range(256)) * 2
        rows = [
            replace(fact("f", vector=towards(0.6)), token_vectors=tokens),
            replace(message("m"), vector=axis(1), token_vectors=tokens[:64]),
            fact("bare", vector=axis(2)),
            replace(fact("g", vector=axis(3), owner=BOB), token_vectors=tokens[64:128]),
        ]
        fill(index, *rows)
        got = index.get([row.key for row in rows], with_vectors=True)
        for row in rows:
            assert_same(got[row.key], row)
            assert_same(only(index, row.key), row, with_vector=False)
        assert [row.token_vectors for row in index.scan(Collection.FACTS, of(ids=("f",)), with_vectors=True)] == [tokens]
        assert [row.token_vectors for row in index.scan(Collection.FACTS, of(ids=("f",)))] == [b""]
        asked = [*(row.key for row in rows), fact("nobody").key, message("f").key]
        assert_embeddings(index.embeddings(asked), *rows)
        assert_embeddings(index.embeddings([rows[0].key]), rows[0])
        assert index.embeddings([]) == {}

    def test_vectors_of_tokens_go_with_their_row_and_are_replaced_with_it(self, index):
        row = replace(fact("f", vector=axis(1)), token_vectors=b"a" * 64)
        fill(index, row)
        fill(index, replace(row, version=2, token_vectors=b"b" * 64))
        assert_embeddings(index.embeddings([row.key]), replace(row, token_vectors=b"b" * 64))
        index.write([Remove(row.key, 3)])
        index.refresh()
        assert index.embeddings([row.key]) == {}

    def test_every_kind_of_column_and_the_record_come_back(self, index):
        rows = [
            fact("f", validity=Validity(valid_to=NOON), event_until=NOON, conversation_id="c", agent_id="a"),
            episode("e", vector=axis(2), document_id="d", conversation_id=None, section="Introduction"),
            message("m", "Bonjour 世界", metadata={"": 1, "a..b": "x", ".": True, "deep.key": 1.5}),
        ]
        fill(index, *rows)
        got = index.get([row.key for row in rows], with_vectors=True)
        for row in rows:
            assert_same(got[row.key], row)
            assert got[row.key].record() == row.record()

    def test_one_get_reads_several_collections_each_row_once_and_leaves_out_what_is_not_there(self, index):
        rows = [fact("same"), episode("same"), message("same"), flush_marker("acme", "flush-1", NOON)]
        index.write([Put(row) for row in (*rows, fact("alices"))])
        absent = [fact("absent").key, Key(Collection.MEMORIES, ALICE.key, "same"), Key(Collection.FACTS, BOB.key, "alices")]
        got = index.get([rows[0].key, *(row.key for row in rows), *absent])
        assert set(got) == {row.key for row in rows}
        for row in rows:
            assert_same(got[row.key], row)
            assert json.loads(json.dumps(got[row.key].body)) == row.body

    # --- recall by text ----------------------------------------------------------------------------------------------

    def test_a_text_search_finds_rows_with_any_of_the_tokens_in_every_language(self, index):
        texts = {
            "tea": "likes green tea",
            "lyon": "lives in Lyon",
            "other": "plays chess",
            "咖啡": "我喜欢喝咖啡",
            "上海": "他在上海喝茶",
            "서울": "서울에 살아요",
            "long": "x" * 3000,
        }
        fill(index, *(fact(id, text) for id, text in texts.items()))
        assert set(found(index, by_text("Does she like tea in Lyon?"))) == {"tea", "lyon"}
        for word in ("咖啡", "上海", "서울"):
            assert found(index, by_text(word))[0] == word
        assert found(index, by_text("x" * 3000)) == ["long"]

    def test_more_of_the_tokens_rank_higher(self, index):
        fill(index, fact("one", "green grass grows"), fact("two", "green tea brews"), fact("none", "chess club meets"))
        assert found(index, by_text("green tea")) == ["two", "one"]

    def test_a_rarer_token_ranks_higher(self, index):
        common = [fact(f"common{number}", "garden flowers bloom") for number in range(6)]
        fill(index, *common, fact("rare", "saxophone lessons started"))
        assert found(index, by_text("garden saxophone"))[0] == "rare"

    def test_term_frequency_saturates_with_k1_of_1_2(self, index):
        fill(index, fact("once", "tea milk sugar"), fact("thrice", "tea tea tea"), fact("never", "milk sugar honey"))
        thrice, once = index.recall([by_text("tea")])[0]
        assert (thrice.row.id, once.row.id) == ("thrice", "once")
        assert thrice.score / once.score == pytest.approx((3 / 4.2) / (1 / 2.2), rel=0.02)

    def test_long_texts_count_less_with_b_of_0_75(self, index):
        fill(index, fact("short", "tea milk"), fact("long", "tea milk sugar honey lemon mint"))
        short, long = index.recall([by_text("tea")])[0]
        assert (short.row.id, long.row.id) == ("short", "long")
        assert short.score / long.score == pytest.approx((1 + 1.2 * 1.375) / (1 + 1.2 * 0.625), rel=0.02)

    def test_a_token_given_twice_counts_once(self, index):
        fill(index, fact("tea", "likes tea"), fact("coffee", "likes coffee"), fact("neither", "plays chess"))
        twice = TextLeg(Collection.FACTS, of(), ("tea", "tea", "coffe"), 10)
        first, second = index.recall([twice])[0]
        assert first.score == pytest.approx(second.score, rel=1e-3)

    def test_weighted_columns_decide_among_episodes(self, index):
        fill(
            index,
            episode("subject", subject="Tomatoes", summary="Of plants.", episode="Many words are said about the garden."),
            episode("text", subject="Plants", summary="Of gardens.", episode="Many words are said about the tomatoes."),
        )
        (hits,) = index.recall([TextLeg(Collection.EPISODES, of(), tuple(tokenise("tomatoes")), 10)])
        assert [hit.row.id for hit in hits] == ["subject", "text"]

    def test_query_text_is_data_and_never_a_language(self, index):
        fill(index, fact("f", "likes tea"))
        for token in ("AND", "OR", "NOT", "*", "?", '"', "tea*", "tokens:tea", "+(", "te~2", "[a", "\\", "'; --"):
            legs = [TextLeg(Collection.FACTS, of(), tokens, 10) for tokens in ((token,), (token, "tea"))]
            assert [[hit.row.id for hit in hits] for hits in index.recall(legs)] == [[], ["f"]], token

    # --- recall by vector --------------------------------------------------------------------------------------------

    def test_a_vector_search_gives_cosines_from_1_to_minus_1_best_first(self, index):
        cosines = {"same": 1.0, "near": 0.9, "far": 0.2, "across": 0.0, "away": -0.5, "opposite": -1.0}
        fill(index, *(fact(id, vector=towards(cosine)) for id, cosine in reversed(cosines.items())))
        (hits,) = index.recall([by_vector(axis(0))])
        assert [hit.row.id for hit in hits] == list(cosines)
        assert [hit.score for hit in hits] == pytest.approx(list(cosines.values()), abs=1 / LARGEST)

    def test_rows_without_a_vector_are_found_by_text_only(self, index):
        fill(index, fact("without", "green tea"))
        assert found(index, by_vector(axis(0))) == []
        fill(index, fact("with", "green tea", vector=axis(0)))
        assert found(index, by_vector(axis(0))) == ["with"]
        assert found(index, by_text("tea")) == ["with", "without"]

    def test_a_filter_that_few_rows_pass_still_finds_them(self, index):
        crowd = [
            fact(f"c{number:03d}", vector=towards(1.0 - number / 1000), parent_episode_id="crowd") for number in range(150)
        ]
        fill(index, *crowd, fact("wanted", vector=towards(-0.8), parent_episode_id="wanted"))
        assert found(index, by_vector(axis(0), of(parent_ids=("wanted",)), limit=3)) == ["wanted"]

    # --- recall of several -------------------------------------------------------------------------------------------

    def test_several_searches_in_one_call_answer_in_order(self, index):
        rows = {
            "f": fact("f", "green tea", vector=axis(0), speakers=("Alice",), event_at=NOON),
            "g": fact("g", "red wine", vector=axis(1)),
            "e": episode("e", vector=axis(0)),
        }
        fill(index, *rows.values())
        answers = index.recall(
            [
                by_text("wine"),
                TextLeg(Collection.EPISODES, of(), tuple(tokenise("tomatoes")), 10),
                by_text("nothing of the sort"),
                by_vector(axis(0), limit=1),
                VectorLeg(Collection.EPISODES, of(), axis(0), 10),
                by_text("tea", Filter("acme", ())),
            ]
        )
        assert [[hit.row.id for hit in hits] for hits in answers] == [["g"], ["e"], [], ["f"], ["e"], []]
        for hit in itertools.chain(*answers):
            assert_same(hit.row, rows[hit.row.id], with_vector=False)
            assert hit.row.record() == rows[hit.row.id].record()

    def test_ties_are_in_order_of_id(self, index):
        ids = ["f3", "f1", "f5", "f2", "f4"]
        fill(index, *(fact(id, "green tea", vector=axis(0)) for id in ids))
        assert found(index, by_text("tea")) == sorted(ids)
        assert found(index, by_vector(axis(0))) == sorted(ids)

    def test_no_more_hits_than_the_limit(self, index):
        fill(index, *(fact(f"f{number}", "tea " + "leaf " * number, vector=towards(1 - number / 10)) for number in range(6)))
        assert found(index, by_text("tea", limit=2)) == ["f0", "f1"]
        assert found(index, by_vector(axis(0), limit=2)) == ["f0", "f1"]

    def test_only_the_newest_version_is_found(self, index):
        fill(index, fact("f", "green tea", version=1, vector=axis(0)))
        fill(index, fact("f", "red wine", version=2, vector=axis(1)))
        assert found(index, by_text("tea")) == []
        assert found(index, by_text("wine")) == ["f"]
        (hit,) = index.recall([by_vector(axis(1))])[0]
        assert (hit.row.version, hit.score) == (2, pytest.approx(1.0, abs=1e-3))
        assert index.count(Collection.FACTS) == 1

    # --- filters -----------------------------------------------------------------------------------------------------

    def test_each_field_of_a_filter_holds_in_every_method(self, index):
        day = timedelta(days=1)
        columns = {
            "a": {"parent_episode_id": "e1", "conversation_id": "talk", "speakers": ("Zoé",), "said_at": NOON - 2 * day},
            "b": {
                "parent_episode_id": "e1",
                "document_id": "book",
                "speakers": ("Zoé", "Ann"),
                "message_ids": ("m1", "m2"),
                "said_at": NOON - timedelta(seconds=1),
            },
            "c": {"parent_episode_id": "e2", "conversation_id": "talk", "agent_id": "helper", "message_ids": ("m2", "m3")},
            "d": {
                "parent_episode_id": "e2",
                "speakers": ("Max",),
                "validity": Validity(valid_to=NOON),
                "said_at": NOON + timedelta(hours=1),
            },
            "e": {"parent_episode_id": "e3", "said_at": NOON + day},
        }
        fill(index, *(fact(id, "green tea", vector=axis(0), **values) for id, values in columns.items()))
        fill(index, fact("bobs", "green tea", vector=axis(0), owner=BOB))
        for fields, ids in FILTERS:
            filter, expected = of(**fields), list(ids)
            assert found(index, by_text("tea", filter)) == expected, fields
            assert found(index, by_vector(axis(0), filter)) == expected, fields
            scored = score(index, filter, ("tea",), axis(0), 10)
            assert sorted(one.row.id for one in scored) == expected, fields
            assert [row.id for row in index.scan(Collection.FACTS, filter)] == expected, fields
            assert index.count(Collection.FACTS, filter) == len(expected), fields
            assert sorted(row.id for row in index.page(Collection.FACTS, filter, 10)) == expected, fields

    def test_only_rows_of_the_owners_and_the_tenant_of_a_filter_are_seen(self, index):
        carl = BOB.model_copy(update={"id": "carl"})
        fill(index, *(fact(owner.id, "green tea", vector=axis(0), owner=owner) for owner in (ALICE, BOB, carl)))
        assert found(index, by_text("tea", Filter("acme", (ALICE.key, BOB.key)))) == ["alice", "bob"]
        for nobody in (Filter("acme", ()), Filter("other", (ALICE.key,))):
            assert index.recall([by_text("tea", nobody), by_vector(axis(0), nobody)]) == [[], []]
            assert score(index, nobody, ("tea",), axis(0), 10) == []
            assert list(index.scan(Collection.FACTS, nobody)) == []
            assert index.count(Collection.FACTS, nobody) == 0
            assert index.page(Collection.FACTS, nobody, 10) == index.conversations(Collection.FACTS, nobody, 10) == []

    def test_any_text_may_be_an_id_or_a_value_of_a_filter(self, index):
        rows = [
            fact(value, "green tea", vector=axis(0), parent_episode_id=value, speakers=(value,), message_ids=(value,))
            for value in NASTY
        ]
        fill(index, *rows, fact("decoy", "green tea", vector=axis(0)))
        got = index.get([row.key for row in rows])
        for value, row in zip(NASTY, rows, strict=True):
            assert_same(got[row.key], row, with_vector=False)
            filters = [of(**{field: (value,)}) for field in ("ids", "parent_ids", "people", "message_ids")]
            legs = [leg for filter in filters for leg in (by_text("tea", filter), by_vector(axis(0), filter))]
            assert [[hit.row.id for hit in hits] for hits in index.recall(legs)] == [[value]] * len(legs)
        assert set(outcomes(index, *(Remove(row.key, version=2) for row in rows))) == {Outcome.DONE}
        index.refresh()
        assert [left.id for left in index.scan(Collection.FACTS)] == ["decoy"]

    # --- score -------------------------------------------------------------------------------------------------------

    def test_both_scores_equal_those_of_recall(self, index):
        texts = ["green tea", "green tea with milk", "tea tea tea", "chess club", "black coffee and green grass"]
        fill(index, *(fact(f"f{n}", text, vector=towards(0.9 - n / 3)) for n, text in enumerate(texts)))
        by_words, by_meaning = index.recall([by_text("green tea"), by_vector(axis(0))])
        scored = {one.row.id: one for one in score(index, of(), tokenise("green tea"), axis(0), 10)}
        assert set(scored) == {f"f{n}" for n in range(5)}
        bm25 = {hit.row.id: hit.score for hit in by_words}
        assert {id: one.bm25 for id, one in scored.items()} == pytest.approx({id: bm25.get(id, 0.0) for id in scored}, rel=1e-4)
        cosines = {hit.row.id: hit.score for hit in by_meaning}
        assert {id: one.cosine for id, one in scored.items()} == pytest.approx(cosines, abs=1e-3)

    def test_scores_do_not_depend_on_how_far_the_filter_narrows(self, index):
        fill(index, *(fact(f"f{n}", "green tea" if n % 2 else "black coffee", parent_episode_id=f"e{n}") for n in range(8)))
        (hit, *_) = index.recall([by_text("tea")])[0]
        (scored,) = score(index, of(parent_ids=("e3",)), ("tea",), None, 10)
        assert scored.bm25 == pytest.approx(hit.score, rel=1e-4)

    def test_legs_and_selections_are_asked_together_as_one_by_one(self, index):
        told = [fact(f"f{n}", f"green tea {n}", vector=towards(0.9 - n / 3), parent_episode_id=f"e{n}") for n in range(4)]
        fill(index, *told)
        legs = [by_text("green"), by_vector(axis(0), limit=2)]
        narrowed = [Selection(Collection.FACTS, of(parent_ids=(f"e{n}",)), 5) for n in (2, 0, 9)]
        recalled, scored = index.ask(legs, narrowed, ("tea",), axis(0))
        for hits, expected in zip(recalled, index.recall(legs), strict=True):
            assert [(hit.row.id, hit.score) for hit in hits] == [(hit.row.id, hit.score) for hit in expected]
        assert [[one.row.id for one in found] for found in scored] == [["f2"], ["f0"], []]
        for each, found in zip(narrowed, scored, strict=True):
            alone = score(index, each.filter, ("tea",), axis(0), each.limit)
            assert [(one.bm25, one.cosine) for one in found] == [(one.bm25, one.cosine) for one in alone]
        assert index.ask((), (), (), None) == ([], [])

    def test_a_row_without_a_vector_has_no_cosine_and_one_without_a_common_token_scores_zero(self, index):
        rows = [fact("with", "tea", vector=towards(0.25)), fact("without", "tea"), fact("chess", "chess club", vector=axis(0))]
        fill(index, *rows)

        def scored(tokens: tuple[str, ...], vector: Vector | None, limit: int = 10) -> dict[str, Scored]:
            return {one.row.id: one for one in score(index, of(), tokens, vector, limit)}

        both = scored(("tea",), axis(0))
        assert [both[row.id].cosine for row in rows] == [pytest.approx(0.25, abs=1 / LARGEST), None, 1.0]
        assert both["with"].bm25 == pytest.approx(both["without"].bm25, rel=1e-4)
        assert both["with"].bm25 > both["chess"].bm25 == 0.0
        assert {one.bm25 for one in scored((), axis(0)).values()} == {0.0}
        by_words = scored(("tea",), None)
        assert {one.cosine for one in by_words.values()} == {None}
        for row in rows:
            assert by_words[row.id].bm25 == pytest.approx(both[row.id].bm25, rel=1e-4)
            assert_same(by_words[row.id].row, row, with_vector=False)
        assert len(scored(("tea",), axis(0), limit=2)) == 2

    # --- scan, count, refresh ----------------------------------------------------------------------------------------

    def test_a_scan_gives_every_row_of_all_tenants_by_id(self, index):
        elsewhere = Owner(tenant_id="zeta", type="group", id="team")
        rows = [fact("f2"), fact("f1", vector=axis(0)), fact("é"), fact("f10", owner=elsewhere), fact("F3", owner=BOB)]
        fill(index, *rows, episode("e"))
        scanned = list(index.scan(Collection.FACTS))
        assert index.count(Collection.FACTS) == 5
        in_order = sorted(rows, key=lambda row: row.id)
        for row, expected in zip(scanned, in_order, strict=True):
            assert_same(row, expected, with_vector=False)
        for row, expected in zip(index.scan(Collection.FACTS, with_vectors=True), in_order, strict=True):
            assert_same(row, expected)
        assert next(index.scan(Collection.FACTS)).id == in_order[0].id, "it may be left early"

    # --- lists -------------------------------------------------------------------------------------------------------

    def test_a_page_is_newest_first_and_the_next_begins_behind_it_when_newer_rows_come(self, index):
        fill(
            index,
            *(message(f"m{n}", sent_at=NOON + timedelta(minutes=n // 2)) for n in range(7)),  # two at a time
            message("bobs", owner=BOB),
        )
        listed: list[str] = []
        after = None
        while page := index.page(Collection.MESSAGES, of(), 3, after):
            listed += [row.id for row in page]
            after = (page[-1].at, page[-1].id)
            fill(index, message(f"late{len(listed)}", sent_at=NOON + timedelta(hours=1)))
        assert listed == ["m6", "m4", "m5", "m2", "m3", "m0", "m1"]
        assert all(row.vector is None for row in page)

    def test_rows_of_one_millisecond_are_in_the_order_of_their_ids(self, index):
        fill(index, *(message(f"m{n}", sent_at=NOON + timedelta(microseconds=300 * n)) for n in range(3)))
        (first,) = index.page(Collection.MESSAGES, of(), 1)
        others = index.page(Collection.MESSAGES, of(), 3, (first.at, first.id))
        assert [row.id for row in (first, *others)] == ["m0", "m1", "m2"]

    def test_conversations_are_counted_the_one_with_the_latest_row_first(self, index):
        fill(
            index,
            message("a1", conversation_id="a", sent_at=NOON),
            message("a2", conversation_id="a", sent_at=NOON + timedelta(hours=3), sender_id="max", sender_name="Max"),
            message("a3", conversation_id="a", sent_at=NOON + timedelta(hours=1)),
            message("b1", conversation_id="b", sent_at=NOON + timedelta(hours=2)),
            message("c1", conversation_id="c", sent_at=NOON + timedelta(hours=3)),
            message("none", conversation_id=None, document_id="book", sent_at=NOON + timedelta(hours=9)),
            message("gone", conversation_id="b", sent_at=NOON + timedelta(hours=9), deleted=True),
            message("bobs", conversation_id="bobs", owner=BOB),
            episode("e1", conversation_id="a", message_ids=("a1", "a3"), started_at=NOON),
        )
        found = index.conversations(Collection.MESSAGES, of(), 9)
        assert [(each.conversation_id, each.rows, each.messages) for each in found] == [("a", 3, 3), ("c", 1, 1), ("b", 1, 1)]
        first = found[0]
        assert (first.first_at, first.last_at) == (NOON, NOON + timedelta(hours=3))
        assert first.people == ("Alice", "alice", "Max", "max")
        assert_same(first.newest, message("a2", conversation_id="a", sent_at=first.last_at, sender_id="max", sender_name="Max"))
        (made,) = index.conversations(Collection.EPISODES, of(), 9)
        assert (made.rows, made.messages, made.people, made.newest.id) == (1, 2, ("Alice", "Bob"), "e1")

    def test_conversations_come_in_pages(self, index):
        fill(index, *(message(f"m{n}", conversation_id=f"c{n}", sent_at=NOON + timedelta(minutes=n // 2)) for n in range(5)))
        listed: list[str] = []
        after = None
        while page := index.conversations(Collection.MESSAGES, of(), 2, after):
            listed += [each.conversation_id for each in page]
            after = (page[-1].last_at, page[-1].conversation_id)
        assert listed == ["c4", "c2", "c3", "c0", "c1"]

    def test_owners_are_those_of_the_tenant_the_one_with_the_newest_message_first(self, index):
        team = Owner(tenant_id="acme", type="group", id="the team/ü")
        fill(
            index,
            *(message(f"m{n}", sent_at=NOON + timedelta(minutes=n)) for n in range(3)),
            message("gone", sent_at=NOON + timedelta(days=1), deleted=True),
            message("bobs", sent_at=NOON, owner=BOB),
            message("ours", sent_at=NOON + timedelta(hours=1), owner=team),
            message("theirs", owner=Owner(tenant_id="other", type="user", id="eve")),
            fact("f", owner=Owner(tenant_id="acme", type="user", id="carl")),
        )
        assert [(each.owner_type, each.owner_id, each.rows, each.last_at) for each in index.owners("acme", 9)] == [
            ("group", "the team/ü", 1, NOON + timedelta(hours=1)),
            ("user", "alice", 3, NOON + timedelta(minutes=2)),
            ("user", "bob", 1, NOON),
        ]
        assert [each.owner_id for each in index.owners("acme", 1)] == ["the team/ü"]
        assert index.owners("nobody", 9) == []

    def test_a_refresh_makes_all_collections_searchable(self, index):
        index.write([Put(fact("f")), Put(episode("e")), Put(message("m")), Put(flush_marker("acme", "x", NOON))])
        index.refresh()
        filled = {Collection.FACTS, Collection.EPISODES, Collection.MESSAGES, Collection.CONTROL}
        assert {collection: index.count(collection) for collection in Collection} == {
            collection: int(collection in filled) for collection in Collection
        }

    # --- nothing -----------------------------------------------------------------------------------------------------

    def test_an_empty_index_finds_nothing_may_be_purged_and_has_metadata_that_are_no_rows(self, index):
        index.purge()
        index.set_metadata({"run": "1"})
        index.refresh()
        assert index.recall([by_text("tea"), by_vector(axis(0))]) == [[], []]
        assert score(index, of(), ("tea",), axis(0), 10) == []
        assert index.count(Collection.FACTS, of()) == 0
        assert [list(index.scan(collection)) for collection in Collection] == [[] for _ in Collection]
        assert sum(index.count(collection) for collection in Collection) == 0

    def test_asking_for_nothing_gives_nothing(self, index):
        assert index.write([]) == []
        assert index.get([]) == {}
        assert index.recall([]) == []
        fill(index, fact("f", "green tea", vector=axis(0)))
        assert index.recall([TextLeg(Collection.FACTS, of(), (), 10)]) == [[]]
        assert score(index, of(ids=("absent",)), ("tea",), axis(0), 10) == []

    def test_a_purge_takes_nothing_that_is_there(self, index):
        kept = [fact(f"f{number}", f"green tea {number}", version=2, vector=axis(number)) for number in range(3)]
        index.write([Put(fact(f"f{number}", "secret plans", vector=axis(5))) for number in range(3)])
        index.write([Put(row) for row in kept])
        index.write([Put(fact("gone", "secret plans")), Remove(fact("gone").key, version=2)])
        index.purge()
        index.refresh()
        for row in kept:
            assert_same(only(index, row.key, with_vectors=True), row)
        assert [row.id for row in index.scan(Collection.FACTS, of())] == ["f0", "f1", "f2"]
        assert found(index, by_text("tea")) == ["f0", "f1", "f2"]
        assert found(index, by_text("secret")) == []
        assert found(index, by_vector(axis(1), limit=1)) == ["f1"]

    def test_after_a_purge_and_another_writing_goes_on(self, index):
        index.write([Put(fact("f", version=3)), Remove(fact("g").key, version=3)])
        index.purge()
        index.purge()
        assert outcomes(index, Put(fact("f", version=2)), Put(fact("f", version=4)), Put(fact("g", version=4))) == [
            Outcome.NEWER_EXISTS,
            Outcome.DONE,
            Outcome.DONE,
        ]

    # --- metadata ----------------------------------------------------------------------------------------------------

    def test_metadata_is_merged_and_lasts(self, index, reopen):
        index.set_metadata({"recovery.id": "r1", "run": "1"})
        index.set_metadata({"run": "2", "名": "値 'quoted'"})
        expected = {"recovery.id": "r1", "run": "2", "名": "値 'quoted'"}
        assert {key: index.metadata()[key] for key in expected} == expected
        again = reopen()
        again.prepare(EMBEDDER)
        assert {key: again.metadata()[key] for key in expected} == expected
        assert all(isinstance(value, str) for value in again.metadata().values())
        again.close()
