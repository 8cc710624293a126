"""What a question asks for comes first, if it is there; nothing is added, nothing lost, no order within a type changed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.records import AgentCase
from mneme.rows import Embedding, Row, row_of
from queries.granularity.forms import Form
from queries.granularity.preference import days_ahead, preference, weigh
from queries.questions.understand import understand
from queries.recall import Candidate
from tests.queries import world
from tests.queries.world import HARBOUR, KITCHEN, MAYA, NOW, PLANNER, START, conversation, filled, memories

MINE = {"user_id": "maya"}
MONDAY = datetime(2026, 6, 1, 12, tzinfo=UTC)


def case(id: str = "case", insight: str = "The night train sells out early.") -> Row:
    record = AgentCase(
        id=id,
        owner=PLANNER,
        created_at=START,
        version=1,
        parent_episode_id="e",
        agent_id="planner",
        task_intent="Book the night train",
        approach="1. search",
        quality_score=0.9,
        key_insight=insight,
        message_ids=("m1",),
        at=START,
    )
    return row_of(record, Embedding(world.vector_of("Book the night train")))


def everything() -> list[Candidate]:
    """A candidate of each type, each sharing a word with every question of these tests."""
    rows = [
        *conversation(MAYA, "harbour", "Rowing club", HARBOUR)[len(HARBOUR) :],
        *conversation(MAYA, "kitchen", "Kitchen repair", KITCHEN, day=3)[len(KITCHEN) :],
        *world.section("handbook", "Expenses", "Train tickets are paid back"),
        *(row for row in world.others() if row.collection == "memories"),
        world.skill(),
        case(),
    ]
    return [Candidate(row, bm25=1.0, cosine=0.5) for row in rows]


def favoured_kinds(question: str, candidates: list[Candidate] | None = None, **fields) -> set[str]:
    candidates = everything() if candidates is None else candidates
    asked = understand(question, None, top_k=20)
    preferred = preference(asked, candidates, {each.row.id: 0.5 for each in candidates}, **fields)
    return {each.row.kind for each in candidates if each.row.id in preferred.favoured}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When does the rowing club meet?", {"fact"}),
        ("What did Jonas paint?", {"fact"}),
        ("What happened in the kitchen?", {"episode"}),
        ("What kind of person is Maya?", {"profile"}),
        ("What is Maya planning?", {"foresight"}),
        ("How do I book a train?", {"skill"}),
        ("What went wrong last time?", {"case"}),
        ("The boat shed", {"case"}),
    ],
)
def test_the_form_of_a_question_favours_a_type(question, kinds):
    assert favoured_kinds(question) == kinds


def test_a_question_about_rules_favours_the_documents_of_the_tenant():
    candidates = everything()
    scores = {each.row.id: 0.9 if each.row.kind == "fact" else 0.5 for each in candidates}
    preferred = preference(understand("Are train tickets reimbursed?", None), candidates, scores)
    assert preferred.form is Form.RULE
    assert {each.row.owner_type for each in candidates if each.row.id in preferred.favoured} == {"tenant"}


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What kind of person is Ines?", {"fact"}),
        ("What is Maya planning?", {"fact"}),
        ("How do I book a train?", {"fact"}),
        ("What happened in the kitchen?", {"fact"}),
        ("Are train tickets reimbursed?", {"fact"}),
    ],
)
def test_a_form_for_which_nothing_is_found_counts_as_not_there(question, kinds):
    mine = [each for each in everything() if each.row.kind in ("fact", "profile") and each.row.owner_type == "user"]
    assert favoured_kinds(question, mine) == kinds


def test_a_portrait_is_of_somebody_the_question_means():
    assert favoured_kinds("Who is Maya?") == {"profile"}
    assert favoured_kinds("Who is Jonas?") == {"fact"}
    assert favoured_kinds("What kind of person am I?") == {"profile"}


def test_a_skill_that_does_not_fit_is_not_favoured():
    candidates = [each for each in everything() if each.row.kind in ("fact", "skill")]
    for each in candidates:
        if each.row.kind == "skill":
            each.bm25, each.cosine = 0.0, 0.1
    assert favoured_kinds("How do I bake bread?", candidates) == {"fact"}


def test_a_quote_that_only_asks_is_not_what_a_question_wants():
    said, asked = (
        world.quoted(row) for row in conversation(MAYA, "c", "Boats", [("Maya", "It is green"), ("Jonas", "Green?")])[-2:]
    )
    preferred = preference(
        understand("What colour is it?", None), [Candidate(said), Candidate(asked)], {said.id: 0.5, asked.id: 0.6}
    )
    assert preferred.favoured == {said.id}


def test_a_quote_that_asks_back_tells_as_well():
    said, asked = (
        world.quoted(row)
        for row in conversation(MAYA, "c", "Boats", [("Maya", "It is green"), ("Jonas", "Mine is red. And yours?")])[-2:]
    )
    preferred = preference(
        understand("What colour is it?", None), [Candidate(said), Candidate(asked)], {said.id: 0.5, asked.id: 0.6}
    )
    assert preferred.favoured == {said.id, asked.id}


def test_a_time_that_lies_ahead_asks_for_what_is_expected_then():
    inside, outside, undated = (
        Candidate(row, 1.0, 0.5)
        for row in (
            world.foresight("The regatta begins", start=MONDAY + timedelta(days=2), end=MONDAY + timedelta(days=3)),
            world.foresight("The harbour closes", start=MONDAY + timedelta(days=30)),
            world.foresight("Jonas sells the boat"),
        )
    )
    candidates = [*everything(), inside, outside, undated]
    scores = {each.row.id: 0.5 for each in candidates}
    question = understand("What is on this week?", None)
    preferred = preference(question, candidates, scores, days_ahead(question.text, MONDAY))
    assert preferred.form is Form.FORECAST
    assert preferred.favoured == {inside.row.id}


def test_days_that_are_over_or_told_of_as_over_lie_not_ahead():
    assert [each.text for each in days_ahead("What is on this week?", MONDAY)] == ["this week"]
    assert days_ahead("What happens on 3 May 2026?", MONDAY) == []
    assert days_ahead("What did we decide about next week?", MONDAY) == []
    assert days_ahead("Where is the boat?", MONDAY) == []


@pytest.mark.parametrize(
    ("question", "documents"), [("What did Jonas pay for tickets?", False), ("What do tickets cost?", True)]
)
def test_who_is_named_is_told_of_by_conversations_not_by_documents(question, documents):
    candidates = everything()
    preferred = preference(understand(question, None), candidates, {each.row.id: 0.5 for each in candidates})
    owners = {each.row.owner_type for each in candidates if each.row.id in preferred.favoured}
    assert owners == ({"user", "tenant"} if documents else {"user"})


def test_what_was_said_a_moment_ago_stands_beside_the_facts():
    row = world.messages(MAYA, "harbour", [("Jonas", "the boat leaks")])[0]
    assert favoured_kinds("What leaks?", [*everything(), Candidate(row, 1.0, 0.5)]) == {"fact", "message"}


def test_a_short_topic_is_told_by_episodes_and_an_exact_one_by_the_fact_that_says_all_of_it():
    mine = [each for each in everything() if each.row.kind in ("fact", "episode") and each.row.owner_type == "user"]
    assert favoured_kinds("Boats in green", mine) == {"episode"}
    fact = next(each for each in mine if "painted" in str(each.row.body.get("atomic_fact")))
    scores = {each.row.id: 0.9 if each is fact else 0.5 for each in mine}
    preferred = preference(understand("the new boat painted in green", None), mine, scores)
    assert preferred.favoured == {fact.row.id}


def test_a_story_is_told_by_a_quarter_of_the_places_and_facts_fill_the_rest():
    found = memories().search("What happened with the boat shed?", filters=MINE, top_k=8)
    kinds = [type(each).__name__ for each in found.ranked()]
    assert kinds[0] == "FoundEpisode"
    assert kinds.count("FoundEpisode") >= 2
    assert "FoundFact" in kinds
    whole = {each.id for each in found.episodes if each.rank is not None}
    assert whole.isdisjoint(each.parent_episode_id for each in found.facts)
    assert found.episodes[0].atomic_facts


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How much did we pay for the boat shed?", "FoundFact"),
        ("What happened with the boat shed?", "FoundEpisode"),
        ("What kind of person is Maya?", "FoundProfile"),
        ("What is Maya planning with the dentist?", "FoundForesight"),
    ],
)
def test_one_ranking_holds_all_types_and_the_wanted_one_is_first(question, first):
    found = memories(filled(world.foresight("Maya sees the dentist", start=NOW + timedelta(days=3)))).search(
        question, filters=MINE
    )
    ranked = found.ranked()
    assert type(ranked[0]).__name__ == first
    assert [each.rank for each in ranked] == list(range(1, len(ranked) + 1))
    assert all(0 <= each.score <= 1 for each in ranked)
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)


def test_a_skill_is_first_when_an_agent_asks_how_something_is_done():
    found = memories().search("How do I book trains?", filters={"agent_id": "planner"})
    assert found.ranked()[0].id == "skill"


def test_the_trace_says_what_was_asked_for():
    found = memories().search("What kind of person is Maya?", filters=MINE, explain=True)
    steps = [(step.move, step.reason) for step in found.trace or () if step.stage == "prefer"]
    assert steps == [("portrait", "profile 1")]
    plain = memories().search("What did Jonas paint?", filters=MINE, explain=True)
    assert not [step for step in plain.trace or () if step.stage == "prefer"]


scores_of = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(0, 1), min_size=1)


@given(scores_of, st.data())
def test_weighing_raises_the_best_of_what_is_asked_for_and_keeps_the_order_within_a_type(scores, data):
    favoured = data.draw(st.sets(st.sampled_from(sorted(scores))))
    weighed = weigh(scores, favoured)
    assert weighed.keys() == scores.keys()
    assert all(0 <= score <= max(scores.values()) * 1.000001 for score in weighed.values())
    if favoured:
        assert max(weighed[each] for each in favoured) == max(scores.values()) == max(weighed.values())
    for group in (favoured, scores.keys() - favoured):
        for one in group:
            for other in group:
                assert weighed[one] >= weighed[other] or scores[one] < scores[other]


def test_a_portrait_without_a_word_of_the_question_is_raised_as_well():
    assert weigh({"portrait": 0.0, "fact": 0.5}, {"portrait"}) == {"portrait": 0.5, "fact": 0.45}


def test_without_anything_favoured_scores_are_left_alone():
    assert weigh({"a": 0.2, "b": 0.4}, ()) == {"a": 0.2, "b": 0.4}
    assert weigh({}, {"a"}) == {}


@pytest.mark.parametrize("question", ["Why did the booking of the night train fail?", "What went wrong with the night train?"])
def test_who_asks_why_something_failed_gets_the_case_that_failed_though_another_fits_better(question: str) -> None:
    fine, failed = case("fine"), case("failed", "Failed: book(train) -> error: sold out. Then worked: book(bus).")
    candidates = [Candidate(fine, 2.0, 0.9), Candidate(failed, 1.0, 0.5)]
    preferred = preference(understand(question, None), candidates, {"fine": 0.9, "failed": 0.5})
    assert preferred.favoured == {"failed"}


def test_who_asks_what_was_done_before_gets_the_case_that_fits_best() -> None:
    fine, failed = case("fine"), case("failed", "Failed: book(train) -> error: sold out. Then worked: book(bus).")
    candidates = [Candidate(fine, 2.0, 0.9), Candidate(failed, 1.0, 0.5)]
    preferred = preference(understand("Have we booked this before?", None), candidates, {"fine": 0.9, "failed": 0.5})
    assert preferred.favoured == {"fine"}


def test_who_asks_what_happened_lately_is_told_the_latest_first() -> None:
    told = [each for each in everything() if each.row.kind == "episode" and each.row.owner_type != "tenant"]
    scores = {each.row.id: 0.9 if place == 0 else 0.5 for place, each in enumerate(sorted(told, key=lambda each: each.row.at))}
    preferred = preference(understand("What has she been up to lately?", None), told, scores)
    weighed = weigh(scores, preferred.favoured, preferred.in_order)
    latest_first = sorted(told, key=lambda each: each.row.at, reverse=True)
    assert len(told) > 1
    assert sorted(weighed, key=lambda each: -weighed[each]) == [each.row.id for each in latest_first]
    assert preference(understand("What has she been up to?", None), told, scores).in_order == ()
