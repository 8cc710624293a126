"""Every set in its published form, made up, with what would be right."""

import json
from pathlib import Path

import pytest

from evaluation.answers.records import ABSTENTION, Gold, JudgeKind, sampled
from evaluation.retrieval.sets import GOLD_LOADERS, LOADERS
from mneme.errors import InputError
from tests.evaluation.answers.made_up_gold import write_talks
from tests.evaluation.made_up_sets import write_beam, write_longmemeval


def test_locomo_has_its_five_categories_each_with_its_kind_of_judgement(tmp_path: Path) -> None:
    found = GOLD_LOADERS["locomo"]([write_talks(tmp_path / "talks.json", talks=1)])
    by_category = {question.category: found.gold[question.id] for question in found.questions.questions}
    assert by_category == {
        "single-hop": Gold(JudgeKind.DEFAULT, "a yellow kayak"),
        "multi-hop": Gold(JudgeKind.DEFAULT, "Nora, in Lugano"),
        "temporal": Gold(JudgeKind.TEMPORAL, "2026"),
        "open-domain": Gold(JudgeKind.DEFAULT, "Likely yes"),
        ABSTENTION: Gold(JudgeKind.ABSTENTION, trap="a red violin"),
    }


def test_the_sessions_are_those_of_the_retrieval_bench(tmp_path: Path) -> None:
    path = write_talks(tmp_path / "talks.json", talks=2)
    assert GOLD_LOADERS["locomo"]([path]).questions.events == LOADERS["locomo"]([path]).events


def test_longmemeval_asks_also_what_has_no_answer_or_no_label(tmp_path: Path) -> None:
    write_longmemeval(tmp_path / "s.json")
    found = GOLD_LOADERS["longmemeval"]([tmp_path / "s.json"])
    assert {name: gold.kind for name, gold in found.gold.items()} == {
        "q1": JudgeKind.DEFAULT,
        "q2": JudgeKind.DEFAULT,
        "q3_abs": JudgeKind.ABSTENTION,
        "q4": JudgeKind.DEFAULT,
    }
    assert [each.category for each in found.questions.questions] == ["single-session-user"] * 2 + [
        ABSTENTION,
        "single-session-user",
    ]
    assert all(each.asked_at is not None for each in found.questions.questions)


@pytest.mark.parametrize(
    ("question_type", "expected"),
    [
        ("temporal-reasoning", Gold(JudgeKind.TEMPORAL, "18 days")),
        ("knowledge-update", Gold(JudgeKind.KNOWLEDGE_UPDATE, "18 days")),
        ("single-session-preference", Gold(JudgeKind.PREFERENCE, rubric=("18 days",))),
        ("multi-session", Gold(JudgeKind.DEFAULT, "18 days")),
    ],
)
def test_each_type_of_longmemeval_is_judged_by_its_rules(tmp_path: Path, question_type: str, expected: Gold) -> None:
    write_longmemeval(tmp_path / "s.json")
    instances = json.loads((tmp_path / "s.json").read_text())[:1]
    instances[0] |= {"question_type": question_type, "answer": "18 days"}
    (tmp_path / "s.json").write_text(json.dumps(instances))
    assert GOLD_LOADERS["longmemeval"]([tmp_path / "s.json"]).gold == {"q1": expected}


def test_beam_is_judged_by_its_rubrics(tmp_path: Path) -> None:
    write_beam(tmp_path)
    for path in tmp_path.glob("*.json"):
        content = json.loads(path.read_text())
        content["questions"]["event_ordering"][0]["rubric"] = ["garden first", "then soil"]
        content["questions"]["knowledge_update"][0] |= {"answer": "250 ms", "rubric": ["says 250 ms"]}
        content["questions"]["abstention"][0] |= {"ideal_response": "never told", "rubric": ["says so"]}
        path.write_text(json.dumps(content))
    found = GOLD_LOADERS["beam"]([tmp_path / "chat_1.json"])
    assert {name.split("/")[1]: gold for name, gold in found.gold.items()} == {
        "abstention": Gold(JudgeKind.ABSTENTION, "never told"),
        "event_ordering": Gold(JudgeKind.DEFAULT, "", ("garden first", "then soil")),
        "knowledge_update": Gold(JudgeKind.KNOWLEDGE_UPDATE, "250 ms", ("says 250 ms",)),
    }


def test_what_cannot_be_judged_is_left_out_and_counted(tmp_path: Path) -> None:
    write_beam(tmp_path)  # without answers and rubrics
    found = GOLD_LOADERS["beam"]([tmp_path / "chat_1.json"])
    assert [each.category for each in found.questions.questions] == [ABSTENTION]
    assert found.questions.left_out == 2


def test_a_sample_is_spread_evenly_and_needs_only_the_memories_that_are_asked(tmp_path: Path) -> None:
    whole = GOLD_LOADERS["locomo"]([write_talks(tmp_path / "talks.json", talks=4)])
    some = sampled(whole, 2)
    assert [each.id for each in some.questions.questions] == ["talk-0/0", "talk-2/0"]
    assert {event["group_id"] for event in some.questions.events} == {"talk-0", "talk-2"}
    assert set(some.gold) == {"talk-0/0", "talk-2/0"}
    assert sampled(whole, None) is whole
    assert sampled(whole, 100) is whole


def test_a_sample_has_only_the_categories_that_are_wanted(tmp_path: Path) -> None:
    whole = GOLD_LOADERS["locomo"]([write_talks(tmp_path / "talks.json", talks=4)])
    some = sampled(whole, 4, ["multi-hop", "open-domain"])
    assert [each.id for each in some.questions.questions] == ["talk-0/1", "talk-1/1", "talk-2/1", "talk-3/1"]
    assert len(sampled(whole, None, ["temporal"]).questions.questions) == 4
    with pytest.raises(InputError, match=r"--category: the set has no hard; it has abstention, multi-hop, "):
        sampled(whole, None, ["hard"])


def test_another_gold_is_another_fingerprint(tmp_path: Path) -> None:
    path = write_talks(tmp_path / "talks.json", talks=1)
    before = GOLD_LOADERS["locomo"]([path]).fingerprint
    assert GOLD_LOADERS["locomo"]([path]).fingerprint == before
    path.write_text(path.read_text().replace("a yellow kayak", "a green kayak"))
    assert GOLD_LOADERS["locomo"]([path]).fingerprint != before


@pytest.mark.parametrize("name", GOLD_LOADERS)
def test_another_file_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")
    with pytest.raises(InputError, match=r"notes\.json"):
        GOLD_LOADERS[name]([tmp_path / "notes.json"])
