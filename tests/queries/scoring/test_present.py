"""What is so now is raised in a search for a state, and in no other."""

import pytest

from mneme.records import Claim
from mneme.rows import Row
from queries.questions.understand import understand
from queries.recall import Candidate
from queries.scoring.change_words import tells_of_change
from queries.scoring.present import FEATURES, PresentWeights, Statements, best_statements, present_first, shipped
from tests.queries.world import MAYA, NOW, conversation, quoted, section

WEIGHTS = shipped().model_copy(update={"weights": dict.fromkeys(FEATURES, 1.0)})


def said(text: str, day: int, speaker: str = "Nora", *claims: Claim) -> Row:
    return quoted(conversation(MAYA, f"talk-{day}", "A talk", [(speaker, text)], day)[-1], *claims)


def scored(question: str, *rows: Row, first: float = 0.7, weights: PresentWeights = WEIGHTS) -> list[float]:
    """The scores of the rows, of which the first fits best and the others a little less."""
    before = {row.id: first - 0.05 * place for place, row in enumerate(rows)}
    asked = understand(question, None, owner="maya")
    after = present_first(asked, [Candidate(row) for row in rows], before, weights)
    return [round(after[row.id] - before[row.id], 6) for row in rows]


OLD = said("We rent a flat in Leith near the docks", 1)
NEW = said("We moved, the flat in Dundee is smaller", 40)


def test_the_later_of_two_near_statements_is_raised_where_a_state_is_asked_for():
    old, new = scored("Where does Nora live?", OLD, NEW)
    assert (old, new > 0) == (0.0, True)


@pytest.mark.parametrize("question", ["Where did Nora live?", "Where did Nora live before?", "the flat in Leith"])
def test_any_other_question_is_scored_as_it_was(question: str) -> None:
    assert scored(question, OLD, NEW) == [0.0, 0.0]


def test_what_was_said_earlier_is_not_raised():
    assert scored("Where does Nora live?", NEW, OLD)[1] == 0.0


def test_what_hardly_changes_keeps_its_scores():
    assert scored("What is Nora's cat called?", OLD, NEW) == [0.0, 0.0]


def test_what_somebody_else_says_counts_less_unless_it_tells_of_who_is_asked_about():
    *_, own = scored("Where does Nora live?", OLD, NEW)
    *_, of_other = scored("Where does Nora live?", OLD, said("We moved, the flat in Dundee is smaller", 40, "Ed"))
    assert 0 < of_other < own


def test_documents_and_artifacts_tell_nobodys_present():
    draft = quoted(
        conversation(MAYA, "draft", "A letter", [("Nora", "We moved, the flat in Dundee is smaller")], 40)[-1], artifact="draft"
    )
    policy = section("handbook", "Flats", "The flat in Dundee is smaller")[-1]
    assert scored("Where does Nora live?", OLD, draft, policy) == [0.0, 0.0, 0.0]


def statements(question: str, *rows: Row) -> list[dict[str, float]]:
    asked = understand(question, None, owner="maya")
    found = best_statements(asked, [Candidate(row) for row in rows], {row.id: 0.5 for row in rows})
    return [features_of(found, row) for row in rows]


def features_of(found: Statements, row: Row) -> dict[str, float]:
    place = next(place for place, each in enumerate(found.rows) if each.id == row.id)
    return dict(zip(FEATURES, map(float, found.features[place]), strict=True))


def test_a_change_near_an_older_statement_counts_whatever_is_asked_for():
    old, new = statements("What is Nora happy about?", OLD, NEW)
    assert new["older_beside_a_change"] > 0
    assert (new["later"], new["another_value"], old["older_beside_a_change"]) == (0.0, 0.0, 0.0)


def test_another_value_of_the_kind_asked_for_is_told_from_the_same_one():
    old, rent, same, other = (
        said("My rent is 840 a month", 1),
        said("From May it will be 910", 40),
        said("The 840 go out on Mondays", 41),
        said("I ate 3 plums", 42),
    )
    found = statements("What is Nora's rent?", old, rent, same, other)
    assert [each["another_value"] > 0 for each in found] == [False, True, True, False]  # 840, after 910, is another
    assert [each["has_value"] for each in found] == [0.0, 1.0, 1.0, 1.0]


def test_of_many_later_statements_each_counts_less():
    one = statements("Where does Nora live?", OLD, NEW)[1]
    many = statements("Where does Nora live?", OLD, NEW, *(said(f"Plum number {n} was sour", 40 + n) for n in range(1, 9)))[1]
    assert 0 < many["later"] < one["later"]


def test_within_a_sitting_nothing_is_a_later_state():
    talk = conversation(MAYA, "talk", "A talk", [("Nora", "We rent a flat in Leith"), ("Nora", "First night in Dundee")], 1)
    _, new = statements("Where does Nora live?", *(quoted(each) for each in talk[-2:]))
    assert new["later"] == 0.0


def test_the_shipped_weights_are_for_these_features():
    assert set(shipped().weights) == set(FEATURES)
    with pytest.raises(ValueError, match="fit again"):
        PresentWeights(weights={"older_beside": 1.0}, fitted_on="", date=NOW.date())


@pytest.mark.parametrize(
    "text",
    [
        "They put me on nights from now on",
        "Das Peugeot habe ich verkauft",
        "Ya no trabajo allí",
        "J'ai vendu la Clio",
        "手机换成小米了",
        "花屋は辞めて",
    ],
)
def test_changes_are_told_in_many_languages(text: str) -> None:
    assert tells_of_change(text)
    assert not tells_of_change("The cat brought a mouse into the kitchen")
