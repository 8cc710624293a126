"""Episodes with what a careful reader would remember of them, labelled by hand (evaluation/labels/*.json).

A label names its data file, conversation, and first and last message; the messages themselves are read from your copy of
the data. Conventions, in all kinds:

- ``a|b`` are alternatives; ``?`` in front marks a label as optional: finding it is neither right nor wrong.
- An entity is ``[name, type]``. Those who take part are left out: every extractor finds them.
- A relationship is ``[source, relation, target]``, with ``"ended"`` behind it when it is over. Unnamed kin counts where having
  it says something (a spouse, a partner, a child, a sibling, a pet: "Ann's husband"); everybody has parents and friends.
- A foresight is ``[words, day or null]``: a plan, an appointment or a deadline that stands when the episode ends.
- A profile statement is ``[about, words, category]``: what of a participant is worth knowing in a year.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from connectors.files.files import read_file
from evaluation.segmentation import spoken
from flows.cuts import Cut, Utterance
from mneme.errors import InputError
from mneme.events import Message, parse_event
from mneme.records import StoredMessage

_EXAMPLES = "examples/"
_TREE = Path(__file__).resolve().parent.parent
_MEMDAILY_TIME = re.compile(r"(\d{4})年(\d{2})月(\d{2})日\D*(\d{2}):(\d{2})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One label: ``parts`` are the alternatives of each of its columns; ``day`` is set for a foresight only."""

    parts: tuple[tuple[str, ...], ...]
    optional: bool = False
    day: date | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one episode, for each kind."""

    file: str
    conversation: str
    first: str
    last: str
    language: str
    held_out: bool
    entities: tuple[Wanted, ...]
    relationships: tuple[Wanted, ...]
    foresights: tuple[Wanted, ...]
    profile: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledEpisode:
    """An episode as the extractor gets it, and its labels."""

    cut: Cut
    labels: Labels


def load_labels() -> list[Labels]:
    """Every label that is shipped."""
    folder = files("evaluation") / "labels"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".json"))
    return [_labels(entry) for name in names for entry in json.loads((folder / name).read_text(encoding="utf-8"))]


def labelled_episodes(data: Path | None) -> list[LabelledEpisode]:
    """The labelled episodes whose data is there: the examples of a checkout, and the sets under ``data``.

    Raises:
        InputError: nothing is there, a file cannot be read, or it does not hold a labelled message.
    """
    found = [LabelledEpisode(_cut(labels, path), labels) for labels in load_labels() if (path := _path(labels.file, data))]
    if not found:
        raise InputError(f"data: no labelled episode is in {data}; give the folder that holds locomo/, chats/ and chinese/")
    return found


def _labels(entry: Mapping[str, Any]) -> Labels:
    return Labels(
        file=entry["file"],
        conversation=entry["conversation"],
        first=entry["first"],
        last=entry["last"],
        language=entry["language"],
        held_out=entry["held_out"],
        entities=tuple(_wanted(row) for row in entry["entities"]),
        relationships=tuple(_wanted(row[:3], ended="ended" in row[3:]) for row in entry["relationships"]),
        foresights=tuple(_wanted(row[:1], day=row[1]) for row in entry["foresights"]),
        profile=tuple(_wanted(row) for row in entry["profile"]),
    )


def _wanted(row: list[str], day: str | None = None, ended: bool = False) -> Wanted:
    optional = row[0].startswith("?")
    columns = [row[0].removeprefix("?"), *row[1:]]
    return Wanted(
        tuple(tuple(column.split("|")) for column in columns), optional, date.fromisoformat(day) if day else None, ended
    )


def _path(file: str, data: Path | None) -> Path | None:
    path = _TREE / file if file.startswith(_EXAMPLES) else data / file if data else None
    return path if path and path.exists() else None


def _cut(labels: Labels, path: Path) -> Cut:
    messages = _conversations(path).get(labels.conversation, [])
    ids = [message.message_id for message in messages]
    try:
        stretch = messages[ids.index(labels.first) : ids.index(labels.last) + 1]
    except ValueError as error:
        raise InputError(
            f"{path}: conversation {labels.conversation} has no messages {labels.first} to {labels.last};"
            " the labels are for another version of this data"
        ) from error
    utterances = tuple(Utterance(message, None) for message in stretch)
    return Cut(stretch[0].id, stretch[0].owner, labels.conversation, None, utterances, closed_by="boundary")


@cache
def _conversations(path: Path) -> dict[str, list[StoredMessage]]:
    """The messages of a file, by conversation, in its order."""
    conversations: dict[str, list[StoredMessage]] = {}
    for message in _memdaily(path) if path.name.startswith("memdaily") else _chats(path):
        conversations.setdefault(message.conversation_id or "", []).append(message)
    return conversations


def _chats(path: Path) -> Iterator[StoredMessage]:
    for incoming in read_file(path, user_id="evaluation"):
        event = parse_event(incoming.raw, incoming.received_at)
        if isinstance(event, Message):
            yield event.stored(event.owner, incoming.position, event.sent_at, version=1)


def _memdaily(path: Path) -> Iterator[StoredMessage]:
    """MemDaily (Zhang et al., MemSim, 2024): each of its trajectories is what one user says over some days."""
    try:
        for trajectory in json.loads(path.read_text(encoding="utf-8")):
            for said in trajectory["message_list"]:
                time = _MEMDAILY_TIME.match(said["time"])
                if time is None:
                    raise ValueError(said["time"])
                year, month, day, hour, minute = (int(part) for part in time.groups())
                sent_at = datetime(year, month, day, hour, minute, tzinfo=UTC)
                yield spoken(str(trajectory["tid"]), said["mid"], "user", said["message"], sent_at)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not in MemDaily's form ({error!r})") from error
