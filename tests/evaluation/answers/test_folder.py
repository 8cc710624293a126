"""The folder of a run: what is in it counts, and another run is refused."""

from pathlib import Path

import pytest

from evaluation.answers.folder import RunFolder
from evaluation.answers.records import Cost, GivenAnswer, Vote
from mneme.errors import InputError, StoreUnavailable
from mneme.ports import Role

SETTINGS = {"set": "locomo", "method": "hybrid", "extraction": {"extractor": "local", "custom_instructions": ""}, "top_k": None}


def answer(question: str, text: str = "a kayak") -> GivenAnswer:
    return GivenAnswer(
        question=question,
        answer=text,
        abstained=False,
        extractive=True,
        costs={Role.ANSWER: Cost(calls=1, input_tokens=9)},
    )


def vote(question: str, number: int, correct: bool = True, judge: str = "small") -> Vote:
    return Vote(judge=judge, question=question, number=number, correct=correct, reason="so", cost=Cost())


def test_the_same_run_goes_on_with_what_is_there(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", SETTINGS) as folder:
        folder.add_answer(answer("q1"))
        folder.add_vote(vote("q1", 0))
        assert folder.ingested is None
        folder.set_ingested({"messages": 4})
    with RunFolder(tmp_path / "run", dict(reversed(SETTINGS.items()))) as folder:
        folder.add_answer(answer("q2"))
        assert folder.answers() == {"q1": answer("q1"), "q2": answer("q2")}
        assert list(folder.votes("small")) == [vote("q1", 0)]
        assert folder.ingested == {"messages": 4}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"method": "agentic"}, 'method was "hybrid" and is "agentic"'),
        ({"extraction": {"extractor": "model", "custom_instructions": ""}}, 'extraction.extractor was "local" and is "model"'),
        ({"top_k": 5}, "top_k was null and is 5"),
        ({"votes": 3}, "votes was null and is 3"),
    ],
)
def test_a_run_with_other_settings_is_refused_and_told_which(changes: dict[str, object], said: str, tmp_path: Path) -> None:
    with RunFolder(tmp_path, SETTINGS):
        pass
    with pytest.raises(InputError, match="other settings") as refused:
        RunFolder(tmp_path, {**SETTINGS, **changes})
    assert said in str(refused.value)
    assert str(refused.value).count(" was ") == 1
    with RunFolder(tmp_path, SETTINGS):
        pass  # the refusal left nothing behind


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    with RunFolder(tmp_path, SETTINGS), pytest.raises(StoreUnavailable, match="this evaluation"):
        RunFolder(tmp_path, SETTINGS)


def test_a_torn_last_line_is_as_if_it_had_not_been_written(tmp_path: Path) -> None:
    with RunFolder(tmp_path, SETTINGS) as folder:
        folder.add_answer(answer("q1"))
        folder.add_answer(answer("q2"))
    path = tmp_path / "answers.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    with RunFolder(tmp_path, SETTINGS) as folder:
        assert set(folder.answers()) == {"q1"}
        folder.add_answer(answer("q2", "again"))
    with RunFolder(tmp_path, SETTINGS) as folder:
        assert folder.answers()["q2"].answer == "again"


def test_judges_have_votes_of_their_own(tmp_path: Path) -> None:
    with RunFolder(tmp_path, SETTINGS) as folder:
        folder.add_vote(vote("q1", 0, correct=True, judge="small"))
        folder.add_vote(vote("q1", 0, correct=False, judge="large"))
        assert [each.correct for each in folder.votes("large")] == [False]


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("no json")
    with pytest.raises(InputError, match="no run of an evaluation"):
        RunFolder(tmp_path, SETTINGS)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="out"):
        RunFolder(tmp_path / "file", SETTINGS)
