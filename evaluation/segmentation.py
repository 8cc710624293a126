"""Dialogues with known topic boundaries, and the measures of a segmentation.

Reads the JSON lines of the Def-DTS bundle (TIAGE, SuperDialseg, Dialseg711), where ``[NEWLINE]`` stands between
utterances and ``[BOUNDARY]`` between segments, and LoCoMo, whose sessions end where a boundary lies. The data is not
part of this project.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows.boundaries import SemanticDetector
from flows.conversations.conversation import Conversation
from flows.cuts import BoundaryDetector, Cut, Utterance
from mneme.errors import InputError
from mneme.ids import message_id
from mneme.records import Owner, Position, StoredMessage
from mneme.settings import Boundaries
from mneme.text import estimate_tokens
from mneme.times import utc_now

_START = datetime(2024, 1, 1, 9, tzinfo=UTC)
_UNTIMED_STEP = timedelta(seconds=1)  # no more than an order: what a bulk import gives


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation and the indices of the messages with which a new segment begins (never 0)."""

    id: str
    messages: tuple[StoredMessage, ...]
    boundaries: frozenset[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of cuts against the truth, 0 to 1. Pk: lower is better; F1: higher."""

    pk: float
    f1: float


Results = Sequence[tuple[Dialogue, frozenset[int]]]
"""Dialogues, each with the messages before which it was cut."""


def cuts_of(utterances: Sequence[Utterance], detector: BoundaryDetector, settings: Boundaries) -> Iterator[Cut]:
    """The episodes of a whole conversation, as the flow cuts one that a file ends.

    Raises:
        ModelError: from a detector that calls a model.
    """
    first = utterances[0].message
    assert first.conversation_id is not None, "else it is of a document"
    conversation = Conversation(first.id, first.owner, first.conversation_id, settings)
    now = utc_now()
    for utterance in utterances:
        conversation.hold(utterance, now)
    conversation.release(timedelta(0), now)
    for pausing in (False, True):
        while (question := conversation.question(detector, pausing)) is not None:
            verdict = detector.judge(question.context, question.judged, question.ahead)
            yield from (cut for cut in conversation.apply(question, verdict) if isinstance(cut, Cut))
    inline = SemanticDetector(settings) if detector.calls_a_model else detector
    yield from (cut for cut in conversation.pause(inline, "end") if isinstance(cut, Cut))


# --- data ------------------------------------------------------------------------------------------------------------


def load_dialogues(path: Path) -> list[Dialogue]:
    """The dialogues of one file of the Def-DTS bundle, without times (one message a second).

    Raises:
        InputError: the file is not there or a line is not in that form; the message names file and line.
    """
    return [_dialogue(line, f"{path}:{number}") for number, line in enumerate(_read(path).splitlines(), 1) if line.strip()]


def load_locomo_sessions(path: Path, timed: bool) -> list[Dialogue]:
    """The conversations of a LoCoMo file, with a boundary where a session begins.

    LoCoMo knows when a session begins and not when a turn was said. ``timed``: turns follow each other as fast as
    they can be written (a second for each three characters and ten to think). Otherwise one message a second
    throughout, so that times say nothing.

    Raises:
        InputError: the file is not there or not LoCoMo's; the message names it.
    """
    try:
        return [_locomo(number, sample["conversation"], timed) for number, sample in enumerate(json.loads(_read(path)))]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a LoCoMo file ({error!r}); give locomo10.json or a part of it") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give the path of the data") from error


def _dialogue(line: str, place: str) -> Dialogue:
    try:
        row = json.loads(line)
        pieces = [piece.strip() for piece in row["dialogue"].split("[NEWLINE]")]
        name = str(row["id"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{place}: no JSON object with id and dialogue ({error!r})") from error
    messages: list[StoredMessage] = []
    boundaries = set()
    for piece in pieces:
        if piece == "[BOUNDARY]":
            boundaries.add(len(messages))
        elif piece:
            speaker, _, text = piece.partition(": ")
            messages.append(spoken(name, len(messages), speaker, text, _START + len(messages) * _UNTIMED_STEP))
    if not messages:
        raise InputError(f"{place}: a dialogue without a message; take the line out")
    return Dialogue(name, tuple(messages), frozenset(at for at in boundaries if 0 < at < len(messages)))


def _locomo(number: int, conversation: dict[str, object], timed: bool) -> Dialogue:
    name = f"locomo-{number}"
    messages: list[StoredMessage] = []
    boundaries = set()
    at = datetime(1970, 1, 1, tzinfo=UTC)
    for session in range(1, len(conversation)):
        turns = conversation.get(f"session_{session}")
        if not isinstance(turns, list) or not turns:
            continue
        if timed:
            began = datetime.strptime(str(conversation[f"session_{session}_date_time"]), "%I:%M %p on %d %B, %Y")
            at = max(at, began.replace(tzinfo=UTC))
        boundaries.add(len(messages))
        for turn in turns:
            text = turn["text"] + (f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            messages.append(spoken(name, len(messages), turn["speaker"], text, at))
            at += timedelta(seconds=10 + len(text) // 3) if timed else _UNTIMED_STEP
    return Dialogue(name, tuple(messages), frozenset(boundaries - {0}))


def spoken(conversation: str, index: int, speaker: str, text: str, sent_at: datetime) -> StoredMessage:
    """A stored message of a dialogue; the speakers ``agent`` and ``assistant`` are assistants, all others people."""
    return StoredMessage(
        id=message_id("evaluation", conversation, str(index)),
        owner=Owner(tenant_id="evaluation", type="user", id=conversation),
        conversation_id=conversation,
        created_at=sent_at,
        version=1,
        message_id=str(index),
        sender_id=speaker,
        sender_name=speaker,
        role="assistant" if speaker in ("agent", "assistant") else "user",
        sent_at=sent_at,
        timezone="UTC",
        text=text,
        tokens=estimate_tokens(text),
        position=Position(topic=f"file:{conversation}", partition=0, offset=index),
    )


# --- measures --------------------------------------------------------------------------------------------------------


def half_segment(length: int, boundaries: Iterable[int]) -> int:
    """The window of Pk: half the mean length of the true segments, at least 2 (as in segeval)."""
    return min(max(2, round(length / (2 * (len(set(boundaries)) + 1)))), max(1, length - 1))


def pk(length: int, truth: Iterable[int], cuts: Iterable[int], window: int | None = None) -> float:
    """Pk (Beeferman et al. 1999): how often two messages ``window`` apart are wrongly told (not) to share a segment."""
    true, made = set(truth), set(cuts)
    size = window or half_segment(length, true)
    spans = [set(range(at + 1, at + size + 1)) for at in range(length - size)]
    return sum(span.isdisjoint(true) != span.isdisjoint(made) for span in spans) / max(1, len(spans))


def score(results: Results) -> Scores:
    """Scores of cuts: Pk is the mean over dialogues, F1 counts all boundaries together."""
    cuts = sum(len(dialogue.boundaries) + len(cuts) for dialogue, cuts in results)
    right = sum(len(dialogue.boundaries & cuts) for dialogue, cuts in results)
    each = [pk(len(dialogue.messages), dialogue.boundaries, cuts) for dialogue, cuts in results]
    return Scores(pk=sum(each) / max(1, len(each)), f1=2 * right / max(1, cuts))
