"""How likely a statement answers a question, by every token of both."""

from dataclasses import replace

import numpy as np
import pytest

from mneme.rows import TOKEN_DIMENSION
from queries.questions.understand import Question, understand
from queries.recall import Candidate
from queries.scoring.features import STATEMENT_FEATURES, statement_features
from queries.scoring.field import Field, Numbers
from queries.scoring.reader import BEFORE, CIRCUMSTANCES, MOST, SHAPES, STATEMENT, Passages, read, readings, weights_for
from tests.contracts.rows import episode, fact

QUESTION = "Where does Ann live?"
PLAIN = [0.0] * CIRCUMSTANCES


def tokens(seed: int, count: int = 5) -> bytes:
    return np.random.default_rng(seed).integers(-127, 128, (count, TOKEN_DIMENSION), np.int8).tobytes()


def odds(before: list[bytes], said: list[bytes], question: bytes = tokens(0)) -> list[float]:
    return read(question, Passages.of(before, said, [PLAIN] * len(said)), weights_for(QUESTION)).tolist()


def asked() -> Question:
    return understand(QUESTION, None, None, 20, fact("any").at, "ann")


def field_of(*said: bytes, episodes: tuple[str, ...] = ()) -> Field:
    """A fact with these tokens for each, all in one episode or each in the episode that is named."""
    inside = episodes or ("e",) * len(said)
    facts: dict[str, list[Candidate]] = {}
    for number, name in enumerate(inside):
        facts.setdefault(name, []).append(Candidate(fact(f"fact{number}"), 1.0, 0.5))
    field = Field.of([Candidate(episode(name), 1.0, 0.5) for name in facts], facts, ())
    return replace(field, token_vectors=said, asked=tokens(0))


def of_field(field: Field, scores: list[float], most: int = MOST) -> Numbers:
    return readings(asked(), field, statement_features(asked(), field, ()), np.array(scores), most)


@pytest.mark.parametrize("question", [QUESTION, "安娜住在哪里？"])
def test_the_shipped_weights_have_their_shapes(question: str):
    assert {name: part.shape for name, part in weights_for(question).items()} == SHAPES


def test_languages_other_than_english_have_weights_of_their_own():
    assert weights_for("安娜住在哪里？") is weights_for("Wo wohnt Anna eigentlich zurzeit?") is not weights_for(QUESTION)


def test_a_passage_is_read_the_same_whatever_is_read_beside_it():
    alone, behind_another = odds([b""], [tokens(1)]), odds([tokens(4)], [tokens(1)])
    beside = odds([b"", tokens(4), tokens(3, 40)], [tokens(1), tokens(1), tokens(2, 60)])
    assert [*alone, *behind_another] == pytest.approx(beside[:2], abs=1e-4)


def test_the_first_tokens_of_a_statement_and_the_last_of_what_was_before_are_read():
    long, longer = tokens(1, STATEMENT), tokens(1, STATEMENT) + tokens(2)
    assert odds([tokens(3, BEFORE)], [long]) == odds([tokens(4) + tokens(3, BEFORE)], [longer])


def test_what_was_said_before_counts():
    assert odds([tokens(3)], [tokens(1)]) != odds([b""], [tokens(1)])


def test_only_what_was_said_before_in_the_same_episode_is_read():
    same, others = (of_field(field_of(tokens(1), tokens(2), episodes=names), [1, 2]) for names in (("e", "e"), ("e", "f")))
    assert same[0] == pytest.approx(others[0], abs=1e-4)
    assert same[1] != pytest.approx(others[1], abs=1e-4)


def test_the_best_whose_tokens_are_known_are_read():
    found = of_field(field_of(tokens(1), tokens(2), tokens(3), b""), [3, 1, 2, 0], most=2)
    assert np.isnan(found).tolist() == [False, True, False, True]
    assert found[0] != found[2]


def test_without_vectors_of_tokens_nothing_is_read():
    assert np.isnan(of_field(field_of(b"", b""), [1, 2])).all()


def test_who_is_asked_about_counts():
    features = np.zeros((2, len(STATEMENT_FEATURES)))
    features[1, STATEMENT_FEATURES.index("speaker_named")] = 1
    field = field_of(tokens(1), tokens(1), episodes=("e", "f"))
    found = readings(asked(), field, features, np.array([1.0, 2.0]))
    assert found[1] > found[0]
