"""The joint score: its features, what is fitted, and a search with it."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from connectors.embedders import MODEL, VARIANTS
from mneme.errors import ModelTimeout
from mneme.ports import EmbedderIdentity
from mneme.rows import Vector
from mneme.settings import load_settings
from queries.agents.evidence import Episodic, Evidence, Place
from queries.agents.joint import (
    FEATURES,
    JointCoefficients,
    JointScorer,
    joint_coefficients_for,
    joint_features,
    named,
    question_forms,
)
from queries.agents.planner import Judgement
from queries.agents.query import QueryPolicy
from tests.queries.agents.made import (
    Clock,
    Immediately,
    Remembered,
    ScriptedPlanner,
    ask,
    enough,
    episode,
    fact,
    ids,
    message,
    response,
)

QUESTION = "Which books has Maya read?"

SEARCHED_QUESTION = "Which instruments does Maya play?"
AMONG = Judgement(False, 0.5, ("a", "b", "c"), "more", ("Maya",))
MEMORY = {
    SEARCHED_QUESTION: response(message("cello"), message("rain")),
    (SEARCHED_QUESTION, ("Maya",)): response(message("flute")),
}


def flat(texts: Sequence[str]) -> Vector:
    return np.ones((len(texts), 1), dtype=np.float32)


def column(name: str, *items: Episodic, theirs: Sequence[Episodic] = (), question: str = QUESTION) -> dict[str, float]:
    """One feature of everything that was found, by id."""
    evidence = Evidence()
    evidence.add(question, response(*items))
    if theirs:
        evidence.add(f"{question} (Maya)", response(*theirs), ("Maya",))
    found = joint_features(question, evidence, flat)
    assert found.numbers.shape == (len(found.items), len(FEATURES))
    assert np.isfinite(found.numbers).all()
    return {each.id: row[FEATURES.index(name)] for each, row in zip(found.items, found.numbers, strict=True)}


def test_what_stands_higher_has_better_log_odds_and_a_better_rank() -> None:
    for name in ("all_log_odds", "all_rank"):
        numbers = column(name, message("first"), message("second"))
        assert numbers["first"] > numbers["second"]


def test_each_search_has_its_own_ranking() -> None:
    numbers = column("theirs_rank", message("a"), message("b"), theirs=[message("b"), message("a")])
    assert numbers["b"] > numbers["a"]


def test_without_a_search_among_their_words_the_first_stands_for_it() -> None:
    assert column("theirs_rank", message("a"), message("b")) == column("all_rank", message("a"), message("b"))


def test_what_only_their_words_brought_is_known_too_and_below_all_in_the_other() -> None:
    numbers = column("all_log_odds", message("a"), message("b"), theirs=[message("new")])
    assert numbers["new"] < min(numbers["a"], numbers["b"])


def test_other_searches_do_not_count() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(message("a")))
    evidence.add("books", response(message("b")))
    assert [each.id for each in joint_features(QUESTION, evidence, flat).items] == ["a"]


def test_an_episode_lifts_what_is_in_it() -> None:
    numbers = column("episode_best", fact("best", episode="e"), fact("other"), fact("last", episode="e"))
    assert numbers["best"] == numbers["last"] > numbers["other"]


def test_neighbours_are_messages_beside_it_in_its_episode() -> None:
    talk = episode("e", message_ids=("one", "two", "three"))
    evidence = Evidence()
    told = response(
        fact("said second", episode="e", message_ids=("two",)),
        fact("said first", episode="e", message_ids=("one",)),
        fact("elsewhere"),
    )
    evidence.add(QUESTION, told.model_copy(update={"episodes": (talk, *told.episodes[1:])}))
    found = joint_features(QUESTION, evidence, flat)
    before = {each.id: row[FEATURES.index("beside_-1")] for each, row in zip(found.items, found.numbers, strict=True)}
    assert before["said second"] > before["elsewhere"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("names", "we went to Vienna"),
        ("quotes", 'it was "The Tempest"'),
        ("has_number", "it cost 30"),
        ("commas", "plums, figs, pears"),
        ("is_question", "which one?"),
    ],
)
def test_the_form_of_an_answer_tells(name: str, text: str) -> None:
    numbers = column(name, message("has", text), message("has not", "we went there"))
    assert numbers["has"] > numbers["has not"] == 0.0


def test_names_of_who_took_part_or_of_the_question_are_none() -> None:
    assert column("names", message("said", "thanks Maya, and Books too"))["said"] == 0.0


def test_a_form_counts_for_a_question_that_asks_for_it() -> None:
    told = message("said", "we saw Vienna")
    assert column("names_for_names", told)["said"] > 0.0
    assert column("names_for_names", told, question="What does Maya do to relax?")["said"] == 0.0
    assert column("names_for_count", told, question="How many towns did Maya see?")["said"] > 0.0


def test_the_text_is_compared_with_the_question_in_four_forms() -> None:
    def embed(texts: Sequence[str]) -> Vector:
        return np.array([[1.0, 0.0] if "book" in text.lower() else [0.0, 1.0] for text in texts], dtype=np.float32)

    evidence = Evidence()
    evidence.add(QUESTION, response(message("far", "it rains"), message("near", "a book")))
    found = joint_features(QUESTION, evidence, embed)
    near = {each.id: row[FEATURES.index("words_nearness")] for each, row in zip(found.items, found.numbers, strict=True)}
    assert near == {"far": 0.0, "near": 1.0}


def test_nothing_found_has_no_rows() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response())
    assert joint_features(QUESTION, evidence, flat).numbers.shape == (0, len(FEATURES))


def test_who_is_named_is_one_of_those_who_took_part() -> None:
    evidence = Evidence()
    evidence.add(QUESTION, response(message("a", sender_name="Maya Chen"), message("b", sender_name="Jonas")))
    assert named("Which books has Maya read to Lena?", evidence) == ("Maya Chen",)


def test_a_question_that_is_only_a_name_keeps_its_words() -> None:
    assert question_forms("Maya?", ["Maya"])[2] == "Maya"


class Counting:
    """An embedder that counts the texts it is given."""

    identity = EmbedderIdentity("counting", "fp32", 2, ("*",))

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vector:
        if self.fails:
            raise ModelTimeout("gone")
        self.texts += texts
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def close(self) -> None:
        pass


def coefficients(**weights: float) -> JointCoefficients:
    values = dict.fromkeys(FEATURES, 0.0) | weights
    return JointCoefficients(
        backend="embedded", embedder="counting", weights=values, bias=0.0, fitted_on="nothing", date=date(2026, 3, 2)
    )


def scorer(embedder: Counting | None = None, **weights: float) -> JointScorer:
    return JointScorer(coefficients(**weights), embedder or Counting())


def found(question: str = QUESTION, scoring: str = "lr", people: tuple[str, ...] = ("Maya",)) -> Evidence:
    evidence = Evidence()
    first = response(message("plain", "we talked"), message("titled", 'I read "Emma"'))
    evidence.add(question, first.model_copy(update={"metrics": first.metrics.model_copy(update={"scoring": scoring})}))
    if people:
        evidence.add(f"{question} (Maya)", first, people)
    return evidence


def test_the_weights_decide_the_order() -> None:
    places = scorer(quotes=5.0).places(QUESTION, found())
    assert places is not None
    assert [each.item.id for each in places] == ["titled", "plain"]
    assert 0.0 <= places[1].score < places[0].score <= 1.0


@pytest.mark.parametrize(
    "evidence",
    [Evidence(), found(scoring="min-max"), found("When did Maya move?", people=())],
    ids=["nothing found", "scores of another scale", "a question for one thing, searched for once"],
)
def test_what_it_was_not_fitted_on_is_left_as_it_is(evidence: Evidence) -> None:
    assert scorer().places(evidence.queries[0] if evidence.queries else QUESTION, evidence) is None


def test_an_embedder_that_does_not_answer_leaves_it_as_it_is() -> None:
    assert scorer(Counting(fails=True)).places(QUESTION, found()) is None


def test_a_text_is_embedded_once() -> None:
    embedder = Counting()
    again = scorer(embedder)
    again.places(QUESTION, found())
    again.places(QUESTION, found())
    assert len(embedder.texts) == len(set(embedder.texts))


@pytest.mark.parametrize("backend", ["embedded", "opensearch"])
def test_coefficients_are_those_of_the_index_and_the_embedder(tmp_path: Path, backend: str) -> None:
    local = EmbedderIdentity(MODEL, VARIANTS["int8"], 384, ("en",))
    fitted = joint_coefficients_for(load_settings(data=tmp_path, index={"backend": backend}), local)
    assert fitted is not None
    assert fitted.backend == backend
    assert joint_coefficients_for(load_settings(data=tmp_path), Counting.identity) is None


@pytest.mark.parametrize("precision", VARIANTS.values())
def test_those_that_ship_can_be_read(tmp_path: Path, precision: str) -> None:
    local = EmbedderIdentity(MODEL, precision, 384, ("en",))
    shipped = joint_coefficients_for(load_settings(data=tmp_path), local)
    assert shipped is not None
    assert set(shipped.weights) == set(FEATURES)


class Backwards:
    """Joint scores that turn everything round; it counts how often it is asked."""

    depth = 77

    def __init__(self, knows: bool = True) -> None:
        self.knows, self.asked = knows, 0

    def places(self, question: str, found: Evidence) -> Sequence[Place] | None:
        self.asked += 1
        if not self.knows:
            return None
        items = [item for each in found.searches for item in found.episodic(each.response)]
        return [Place(item, 0.5) for item in reversed(items)]


def test_the_question_is_searched_for_again_among_the_words_of_people() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION)
    assert set(ids(found)) == {"cello", "rain", "flute"}
    assert found.metrics.agent is not None
    assert found.metrics.agent.queries == (SEARCHED_QUESTION, f"{SEARCHED_QUESTION} (Maya)", "a", "b")


def test_it_is_one_of_the_supplementary_searches() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION, supplementary=2)
    assert memory.queries == [SEARCHED_QUESTION, SEARCHED_QUESTION, "a"]


def test_a_budget_of_one_search_is_not_exceeded() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION, policy=QueryPolicy(searches=1))
    assert memory.queries == [SEARCHED_QUESTION]


def test_joint_scores_order_what_was_found() -> None:
    found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION, joint=Backwards())
    assert ids(found) == ["flute", "rain", "cello"]


def test_joint_scores_see_as_many_results_as_they_need() -> None:
    memory = Remembered(MEMORY)
    ask(memory, ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION, joint=Backwards())
    assert [top_k for _, top_k, _ in memory.searched] == [77, 77, 20, 20]


def test_what_joint_scores_cannot_tell_is_fused_by_rank() -> None:
    for joint in (Backwards(knows=False), None):
        found = ask(Remembered(MEMORY), ScriptedPlanner(supplements=[AMONG]), "reflect", SEARCHED_QUESTION, joint=joint)
        assert ids(found)[0] == "cello"


def test_other_strategies_have_no_joint_scores() -> None:
    joint = Backwards()
    for agent in ("direct", "split", "chain"):
        ask(Remembered(MEMORY), ScriptedPlanner(judgements=[enough()]), agent, SEARCHED_QUESTION, joint=joint)
    assert joint.asked == 0


def test_after_the_deadline_what_was_found_is_fused_by_rank_and_that_is_said() -> None:
    clock = Clock()

    def late() -> Judgement:
        clock.now += 60.0
        return AMONG

    joint = Backwards()
    planner = ScriptedPlanner(supplements=[late])
    found = ask(Remembered(MEMORY), planner, "reflect", SEARCHED_QUESTION, clock=clock, pool=Immediately(), joint=joint)
    assert joint.asked == 0
    assert ids(found) == ["cello", "rain"]
    assert any("joint scores off" in note for note in found.query.notes)


def test_what_is_scored_stands_before_the_rest_and_each_once() -> None:
    evidence = Evidence()
    evidence.add(SEARCHED_QUESTION, response(fact("a"), fact("b"), fact("c")))
    by_id = {each.item.id: each.item for each in evidence.places(10)}
    assert [each.item.id for each in evidence.scored([Place(by_id["c"], 0.9)], 10)] == ["c", "a", "b"]
    assert len(evidence.scored([Place(by_id["c"], 0.9)], 2)) == 2


@pytest.mark.parametrize(("name", "behind"), [("model", "violin"), ("rules", None)])
def test_queries_of_a_model_are_lists_beside_the_joint_order_and_those_of_rules_stand_behind_it(
    name: str, behind: str | None
) -> None:
    class InOrder(Backwards):
        def places(self, question: str, found: Evidence) -> Sequence[Place] | None:
            return [Place(item, 0.5) for item in found.episodic(found.searches[0].response)]

    asked = response(*(fact(each) for each in ("cello", "rain", "drum", "violin")))
    memory = Remembered({SEARCHED_QUESTION: asked, "a": response(fact("flute"), fact("cello"))})
    planner = ScriptedPlanner(supplements=[Judgement(False, 0.5, ("a",))], name=name)
    found = ids(ask(memory, planner, "reflect", SEARCHED_QUESTION, joint=InOrder()))
    assert found[0] == "cello"
    assert found[found.index("flute") + 1 :] == ([behind] if behind else [])
