"""Every set in its published form, made up."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluation.retrieval.question_set import Question, QuestionSet
from evaluation.retrieval.sets import LOADERS
from evaluation.retrieval.sets.published import clean_evidence
from mneme.errors import InputError
from mneme.events import Message, parse_event
from mneme.times import utc_now
from tests.evaluation.made_up_sets import write_beam, write_longmemeval, write_memdaily

LOCOMO = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ada",
        "session_1_date_time": "9:00 am on 2 March, 2026",
        "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "I grow beans"}],
        "session_2_date_time": "9:00 am on 4 March, 2026",
        "session_2": [{"speaker": "Leo", "dia_id": "D2:3", "text": "I grow maize"}],
    },
    "qa": [
        {"question": "What grows?", "answer": "beans", "evidence": ["D1:1; D2:03"], "category": 1},
        {"question": "What never grew?", "evidence": ["D1:1"], "category": 5},
        {"question": "Who knows?", "evidence": [], "category": 3},
        {"question": "Where is it?", "evidence": ["D9:9"], "category": 4},
    ],
}


def events_of(questions: QuestionSet) -> list[Message]:
    """The events as the flow reads them: whatever it would refuse is an error here."""
    parsed = [parse_event(json.dumps(event).encode(), utc_now()) for event in questions.events]
    assert all(isinstance(event, Message) for event in parsed)
    return parsed  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["D8:6; D9:17"], {"D8:6", "D9:17"}),
        (["D1:1 D2:2", "D1:1"], {"D1:1", "D2:2"}),
        (["D30:05"], {"D30:5"}),
        (["D", ""], set()),
    ],
)
def test_evidence_of_locomo_is_cleaned(given: list[str], expected: set[str]) -> None:
    assert clean_evidence(given) == expected


def test_of_locomo_only_questions_with_evidence_in_their_conversation_are_asked(tmp_path: Path) -> None:
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([LOCOMO]))
    found = LOADERS["locomo"]([path])
    owner = {"group_id": "talk-1"}
    assert found.questions == (Question("talk-1/0", "talk-1", owner, "What grows?", "multi-hop", frozenset({"D1:1", "D2:3"})),)
    assert found.left_out == 3
    assert [(event.message_id, event.group_id) for event in events_of(found)] == [("D1:1", "talk-1"), ("D2:3", "talk-1")]
    with_adversarial = LOADERS["locomo-all"]([path])
    assert [(each.id, each.category) for each in with_adversarial.questions] == [
        ("talk-1/0", "multi-hop"),
        ("talk-1/1", "adversarial"),
    ]
    assert with_adversarial.left_out == 2


def test_of_beam_a_folder_is_read_chat_by_chat_and_evidence_lies_at_any_depth(tmp_path: Path) -> None:
    write_beam(tmp_path)
    found = LOADERS["beam"]([tmp_path])
    assert [(each.id, sorted(each.evidence)) for each in found.questions] == [
        (f"chat_{chat}/{ability}/0", evidence)
        for chat in (1, 2)
        for ability, evidence in (("event_ordering", ["0", "3"]), ("knowledge_update", ["2", "3"]))
    ]
    assert found.left_out == 2  # abstention
    messages = events_of(found)[:5]
    assert [(each.conversation_id, each.user_id, each.role) for each in messages[:2]] == [
        ("chat_1", "chat_1", "user"),
        ("chat_1", "chat_1", "assistant"),
    ]
    # The first of a batch has its day; the others follow it.
    assert [f"{each.sent_at:%m-%d %H:%M}" for each in messages] == [
        "03-15 09:00",
        "03-15 09:00",
        "03-15 09:01",
        "04-02 09:00",
        "04-02 09:00",
    ]
    assert messages[0].sent_at < messages[1].sent_at


def test_of_longmemeval_a_labelled_turn_is_evidence_and_each_question_has_its_own_memory(tmp_path: Path) -> None:
    path = tmp_path / "longmemeval_s.json"
    write_longmemeval(path)
    found = LOADERS["longmemeval"]([path])
    asked_at = datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert found.questions == tuple(
        Question(name, name, {"user_id": name}, "Which kayak did I buy?", "single-session-user", frozenset({"S0:0"}), asked_at)
        for name in ("q1", "q4")
    )
    assert found.left_out == 2  # one without a label, one that cannot be answered
    messages = events_of(found)
    assert [(each.user_id, each.conversation_id, each.message_id) for each in messages[:4]] == [
        ("q1", "q1/S0", "S0:0"),
        ("q1", "q1/S0", "S0:1"),
        ("q1", "q1/S1", "S1:0"),
        ("q1", "q1/S1", "S1:1"),
    ]
    assert messages[2].sent_at == datetime(2023, 5, 21, 10, tzinfo=UTC)


def test_of_memdaily_all_trajectories_are_one_memory_and_times_are_those_of_china(tmp_path: Path) -> None:
    path = tmp_path / "memdaily_simple.json"
    write_memdaily(path)
    found = LOADERS["memdaily"]([path])
    assert [(each.id, each.conversation, each.evidence) for each in found.questions] == [
        (f"memdaily_simple-{tid}/0", f"memdaily_simple-{tid}", frozenset({f"{tid}:1"})) for tid in (0, 1)
    ]
    assert {tuple(each.owner.items()) for each in found.questions} == {(("user_id", "memdaily_simple"),)}
    assert found.left_out == 2
    assert found.questions[0].asked_at is not None
    assert found.questions[0].asked_at.astimezone(UTC) == datetime(2024, 4, 3, 23, 42, tzinfo=UTC)
    assert events_of(found)[0].sent_at.astimezone(UTC) == datetime(2024, 4, 1, 0, 30, tzinfo=UTC)


def test_the_fingerprint_changes_with_the_evidence_and_not_with_the_order() -> None:
    def fingerprint(*questions: Question) -> str:
        return QuestionSet("s", "S", (), questions).fingerprint

    one = Question("1", "c", {}, "What?", "any", frozenset({"a", "b"}))
    two = Question("2", "c", {}, "Where?", "any", frozenset({"a"}))
    other = Question("2", "c", {}, "Where?", "any", frozenset({"b"}))
    assert fingerprint(one, two) == fingerprint(two, one)
    assert fingerprint(one, two) != fingerprint(one, other)


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize("content", ["{}x", "{}", '{"qa": 1}', "[1]", "[]", '[{"conversation": {}, "qa": [{}]}]'])
def test_another_form_is_refused_with_the_file_named(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"other\.json: not in the form of "):
        LOADERS[name]([path])


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_file_and_an_empty_folder_are_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json: cannot be read"):
        LOADERS[name]([tmp_path / "absent.json"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: no \.json file in it"):
        LOADERS[name]([tmp_path / "empty"])


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    write_beam(tmp_path)
    with pytest.raises(InputError, match="the same question comes twice"):
        LOADERS["beam"]([tmp_path, tmp_path / "chat_1.json"])
