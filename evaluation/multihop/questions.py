"""The written questions of several hops, and the conversations that they are about.

A line of evaluation/labels/multihop.jsonl is a question in words of our own, whose memory it is asked of, and its hops, which
lie in two episodes at least: each is the ids of the messages of which any one serves it. ``hop_questions`` ask for each hop
by itself. Of the set of others (LoCoMo) only ids are named; its text is in nobody's files but yours. ``dev`` was written before
the planners, ``fresh`` after them, by someone who had not looked at what they do with it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from evaluation.retrieval.sets import locomo
from mneme.errors import InputError

Shape = Literal["chain", "split", "list", "compare", "temporal", "count"]

EXAMPLES = ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl", "acme.jsonl", "handbook.md")
_TREE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question, whose memory answers it, and for each hop the messages of which any one serves it."""

    id: str
    split: Literal["dev", "fresh"]
    source: Literal["examples", "locomo"]
    owner: Mapping[str, str]
    shape: Shape
    text: str
    hops: Sequence[frozenset[str]]
    hop_questions: Sequence[str]

    @property
    def evidence(self) -> frozenset[str]:
        """The messages of all hops."""
        return frozenset().union(*self.hops)


@dataclass(frozen=True, slots=True)
class Material:
    """The ingested material: files for the flow, and who said what when, as events."""

    paths: Sequence[Path]
    events: Sequence[Mapping[str, Any]]

    def messages(self, owner: Mapping[str, str]) -> dict[str, datetime]:
        """The messages of an owner by id, and when they were sent."""
        return {
            event["message_id"]: datetime.fromisoformat(event["sent_at"])
            for event in self.events
            if owner.items() <= event.items()
        }


def written_questions() -> list[WrittenQuestion]:
    """Every question that is shipped."""
    lines = (files("evaluation") / "labels" / "multihop.jsonl").read_text(encoding="utf-8").splitlines()
    return [_question(json.loads(line)) for line in lines]


def material_of(examples: Path | None, sets: Sequence[Path], folder: Path) -> Material:
    """Return the material that the questions are about.

    Args:
        examples: the folder of the examples; None for that of the checkout.
        sets: files of LoCoMo; without them only what is asked of the examples can be measured.
        folder: where the events of ``sets`` are written.

    Raises:
        InputError: an example is missing, or a file is not LoCoMo's.
    """
    where = examples or _TREE / "examples"
    paths = [where / name for name in EXAMPLES]
    if missing := [path.name for path in paths if not path.is_file()]:
        raise InputError(f"examples: {', '.join(missing)} not in {where}; they come with the repository, name their folder")
    events: list[Mapping[str, Any]] = [
        json.loads(line) for path in paths if path.suffix == ".jsonl" for line in path.read_text(encoding="utf-8").splitlines()
    ]
    if sets:
        published = locomo.load(sets)
        events += published.events
        paths.append(published.write(folder))
    return Material(paths, events)


def measurable(questions: Iterable[WrittenQuestion], about: Material) -> list[WrittenQuestion]:
    """The questions whose conversation is there.

    Raises:
        InputError: the conversation is there, but not a message that a question names: it is another version of the set.
    """
    there = []
    for question in questions:
        messages = about.messages(question.owner)
        if messages and (missing := question.evidence - messages.keys()):
            raise InputError(
                f"{question.id}: {', '.join(sorted(missing))} not among the messages of {', '.join(question.owner.values())}; "
                "give the published file"
            )
        if messages:
            there.append(question)
    return there


def _question(line: dict[str, Any]) -> WrittenQuestion:
    hops = [frozenset(hop) for hop in line.pop("hops")]
    return WrittenQuestion(text=line.pop("question"), hops=hops, **line)
