"""What is so now is raised in a search for a state, and in no other."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mneme.ports import EmbedderIdentity
from mneme.records import Claim
from mneme.rows import Row, Vector
from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring.change import ChangeScorer
from queries.scoring.field import Field
from queries.scoring.present import FEATURES, PresentWeights, best_statements, present_first, shipped
from tests.contracts.rows import axis
from tests.queries.world import MAYA, NOW, conversation, quoted, section

BY_WORDS = ChangeScorer({}, EmbedderIdentity("unknown", "", 4)).chances
SUM = {"hidden": dict.fromkeys(FEATURES, (1.0, -1.0)), "hidden_bias": (0.0, 0.0), "out": (1.0, -1.0), "bias": 0.0}
WEIGHTS = shipped().model_copy(update=SUM)


def said(text: str, day: int, speaker: str = "Nora", *claims: Claim) -> Row:
    return quoted(conversation(MAYA, f"talk-{day}", "A talk", [(speaker, text)], day)[-1], *claims)


def field_of(rows: Sequence[Row], vectors: Sequence[Vector | None] = ()) -> Field:
    return replace(Field.of([], {}, [Candidate(row) for row in rows]), vectors=vectors)


def scored(question: str, *rows: Row, first: float = 0.7, weights: PresentWeights = WEIGHTS) -> list[float]:
    """The scores of the rows, of which the first fits best and the others a little less."""
    before = {row.id: first - 0.05 * place for place, row in enumerate(rows)}
    asked = understand(question, None, owner="maya")
    after = present_first(asked, field_of(rows), before, weights, BY_WORDS)
    return [round(after[row.id] - before[row.id], 6) for row in rows]


OLD = said("We rent a flat near the docks", 1)
NEW = said("We moved, the flat by the park is smaller", 40)


def test_the_later_of_two_near_statements_is_raised_where_a_state_is_asked_for():
    old, new = scored("Where does Nora live?", OLD, NEW)
    assert (old, new > 0) == (0.0, True)


@pytest.mark.parametrize(
    "question",
    ["Where did Nora live?", "Where did Nora live before?", "the flat in Leith", "Where does the sister of Nora's boss live?"],
)
def test_any_other_question_is_scored_as_it_was(question: str) -> None:
    assert scored(question, OLD, NEW) == [0.0, 0.0]


def test_what_was_said_earlier_is_not_raised():
    assert scored("Where does Nora live?", NEW, OLD)[1] == 0.0


def test_what_hardly_changes_keeps_its_scores():
    assert scored("What is Nora's cat called?", OLD, NEW) == [0.0, 0.0]


def test_what_somebody_else_says_takes_the_place_of_nothing_unless_it_tells_of_who_is_asked_about():
    words = "We moved, the flat by the park is smaller"
    assert scored("Where does Nora live?", OLD, said(words, 40, "Ed"))[1] == 0.0
    assert scored("Where does Nora live?", OLD, said(f"Nora says: {words}", 40, "Ed"))[1] > 0


def test_documents_and_artifacts_tell_nobodys_present():
    draft = quoted(
        conversation(MAYA, "draft", "A letter", [("Nora", "We moved, the flat by the park is smaller")], 40)[-1],
        artifact="draft",
    )
    policy = section("handbook", "Flats", "The flat by the park is smaller")[-1]
    assert scored("Where does Nora live?", OLD, draft, policy) == [0.0, 0.0, 0.0]


def features(question: str, *rows: Row, vectors: Sequence[Vector | None] = ()) -> dict[str, float]:
    """What is known of the second of these statements, and the first that is older."""
    asked = understand(question, None, owner="maya")
    found = best_statements(asked, field_of(rows, vectors), {row.id: 0.5 for row in rows}, BY_WORDS)
    older, later = ([each.id for each in found.rows].index(row.id) for row in rows[:2])
    return dict(zip(FEATURES, map(float, found.features[later, older]), strict=True))


def test_a_later_statement_leads_by_as_much_as_it_rather_took_the_place_of_the_older():
    sure, unlikely = (WEIGHTS.model_copy(update={"bias": bias}) for bias in (8.0, -8.0))
    assert 0.7 + sum(scored("Where does Nora live?", OLD, NEW, weights=sure)) - 0.05 > 0.7
    assert scored("Where does Nora live?", OLD, NEW, weights=unlikely) == [0.0, 0.0]


def test_a_change_near_an_older_statement_is_told_from_what_says_no_change():
    told = [features("Where does Nora live?", OLD, row) for row in (NEW, said("The flat by the park is smaller", 40))]
    assert [each["near_in_a_change"] > 0 for each in told] == [True, False]


def test_another_value_of_the_kind_asked_for_is_told_from_the_same_one():
    old = said("My rent is 840 a month", 1)
    later = (said(text, 40) for text in ("From May it will be 910", "The 840 go out on Mondays", "I ate 3 plums"))
    assert [features("What is Nora's rent?", old, each)["another_value"] for each in later] == [1.0, 0.0, 0.0]


def test_what_has_no_figure_takes_the_place_of_no_number():
    old = said("My rent is 840 a month", 1)
    raised = [scored("What is Nora's rent?", old, said(f"My rent went up {by}", 40))[1] for by in ("to 910", "a lot")]
    assert raised[0] > raised[1] == 0.0


def test_what_has_a_value_of_the_kind_asked_for_is_raised_without_an_older_one():
    assert scored("What is Nora's rent?", said("It is 840 now", 1))[0] > 0
    assert scored("What is Nora's rent?", said("It is too much", 1)) == [0.0]


def test_within_an_hour_is_the_same_sitting():
    talk = conversation(MAYA, "talk", "A talk", [("Nora", "We rent a flat in Leith"), ("Nora", "First night in Dundee")], 1)
    assert features("Where does Nora live?", *(quoted(each) for each in talk[-2:]))["another_sitting"] == 0.0
    assert features("Where does Nora live?", OLD, NEW)["another_sitting"] == 1.0


def test_nearness_in_meaning_is_measured_against_that_of_the_other_statements():
    other, silent = said("Plums were sour", 41), said("Plums were sweet", 42)
    vectors = {OLD.id: axis(0), NEW.id: axis(0), other.id: axis(1)}

    def near(*rows: Row) -> float:
        return features("Where does Nora live?", *rows, vectors=[vectors.get(row.id) for row in rows])["near_in_meaning"]

    assert near(OLD, NEW, other) > 0 > near(OLD, other, NEW)
    assert near(OLD, silent, NEW, other) == 0.0


def test_nothing_is_raised_where_nothing_was_said():
    assert present_first(understand("Where does Nora live?", None), field_of(()), {}, WEIGHTS, BY_WORDS) == {}


def test_the_shipped_weights_are_for_these_features():
    assert set(shipped().hidden) == set(FEATURES)
    with pytest.raises(ValueError, match="fit again"):
        PresentWeights(hidden={"older_beside": (1.0,)}, hidden_bias=(0.0,), out=(1.0,), bias=0.0, fitted_on="", date=NOW.date())
