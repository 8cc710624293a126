"""The folder of a run, from which it goes on after it was stopped at any moment.

    run.json          what makes the answers: settings, prompts, questions; another run is refused here
    index/            the index of the set; ingested.json beside it says that it is complete
    recordings.jsonl  the answers of the chat models, where these answer by files (``--offline``)
    answers.jsonl     a line for each question that is answered
    votes.jsonl       a line for each vote of the judge
    eval-locomo.json, eval-locomo.png

A line is on the disk before it counts, and one that a crash tore is dropped.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from connectors.durable import FolderLock, replace_json
from evaluation.answers.records import GivenAnswer, Vote
from evaluation.recording.keyed_lines import KeyedLines
from evaluation.recording.pending import PendingRequests, pending_path
from mneme.errors import InputError


class RunFolder:
    """A run, held by one process. A context manager."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Begin a run, or go on with it.

        Args:
            path: the folder; made if it is not there.
            settings: what makes the answers.

        Raises:
            InputError: the folder cannot be written, holds something else, or a run with other settings.
            StoreUnavailable: another process is at it.
        """
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = FolderLock(path, "this evaluation")
        except OSError as error:
            raise InputError(f"out: {path} cannot be written ({error.strerror}); choose another folder") from error
        try:
            _check_settings(path / "run.json", settings)
        except BaseException:
            self._lock.release()
            raise
        self._answers = KeyedLines(path / "answers.jsonl", "answer of an evaluation", lambda line: str(line["question"]))
        self._votes = KeyedLines(path / "votes.jsonl", "vote of a judge", _vote_key)

    @property
    def index(self) -> Path:
        """The data folder of the index."""
        return self.path / "index"

    @property
    def recordings(self) -> Path:
        """The file of recorded calls."""
        return self.path / "recordings.jsonl"

    @property
    def pending(self) -> Path:
        """The file of requests that wait to be answered, where models answer by files (``--offline``)."""
        return pending_path(self.recordings)

    def waiting(self) -> str:
        """Say how many requests wait in which file; empty for none."""
        waiting = len(PendingRequests(self.pending))
        return f"{waiting} requests wait in {self.pending}" if waiting else ""

    @property
    def ingested(self) -> dict[str, Any] | None:
        """The report of the complete ingestion; None before."""
        path = self.path / "ingested.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def set_ingested(self, report: Mapping[str, Any]) -> None:
        """The index is complete."""
        replace_json(self.path / "ingested.json", dict(report))

    def answers(self) -> dict[str, GivenAnswer]:
        """The answers so far, by question."""
        return {answer.question: answer for answer in map(GivenAnswer.model_validate, self._answers)}

    def votes(self, judge: str) -> Iterator[Vote]:
        """The votes of a judge so far."""
        return (vote for vote in map(Vote.model_validate, self._votes) if vote.judge == judge)

    def add_answer(self, answer: GivenAnswer) -> None:
        """Keep an answer; on the disk on return."""
        self._answers.add(answer.model_dump(mode="json"))

    def add_vote(self, vote: Vote) -> None:
        """Keep a vote; on the disk on return."""
        self._votes.add(vote.model_dump(mode="json"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._lock.release()


def _vote_key(line: Any) -> str:
    return f"{line['judge']} {line['question']} {line['number']}"


def _check_settings(path: Path, settings: Mapping[str, Any]) -> None:
    now = json.loads(json.dumps(settings))
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        replace_json(path, now)
        return
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: no run of an evaluation ({error}); choose another folder with --out") from error
    other = [
        f"{name} was {_shown(old)} and is {_shown(new)}"
        for name, (old, new) in sorted(_paired(before, now).items())
        if old != new
    ]
    if other:
        raise InputError(
            f"{path.parent} holds a run with other settings: {'; '.join(other)}; choose another --out, or set them so"
        )


def _paired(before: Any, now: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    """Both values of each setting, by its name with dots."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return {name: (before, now)}
    pairs: dict[str, tuple[Any, Any]] = {}
    for key in {**before, **now}:
        pairs |= _paired(before.get(key), now.get(key), f"{name}.{key}" if name else key)
    return pairs


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
