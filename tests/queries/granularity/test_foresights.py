"""Foresights compete when they fit the question, and not beside the fact that says the same."""

from mneme import ids
from mneme.rows import Row
from queries.compete import Standing
from queries.granularity.foresights import duplicate_results, fitting
from queries.recall import Candidate
from tests.contracts.rows import fact
from tests.queries import world
from tests.queries.world import MAYA, conversation, filled, memories

MINE = {"user_id": "maya"}
PLANS = [
    ("Maya", "the glider lesson starts on Saturday (7 March 2026)"),
    ("Maya", "my parachute is in the attic"),
]
LESSON = conversation(MAYA, "gliding", "Gliding", PLANS, day=7)
EPISODE = next(row for row in LESSON if row.kind == "episode")


def foresight(statement: str, message: str = "m1") -> Row:
    """What that episode expects."""
    of = {"id": ids.foresight_id(EPISODE.id, 0), "parent_episode_id": EPISODE.id}
    return world.foresight(statement, message_ids=(message,), evidence="", **of)


def found_with(row: Row, question: str = "When does the glider lesson start on Saturday?"):
    return memories(filled(*LESSON, row)).search(question, filters=MINE, top_k=5)


def test_what_repeats_a_fact_with_a_place_takes_no_second_place():
    found = found_with(foresight("The glider lesson starts on Saturday (8 March 2026)"))
    assert found.foresights == ()
    assert "glider lesson" in found.facts[0].atomic_fact
    assert len(found.ranked()) == 5


def test_what_says_more_than_the_fact_stays():
    found = found_with(foresight("The glider lesson starts on Saturday with Ravi"))
    assert [each.statement for each in found.foresights] == ["The glider lesson starts on Saturday with Ravi"]


def test_the_same_words_from_another_message_stay():
    found = found_with(foresight("The glider lesson starts on Saturday", message="m2"))
    assert len(found.foresights) == 1


def test_a_fact_without_a_place_keeps_no_foresight_out():
    statement = foresight("The glider lesson starts on Saturday")
    others = [Candidate(statement)]
    inside = {EPISODE.id: [Candidate(row) for row in LESSON if row.kind == "fact"]}
    alone = Standing(statement.id, 1.0)
    with_facts = [alone, *(Standing(each.row.id, 1.0, EPISODE.id) for each in inside[EPISODE.id])]
    assert duplicate_results(with_facts, others, inside) == {statement.id}
    assert duplicate_results([alone], others, inside) == frozenset()


def test_where_the_question_asks_for_the_foresight_it_is_the_fact_that_gives_its_place_back():
    statement = foresight("The glider lesson starts on Saturday")
    lesson, parachute = (Candidate(row) for row in LESSON if row.kind == "fact")
    held = [Standing(each, 1.0) for each in (statement.id, lesson.row.id, parachute.row.id)]
    inside = {EPISODE.id: [lesson, parachute]}
    assert duplicate_results(held, [Candidate(statement)], inside, {statement.id}) == {lesson.row.id}
    found = found_with(statement, "What is Maya planning with the glider?")
    assert found.ranked()[0].id == statement.id
    assert lesson.row.id not in {each.id for each in found.facts}


def test_a_fact_that_says_more_than_the_foresight_stays_beside_it():
    statement = foresight("The lesson starts on Saturday")
    held = [Standing(each.id, 1.0) for each in (statement, *LESSON)]
    inside = {EPISODE.id: [Candidate(row) for row in LESSON if row.kind == "fact"]}
    assert duplicate_results(held, [Candidate(statement)], inside, {statement.id}) == frozenset()
    assert duplicate_results(held, [Candidate(statement)], inside) == {statement.id}


def test_what_has_nothing_to_do_with_the_question_fills_no_place():
    row = foresight("Ravi repaints the lighthouse in October", message="m2")
    found = memories(filled(row)).search("Who paid euros for the boat shed?", filters=MINE, top_k=40)
    assert found.foresights == ()
    assert found.ranked()


def test_a_common_word_or_a_cosine_in_the_upper_half_of_the_facts_is_enough():
    row = foresight("Ravi repaints the lighthouse in October")
    facts = [Candidate(fact("near"), 1.0, 0.6), Candidate(fact("far"), 0.0, 0.2)]
    shares_a_word, near, neither = Candidate(row, 2.0, 0.0), Candidate(row, 0.0, 0.4), Candidate(row, 0.0, 0.39)
    assert fitting([shares_a_word, near, neither], facts) == [shares_a_word, near]
    assert fitting([neither], []) == [neither]


def test_other_memories_need_not_fit():
    message = Candidate(world.messages(MAYA, "harbour", [("Jonas", "the boat leaks")])[0], 0.0, 0.0)
    assert fitting([message], [Candidate(fact("near"), 1.0, 0.6)]) == [message]
