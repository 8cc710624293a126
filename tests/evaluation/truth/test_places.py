"""Where a statement stands among the places of a search, and whether it is marked as ended."""

from datetime import UTC, datetime

import pytest

from evaluation.retrieval.question_set import Question
from evaluation.truth.changes import Outcome
from evaluation.truth.material import Change, ChatQuestion, Place, Statement, disturbed, marked_ended, place_of, stands_before
from evaluation.truth.questions import Asked
from mneme.records import AtomicFact, Claim, Owner, Validity

NOW = datetime(2026, 3, 1, tzinfo=UTC)
OLD, NEW = Statement("m1", "Croydon"), Statement("m2", "Deptford")


def fact(text: str, message: str = "m1", ended: bool = False, claims: tuple[Claim, ...] = ()) -> AtomicFact:
    return AtomicFact(
        id=f"{message}/{text}",
        owner=Owner(tenant_id="default", type="user", id="paul"),
        created_at=NOW,
        version=1,
        parent_episode_id="e",
        atomic_fact=text,
        topic_name="",
        message_ids=(message,),
        said_at=NOW,
        claims=claims,
        validity=Validity(valid_to=NOW if ended else None),
    )


def test_a_statement_stands_at_the_first_place_of_its_message():
    places = [Place(("m3",), "hello"), Place(("m2",), "a new flat"), Place(("m2", "m1"), "both")]
    assert place_of(NEW, places) == 2
    assert place_of(OLD, places) == 3
    assert stands_before(NEW, OLD, places)
    assert place_of(Statement("m9", "x"), places) is None


def test_another_sentence_of_the_message_does_not_count_where_one_has_the_words():
    places = [Place(("m1",), "No gluten for me"), Place(("m2",), "a place in Deptford"), Place(("m1",), "still out in CROYDON")]
    assert place_of(OLD, places) == 3
    assert stands_before(NEW, OLD, places)


def test_one_that_is_not_found_stands_before_none_and_a_place_of_both_decides_nothing():
    assert not stands_before(NEW, OLD, [Place(("m1",), "Croydon")])
    assert stands_before(NEW, OLD, [Place(("m2",), "Deptford")])
    assert not stands_before(NEW, OLD, [Place(("m1", "m2"), "from Croydon to Deptford")])


def test_an_ending_may_be_of_the_fact_or_of_one_of_its_claims():
    home = Claim(subject="Paul", attribute="home", value="Croydon", valid_to=NOW)
    assert marked_ended(OLD, [fact("Paul lives in Croydon", ended=True)])
    assert marked_ended(OLD, [fact("Paul lives in Croydon", claims=(home,))])
    assert not marked_ended(OLD, [fact("Paul lives in Croydon"), fact("Paul likes tea", ended=True)])


def test_what_still_holds_is_disturbed_by_an_ending_of_its_fact_or_claim_and_not_by_its_neighbours():
    allergy = Statement("m1", "gluten")
    home = Claim(subject="Paul", attribute="home", value="Croydon", valid_to=NOW)
    both = "Paul lives in Croydon and cannot eat gluten"
    assert not disturbed(allergy, [fact(both, claims=(home,))])
    assert disturbed(allergy, [fact(both, ended=True)])
    assert disturbed(allergy, [fact(both, claims=(home.model_copy(update={"value": "no gluten"}),))])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("He lives in Deptford since Monday; before, in Croydon.", True),
        ("He lives in Croydon; Deptford is nice too.", False),
        ("He lives in Leeds.", False),
    ],
)
def test_ask_tells_the_present_state_before_the_old_one(answer, told):
    question = Question("c", "paul", {"user_id": "paul"}, "Where does Paul live?", "everyday", frozenset(), NOW)
    change = Change(question, "en", OLD, NEW, True, ())
    assert Outcome(change, 1, 2, True, answer, False, False, (), ()).tells_present is told


@pytest.mark.parametrize(
    ("evidence", "answer", "abstained", "verdict"),
    [
        ({"m1"}, "In CROYDON.", False, "right"),
        ({"m1"}, "In Leeds.", False, "wrong"),
        ({"m1"}, "Nothing tells.", True, "abstained"),
        (set(), "Nothing tells.", True, "right"),
        (set(), "In Leeds.", False, "wrong"),
    ],
)
def test_an_answer_is_right_wrong_or_abstained(evidence, answer, abstained, verdict):
    accept = ("croydon",) if evidence else ()
    question = Question("q", "paul", {"user_id": "paul"}, "Where?", "english", frozenset(evidence), NOW)
    assert Asked(ChatQuestion(question, accept), None, None, answer, abstained).verdict == verdict


def test_an_answer_leads_with_what_stands_before_its_first_citation():
    question = Question("q", "paul", {"user_id": "paul"}, "Where?", "english", frozenset({"m1"}), NOW)
    asked = ChatQuestion(question, ("croydon",))
    assert Asked(asked, 1, 1, "In Croydon [1], not in Leeds [2]", False).leads
    assert not Asked(asked, 1, 1, "What tells of it: a cat [4], Croydon [1]", False).leads
