"""How well the tokens of a question match those of a statement."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.ports import Put
from mneme.records import Validity
from mneme.rows import TOKEN_DIMENSION, Row
from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring import late_interaction
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES, episode_features, statement_features
from queries.scoring.field import Field
from queries.scoring.late_interaction import Embeddings, max_sim, with_matches
from tests.contracts.rows import EMBEDDER, axis, episode, fact, message
from tests.memory_index_reference import ReferenceIndex

some_tokens = st.builds(
    lambda seed, count: np.random.default_rng(seed).integers(-127, 128, (count, TOKEN_DIMENSION), np.int8).tobytes(),
    st.integers(0, 2**32),
    st.integers(1, 4),
)


def words(*axes: int) -> bytes:
    """A token for each number, equal to all with the same number and at a right angle to all others."""
    tokens = np.zeros((len(axes), TOKEN_DIMENSION), np.int8)
    tokens[range(len(axes)), axes] = 127
    return tokens.tobytes()


def index_of(*rows: Row) -> ReferenceIndex:
    index = ReferenceIndex()
    index.prepare(EMBEDDER)
    index.write([Put(row) for row in rows])
    return index


def told(name: str, tokens: bytes = b"", cosine: float = 0.5, **fields: object) -> Candidate:
    return Candidate(replace(fact(name, **fields), vector=axis(0) if tokens else None, token_vectors=tokens), 1.0, cosine)


def field_of(*candidates: Candidate) -> Field:
    return Field.of([Candidate(episode("e"), 1.0, 0.5)], {"e": candidates}, ())


def matches(question: bytes, *candidates: Candidate, others: tuple[Row, ...] = ()) -> list[float] | None:
    found = with_matches(Embeddings(index_of(*(each.row for each in candidates), *others)), question, field_of(*candidates))
    return None if found is None or found.matches is None else [round(float(each), 6) for each in found.matches]


def test_each_token_of_the_question_counts_its_best_match():
    assert max_sim(words(1, 2), [words(1, 2, 3), words(1, 1), words(4)]).tolist() == [1.0, 0.5, 0.0]


@given(some_tokens, st.lists(some_tokens, min_size=1, max_size=4))
def test_scores_are_the_same_as_one_by_one(question, statements):
    together = max_sim(question, statements)
    asked = np.frombuffer(question, np.int8).reshape(-1, TOKEN_DIMENSION) / 127
    for score, statement in zip(together, statements, strict=True):
        said = np.frombuffer(statement, np.int8).reshape(-1, TOKEN_DIMENSION) / 127
        assert score == pytest.approx((asked @ said.T).max(axis=1).mean(), abs=1e-4)


def test_a_statement_is_compared_by_its_tokens():
    assert matches(words(1, 2), told("a", words(1)), told("b", words(1, 2))) == [0.5, 1.0]


def test_a_statement_in_the_words_of_its_message_is_compared_by_those_of_the_message():
    said = replace(message("acme/garden/m1"), vector=axis(1), token_vectors=words(1, 2))
    in_its_words = told("a", message_ids=("m1",), conversation_id="garden")
    own = told("b", words(1))
    assert matches(words(1, 2), in_its_words, own, others=(said,)) == [1.0, 0.5]


def test_a_statement_that_was_said_again_is_compared_by_the_words_it_was_said_in_first():
    said = replace(message("acme/garden/m1"), vector=axis(1), token_vectors=words(1, 2))
    again = Validity(repeated_by=("f2",), also_said_in=("m2",))
    twice = told("a", message_ids=("m1",), conversation_id="garden", validity=again)
    assert matches(words(1, 2), twice, told("b", words(1)), others=(said,)) == [1.0, 0.5]


def test_a_field_keeps_the_vectors_of_its_statements():
    statements = told("a", words(1, 2)), told("b")
    found = with_matches(Embeddings(index_of(*(each.row for each in statements))), words(1), field_of(*statements))
    assert found is not None
    assert [None if each is None else each.tolist() for each in found.vectors] == [axis(0).tolist(), None]


def test_what_has_no_tokens_matches_as_well_as_it_is_near():
    assert matches(words(1, 2), told("a", words(1, 2), 0.9), told("b", words(3), 0.1), told("c", cosine=0.5)) == [1.0, 0.0, 0.5]


def test_what_comes_behind_those_compared_matches_as_badly_as_the_worst(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(late_interaction, "COMPARED", 2)
    statements = told("a", words(1, 2), 0.9), told("b", words(1), 0.8), told("c", words(1, 2), 0.1)
    assert matches(words(1, 2), *statements) == [1.0, 0.5, 0.5]


def test_nothing_is_compared_where_there_are_no_vectors_of_tokens():
    assert matches(b"", told("a", words(1))) is None
    assert matches(words(1), told("a"), told("b")) is None
    assert with_matches(Embeddings(index_of()), words(1), Field.of([], {}, ())) is None


def test_statements_and_their_episode_know_how_well_they_match():
    field = replace(field_of(told("a"), told("b"), told("c")), matches=np.array([0.2, 0.6, 0.4]))
    question = understand("What?", None)
    columns = dict(zip(STATEMENT_FEATURES, statement_features(question, field, ()).T.tolist(), strict=True))
    assert columns["match"] == pytest.approx([0.0, 1.0, 0.5])
    assert columns["previous_match"] == pytest.approx([0.0, 0.0, 1.0])
    assert columns["next_match"] == pytest.approx([1.0, 0.5, 0.0])
    assert columns["match_rank"][1] == 0.0
    of_episode = dict(zip(EPISODE_FEATURES, episode_features(question, field)[0].tolist(), strict=True))
    assert (of_episode["best_match"], of_episode["mean_match"]) == pytest.approx((1.0, 0.5))


def test_the_vectors_of_a_row_are_read_once_for_each_version():
    index, asked = index_of(replace(message("acme/garden/m1"), vector=axis(1), token_vectors=words(1, 2))), []
    read = index.embeddings
    index.embeddings = lambda keys: asked.append(len(keys)) or read(keys)  # type: ignore[method-assign]
    said = told("a", message_ids=("m1",), conversation_id="garden")
    vectors = Embeddings(index)
    again = replace(said, row=replace(said.row))
    found = [with_matches(vectors, words(1, 2), field_of(each)) for each in (said, again)]
    assert [each is not None and each.matches is not None and float(each.matches[0]) for each in found] == [1.0, 1.0]
    assert asked == [2], "the statement and its message, in one round trip"
    with_matches(vectors, words(1, 2), field_of(replace(said, row=replace(said.row, version=said.row.version + 1))))
    assert asked == [2, 2]
