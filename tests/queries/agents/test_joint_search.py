"""What is searched for a second time among the words of people, and scored together."""

from collections.abc import Sequence

from queries.agents.evidence import Evidence, Place
from queries.agents.planner import Judgement
from queries.agents.query import QueryPolicy
from tests.queries.agents.made import Clock, Immediately, Remembered, ScriptedPlanner, ask, enough, fact, ids, message, response

QUESTION = "Which instruments does Maya play?"
AMONG = Judgement(False, 0.5, ("a", "b", "c"), "more", ("Maya",))
MEMORY = {QUESTION: response(message("cello"), message("rain")), (QUESTION, ("Maya",)): response(message("flute"))}


class Backwards:
    """Joint scores that turn everything round; it counts how often it is asked."""

    depth = 77

    def __init__(self, fitted: bool = True, knows: bool = True) -> None:
        self.fitted, self.knows, self.asked = fitted, knows, 0

    def places(self, question: str, found: Evidence) -> Sequence[Place] | None:
        self.asked += 1
        if not self.knows:
            return None
        items = [item for each in found.searches for item in found.episodic(each.response)]
        return [Place(item, 0.5) for item in reversed(items)]


def test_the_question_is_searched_for_again_among_the_words_of_people() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION)
    assert set(ids(found)) == {"cello", "rain", "flute"}
    assert found.metrics.agent is not None
    assert found.metrics.agent.queries == (QUESTION, f"{QUESTION} (Maya)", "a", "b")


def test_it_is_one_of_the_supplementary_searches() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION, supplementary=2)
    assert memory.queries == [QUESTION, QUESTION, "a"]


def test_a_budget_of_one_search_is_not_exceeded() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION, policy=QueryPolicy(searches=1))
    assert memory.queries == [QUESTION]


def test_joint_scores_order_what_was_found() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION, joint=Backwards())
    assert ids(found) == ["flute", "rain", "cello"]


def test_joint_scores_see_as_many_results_as_they_need() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION, joint=Backwards())
    assert [top_k for _, top_k, _ in memory.searched] == [77, 77, 20, 20]


def test_what_joint_scores_cannot_tell_is_fused_by_rank() -> None:
    for joint in (Backwards(knows=False), Backwards(fitted=False)):
        found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", QUESTION, joint=joint)
        assert ids(found)[0] == "cello"


def test_other_strategies_have_no_joint_scores() -> None:
    joint = Backwards()
    for agent in ("direct", "split", "chain"):
        ask(Remembered(MEMORY), ScriptedPlanner(judgements=[enough()]), agent, QUESTION, joint=joint)
    assert joint.asked == 0


def test_after_the_deadline_what_was_found_is_fused_by_rank_and_that_is_said() -> None:
    clock = Clock()

    def late() -> Judgement:
        clock.now += 60.0
        return AMONG

    joint = Backwards()
    planner = ScriptedPlanner(supplements=[late])
    found = ask(Remembered(MEMORY), planner, "reflect", QUESTION, clock=clock, pool=Immediately(), joint=joint)
    assert joint.asked == 0
    assert ids(found) == ["cello", "rain"]
    assert any("joint scores off" in note for note in found.query.notes)


def test_what_is_scored_stands_before_the_rest_and_each_once() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(fact("a"), fact("b"), fact("c")))
    by_id = {each.item.id: each.item for each in evidence.places(10)}
    assert [each.item.id for each in evidence.scored([Place(by_id["c"], 0.9)], 10)] == ["c", "a", "b"]
    assert len(evidence.scored([Place(by_id["c"], 0.9)], 2)) == 2
