"""The written questions are what they promise to be, and the benchmark measures them on the shipped examples."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.granularity import run_granularity, type_of, written_questions
from mneme.errors import InputError
from mneme.settings import load_settings
from tests.queries.world import WordEmbedder, memories


def test_forty_questions_and_twenty_held_out_half_without_cue_words_in_both_languages():
    questions = written_questions()
    assert Counter(each.part for each in questions) == {"dev": 40, "held-out": 20}
    for part, size in (("dev", 40), ("held-out", 20)):
        here = [each for each in questions if each.part == part]
        assert sum(each.cue for each in here) == size / 2
        assert {each.language for each in here} == {"en", "zh"}
        assert {each.wanted for each in here} == {"fact", "episode", "profile", "foresight", "case", "skill", "knowledge"}
    assert len({each.text for each in questions}) == 60


def test_a_section_and_its_fact_count_as_knowledge():
    found = memories().search("What about train tickets?", filters={"user_id": "maya"}, top_k=30)
    types = {each.id: type_of(each, found) for each in found.ranked()}
    documents = {each.id for each in found.knowledge}
    assert documents
    assert {types[each.id] for each in found.facts if each.parent_episode_id in documents} == {"knowledge"}
    assert {types[each.id] for each in found.facts if each.parent_episode_id not in documents} == {"fact"}


def test_a_folder_without_the_examples_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"friends\.jsonl"):
        run_granularity(load_settings({}), tmp_path / "out.json", examples=tmp_path)


@pytest.mark.slow
def test_the_wanted_type_comes_first_even_with_an_embedder_that_knows_only_words(tmp_path, monkeypatch):
    for module in ("flows.running.process", "evaluation.granularity"):
        monkeypatch.setattr(f"{module}.open_embedder", lambda settings: WordEmbedder())
    printed = io.StringIO()
    out = tmp_path / "granularity.json"
    settings = load_settings({}, data=tmp_path / "untouched")
    examples = Path(__file__).parents[2] / "examples"
    report = run_granularity(settings, out, examples, console=Console(file=printed, width=200))
    written = json.loads(out.read_text())
    assert len(written["questions"]) == 60
    overall = {row["part"]: row for row in written["rows"] if row["of"] == "all"}
    wrong = [each for each in written["questions"] if each["part"] == "dev" and each["first"] != each["wanted"]]
    assert overall["dev"]["right first"] == pytest.approx(1 - len(wrong) / 40)
    assert report.headline["dev"] >= 0.85
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert printed.getvalue().rstrip().splitlines()[-1].startswith("BENCH granularity index=embedded dev=")
    assert not settings.data.exists()
