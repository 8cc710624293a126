"""Questions in LoCoMo's form, made up."""

import json

import pytest

from evaluation.locomo import LocomoQuestion, clean_evidence, load_questions
from mneme.errors import InputError

SAMPLE = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ada",
        "session_1_date_time": "9:00 am on 2 March, 2026",
        "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "I grow beans"}],
        "session_2": [{"speaker": "Leo", "dia_id": "D2:3", "text": "I grow maize"}],
    },
    "qa": [
        {"question": "What grows?", "answer": "beans", "evidence": ["D1:1; D2:03"], "category": 1},
        {"question": "What never grew?", "evidence": ["D1:1"], "category": 5},
        {"question": "Who knows?", "evidence": [], "category": 3},
        {"question": "Where is it?", "evidence": ["D9:9"], "category": 4},
    ],
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["D8:6; D9:17"], {"D8:6", "D9:17"}),
        (["D1:1 D2:2", "D1:1"], {"D1:1", "D2:2"}),
        (["D30:05"], {"D30:5"}),
        (["D", ""], set()),
    ],
)
def test_evidence_is_cleaned(given, expected):
    assert clean_evidence(given) == expected


def test_only_questions_with_evidence_in_their_conversation_are_asked(tmp_path):
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([SAMPLE]))
    assert load_questions(path) == [LocomoQuestion("talk-1", "What grows?", "multi-hop", frozenset({"D1:1", "D2:3"}))]


@pytest.mark.parametrize("content", ["{}x", "{}", '{"qa": 1}', "[1]", '[{"conversation": {}, "qa": [{}]}]'])
def test_another_format_is_refused_with_the_file_named(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"other\.json: not in LoCoMo's format"):
        load_questions(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.json"):
        load_questions(tmp_path / "absent.json")
