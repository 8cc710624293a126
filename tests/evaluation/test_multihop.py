"""The written questions of several hops are what they promise to be, and the benchmark counts what it says."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.multihop.bench import Answered, Oracle, groups_of, rows_of, run_multihop
from evaluation.multihop.questions import Material, WrittenQuestion, material_of, measurable, written_questions
from mneme.errors import InputError
from mneme.settings import Agents, load_settings
from queries.agents.evidence import Evidence
from queries.agents.planner import MOST_SUB_QUERIES
from queries.agents.query import Budget, QueryPolicy, allowed

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = WrittenQuestion(
    "dev-1",
    "dev",
    "locomo",
    {"group_id": "trip"},
    "chain",
    "Where does the owner of the boat live?",
    (frozenset({"m1", "m2"}), frozenset({"m9"})),
    ("Who owns the boat?", "Where does Ann live?"),
)


def event(message_id: str, **owner: str) -> dict[str, str]:
    return {"message_id": message_id, "sent_at": "2026-03-01T09:00:00+00:00", **owner}


def answered(system: str, *messages: str, queries: int = 1, milliseconds: float = 10.0) -> Answered:
    return Answered(system, QUESTION, messages, ["q"] * queries, 0, 0, milliseconds)


def test_sixty_questions_half_of_them_fresh_of_every_shape():
    questions = written_questions()
    assert Counter(each.split for each in questions) == {"dev": 30, "fresh": 30}
    assert Counter(each.source for each in questions) == {"examples": 25, "locomo": 35}
    for split in ("dev", "fresh"):
        shapes = {each.shape for each in questions if each.split == split}
        assert shapes == {"chain", "split", "list", "compare", "temporal", "count"}
    assert len({each.id for each in questions}) == len({each.text for each in questions}) == 60


def test_every_hop_has_evidence_of_its_own_and_a_question():
    for question in written_questions():
        assert 2 <= len(question.hops) <= 4, question.id
        assert all(question.hops), question.id
        assert sum(map(len, question.hops)) == len(question.evidence), f"{question.id}: a message serves two hops"
        assert len(question.hop_questions) == len(question.hops) <= MOST_SUB_QUERIES, question.id


def test_the_evidence_is_in_the_examples(tmp_path):
    about = material_of(None, [], tmp_path)
    there = measurable(written_questions(), about)
    assert {each.source for each in there} == {"examples"}
    assert len(there) == 25


def test_a_question_about_what_was_not_given_is_left_out():
    assert measurable([QUESTION], Material((), [event("m1", group_id="other")])) == []


def test_a_set_without_the_evidence_is_refused():
    about = Material((), [event("m1", group_id="trip"), event("m2", group_id="trip")])
    with pytest.raises(InputError, match="dev-1: m9 not among the messages of trip; give the published file"):
        measurable([QUESTION], about)


def test_examples_that_are_not_there_are_named(tmp_path):
    with pytest.raises(InputError, match=r"acme\.jsonl"):
        material_of(tmp_path, [], tmp_path)


def test_an_unknown_planner_is_refused(tmp_path):
    with pytest.raises(InputError, match="planner: dice not known; accepted are rules, model"):
        run_multihop(load_settings({}), tmp_path / "out.json", planners=["dice"])


def test_a_hop_is_found_by_any_of_its_messages_among_the_first_ten():
    assert answered("hybrid", "m2", "m3", "m9").found == [True, True]
    assert answered("hybrid", "m2", "m3").found == [True, False]
    late = [f"x{number}" for number in range(10)]
    assert answered("hybrid", *late, "m9", "m1").found == [False, False]
    assert answered("hybrid", *late[:9], "m9", "m1").figures == {
        "hops@10": 0.5,
        "all hops@10": 0.0,
        "recall@10": pytest.approx(1 / 3),
        "searches": 1.0,
        "model calls": 0.0,
        "tokens": 0.0,
        "milliseconds": 10.0,
    }


def test_rows_are_means_of_a_group_and_times_medians():
    some = [answered("hybrid", "m1"), answered("rules, split", "m1", "m9", queries=3, milliseconds=50.0)]
    rows = rows_of(some, groups_of([QUESTION]) | groups_of([QUESTION], "shape"))
    assert [(row["system"], row["of"]) for row in rows] == [
        ("hybrid", "all"),
        ("rules, split", "all"),
        ("hybrid", "chain"),
        ("rules, split", "chain"),
    ]
    assert rows[1]["hops@10"] == rows[1]["all hops@10"] == 1.0
    assert (rows[0]["hops@10"], rows[0]["all hops@10"]) == (0.5, 0.0)
    assert (rows[1]["searches"], rows[1]["milliseconds"]) == (3.0, 50.0)


def test_the_oracle_asks_for_each_hop_and_no_more():
    planner = Oracle([QUESTION])
    budget = Budget(allowed(QueryPolicy(), Agents()))
    found = Evidence()
    assert planner.split(QUESTION.text, budget) == QUESTION.hop_questions
    assert planner.judge(QUESTION.text, found, budget).queries == ("Who owns the boat?",)
    assert planner.supplement(QUESTION.text, found, 1, budget).queries == ("Who owns the boat?",)
    assert planner.supplement(QUESTION.text, found, 3, budget).queries == QUESTION.hop_questions


@pytest.mark.slow
def test_the_examples_are_measured_with_rules_alone(tmp_path):
    printed, out = io.StringIO(), tmp_path / "multihop.json"
    settings = load_settings({}, data=tmp_path / "untouched", embedder={"provider": "hash"})
    report = run_multihop(settings, out, console=Console(file=printed, width=200))
    written = json.loads(out.read_text())
    systems = ["hybrid", "rules, router", "rules, split", "rules, chain", "rules, reflect", "oracle, split"]
    assert [row["system"] for row in written["rows"] if row["of"] == "all"] == systems
    assert len(written["answers"]) == 25 * len(systems)
    for row in written["rows"]:
        mine = [each for each in written["answers"] if each["system"] == row["system"] and row["of"] in ("all", each["split"])]
        if row["of"] == "all":
            assert row["hops@10"] == pytest.approx(sum(sum(each["found"]) / len(each["found"]) for each in mine) / 25, abs=1e-4)
            assert row["model calls"] == 0
    by_system = {row["system"]: row for row in written["rows"] if row["of"] == "all"}
    assert by_system["hybrid"]["searches"] == 1 < by_system["oracle, split"]["searches"]
    assert by_system["oracle, split"]["hops@10"] > by_system["hybrid"]["hops@10"]
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert report.settings["left_out"] == 35
    assert "35 questions are about conversations that were not given" in printed.getvalue()
    assert printed.getvalue().rstrip().splitlines()[-1].startswith("BENCH multihop index=embedded questions=25 hybrid_hops@10=")
    assert not settings.data.exists()
