"""What is known of each candidate, as numbers."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mneme.records import Quote, Spoken
from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring.features import EPISODE_FEATURES, STATEMENT_FEATURES, episode_features, statement_features
from queries.scoring.field import Field
from tests.contracts.rows import NOON, episode, fact
from tests.queries.world import MAYA, messages

measured = st.one_of(st.none(), st.floats(-1, 20))


def statement(name: str, bm25: float | None = 1.0, cosine: float | None = 0.5, **fields: object) -> Candidate:
    return Candidate(fact(name, **fields), bm25, cosine)


def column(question: str, name: str, *inside: Candidate, found: tuple[Candidate, ...] = (), **asked: object) -> list[float]:
    """One feature of the facts of one episode."""
    field = Field.of([Candidate(episode("e"), 1.0, 0.5)], {"e": inside}, ())
    features = statement_features(understand(question, None, **asked), field, found)
    return [float(value) for value in features[:, STATEMENT_FEATURES.index(name)]]


@given(st.lists(st.tuples(measured, measured), max_size=6), st.lists(st.tuples(measured, measured), max_size=3))
def test_every_feature_is_a_finite_number_for_whatever_was_found(legs, alone):
    facts = [statement(f"f{at}", *each) for at, each in enumerate(legs)]
    others = [statement(f"o{at}", *each) for at, each in enumerate(alone)]
    field = Field.of([Candidate(episode("e"), None, None)], {"e": facts}, others)
    question = understand("When did Ann buy 3 books?", None)
    found = statement_features(question, field, ())
    assert found.shape == (len(legs) + len(alone), len(STATEMENT_FEATURES))
    assert np.isfinite(found).all()
    assert np.isfinite(episode_features(question, field)).all()
    assert episode_features(question, field).shape == (1, len(EPISODE_FEATURES))


def test_each_feature_counts_apart_where_an_assistant_talks():
    among_people = (statement("a", speakers=("Ann",)), statement("b", speakers=("Bob",)))
    with_assistant = (statement("a", speakers=("Ann",)), statement("b", speakers=("Assistant",)))
    assert (
        column("What?", "with_assistant_bm25", *among_people) == column("What?", "with_assistant", *among_people) == [0.0, 0.0]
    )
    assert column("What?", "with_assistant_bm25", *with_assistant) == column("What?", "bm25", *with_assistant) == [1.0, 1.0]
    assert column("What?", "with_assistant", *with_assistant) == [1.0, 1.0]


def test_a_tiny_best_score_makes_no_infinite_share():
    assert column("What?", "bm25", statement("a", 2.2e-313), statement("b", -1.0)) == [1.0, 0.0]


def test_legs_are_relative_to_the_candidates_of_the_question():
    small = column("What?", "bm25", statement("a", 2.0), statement("b", 1.0))
    large = column("What?", "bm25", statement("a", 20.0), statement("b", 10.0))
    assert small == large == [1.0, 0.5]
    assert column("What?", "cosine", statement("a", 1.0, 0.9), statement("b", 1.0, 0.1)) == [1.0, 0.0]


def test_the_facts_beside_a_fact_are_its_neighbours_and_end_with_its_episode():
    facts = {"e": [statement("f0", 4.0), statement("f1", 2.0)], "d": [statement("g0", 1.0)]}
    field = Field.of([Candidate(episode("e")), Candidate(episode("d"))], facts, [statement("alone", 3.0)])
    found = statement_features(understand("What?", None), field, ())
    previous = dict(
        zip((each.row.id for each in field.statements), found[:, STATEMENT_FEATURES.index("previous_bm25")], strict=True)
    )
    following = dict(zip(previous, found[:, STATEMENT_FEATURES.index("next_bm25")], strict=True))
    assert previous == {"alone": 0.0, "f0": 0.0, "f1": 1.0, "g0": 0.0}
    assert following == {"alone": 0.0, "f0": 0.5, "f1": 0.0, "g0": 0.0}


def test_a_statement_of_a_document_stands_for_its_message_and_its_neighbours():
    rows = [statement("f0", 4.0, 0.9, document_id="d"), statement("f1", 1.0, 0.1, document_id="d")]
    for name in ("message", "previous", "next"):
        assert column("What?", f"{name}_bm25", *rows) == column("What?", "bm25", *rows)
        assert column("What?", f"{name}_cosine", *rows) == column("What?", "cosine", *rows)
    assert column("What?", "message_cosine_rank", *rows) == column("What?", "cosine_rank", *rows)


def test_an_answer_is_known_by_the_question_before_it_and_that_question_as_answered():
    asks = Quote(speaker="Ann", words="Where is the boat?", language="en")
    tells = Quote(
        speaker="Leo",
        words="In Oslo.",
        language="en",
        question=Spoken(speaker="Ann", words="Where is the boat?", message_id="m1"),
    )
    both = statement("a", 4.0, 0.9, quote=asks), statement("b", 1.0, 0.1, quote=tells)
    assert column("Where is the boat?", "question_bm25", *both) == [0.0, 1.0]
    assert column("Where is the boat?", "question_cosine", *both) == [0.0, 1.0]
    assert column("Where is the boat?", "answers", *both) == [0.0, 1.0]
    assert column("Where is the boat?", "is_answered", *both) == [1.0, 0.0]
    assert column("Where is the boat?", "is_answered", both[0]) == [0.0]


def test_a_fact_is_known_by_the_very_message_that_was_found():
    (found,) = messages(MAYA, "kitchen", [("Maya", "The electrician comes on Monday")])
    told = fact("told", conversation_id="kitchen", message_ids=found.message_ids)
    other = fact("other", conversation_id="garden", message_ids=found.message_ids)
    message = Candidate(found, 3.0, 0.4)
    assert column("When?", "message_bm25", Candidate(told, 0.0), Candidate(other, 0.0), found=(message,)) == [1.0, 0.0]


def test_who_is_named_and_who_asks():
    ann, leo = statement("a", speakers=("Ann",)), statement("b", speakers=("Leo",))
    assert column("What did Leo buy?", "speaker_named", ann, leo) == [0.0, 1.0]
    assert column("What did Leo buy?", "another_named", ann, leo) == [1.0, 0.0]
    assert column("What was bought?", "another_named", ann, leo) == [0.0, 0.0]
    assert column("What did I buy?", "said_by_asker", ann, leo, owner="ann") == [1.0, 0.0]


def test_a_fact_of_the_time_that_is_asked_about_fits_best():
    then = statement("then", event_at=NOON - timedelta(days=1))
    long_ago = statement("long ago", said_at=NOON - timedelta(days=300), event_at=NOON - timedelta(days=300))
    near, far = column("What happened yesterday?", "period_fit", then, long_ago, asked_at=NOON)
    assert near == 1.0 > far


def test_the_best_rank_is_0_and_equal_scores_share_the_last_of_their_places():
    first, second, third = column("What?", "bm25_rank", statement("a", 5.0), statement("b", 2.0), statement("c", 2.0))
    assert first == 0.0 > second == third == -np.log(3) / 5


def test_a_row_without_a_vector_is_as_far_as_the_farthest():
    without = replace(statement("c"), cosine=None)
    assert column("What?", "cosine", statement("a", 1.0, 0.9), statement("b", 1.0, 0.3), without) == [1.0, 0.0, 0.0]
