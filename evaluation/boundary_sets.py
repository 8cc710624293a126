"""Conversations with known topic boundaries, on which boundaries are fitted and measured, and the measures.

Reads the JSON lines of the Def-DTS bundle, where ``[NEWLINE]`` stands between utterances and ``[BOUNDARY]`` between segments,
and LoCoMo, whose sessions end where a boundary lies. The data is not part of this project.

Help desk (SuperDialseg), tasks (Dialseg711), small talk (TIAGE), and friends over months (LoCoMo); and chats with times made of
the first three. Fitted on one kind alone, a model falls from F1 .80 to .30 on another.

No public set has both times and topics, hence the made-up times. A chat is six dialogues, at a pace of its own, from a second
to five minutes a message. It teaches that the pace says nothing; that a pause says little, for most dialogues begin after one,
some pauses fall on a change of topic, and some on none; and that in one sitting a greeting or a farewell is no boundary. The
times are invented, so figures on these chats describe the detector's behaviour, not its accuracy.
"""

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import track

from connectors.files.chat_events import Clock
from connectors.models import open_embedder
from flows.boundaries import SemanticDetector
from flows.conversations.conversation import Conversation
from flows.cuts import BoundaryDetector, Cut, Utterance, embedding_text
from mneme.errors import InputError
from mneme.ids import message_id
from mneme.records import Owner, Position, StoredMessage
from mneme.rows import Vector
from mneme.settings import Boundaries, Settings
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


# --- chats with made-up times ------------------------------------------------------------------------------------------


_SITTINGS = 6  # dialogues that make one chat
_HOUR = 3600.0
FASTEST, SLOWEST = 1.0, 300.0  # seconds between messages, the median of a chat
UNEVEN = 0.7  # the standard deviation of their logarithm: two in three are between half the median and twice
PAUSE_AT_TOPIC = 0.2  # of the topic changes inside a dialogue fall on a pause
PAUSE_IN_TOPIC = 0.06  # of the other messages come after a pause
PAUSE_BETWEEN = 0.85  # of the dialogues begin after a pause
PASSING = 0.02  # of the messages that go on with a topic stand behind one that only greets or takes leave
GREETINGS_AND_FAREWELLS = (
    "Hi!", "Hello everybody", "Good morning!", "Hey, how are you?", "大家好", "你好！",
    "Good night, see you later!", "Bye, talk to you soon", "Have a nice day!", "明天见", "再见",
)  # fmt: skip
CUT_SHORT = 0.3  # of the dialogues end after 2 to 6 messages, so that there are short episodes that are whole


def timed_chats(dialogues: Sequence[Dialogue], seed: int, folds: int = 1) -> list[Dialogue]:
    """Chats of up to six dialogues each, in a shuffled order, with times; the same seed gives the same chats.

    A boundary lies where a dialogue has one and where one begins. Chat n is made of dialogues whose number modulo ``folds``
    is n modulo ``folds``, so that whoever leaves out a fold of both has seen none of it.
    """
    chance = random.Random(seed)
    parts = []
    for fold in range(folds):
        mine = dialogues[fold::folds]
        shuffled = chance.sample(mine, len(mine))
        parts.append([_chat(shuffled[at : at + _SITTINGS], chance) for at in range(0, len(mine), _SITTINGS)])
    return [chat for together in zip(*parts, strict=False) for chat in together]


def paced(dialogue: Dialogue, seconds: float | None, chance: random.Random) -> Dialogue:
    """The same with other times: so many seconds between messages, as people's vary; None: as a chat without times gets
    them when it is read from a file."""
    clock, at = Clock(None), _START
    messages = []
    for message in dialogue.messages:
        sent_at = at if seconds is not None else datetime.fromisoformat(clock.time(None))
        messages.append(message.model_copy(update={"sent_at": sent_at}))
        at += _reply(seconds or 0.0, chance)
    return replace(dialogue, messages=tuple(messages))


def _chat(dialogues: Sequence[Dialogue], chance: random.Random) -> Dialogue:
    name = f"timed-{dialogues[0].id}"
    pace = FASTEST * (SLOWEST / FASTEST) ** chance.random()
    messages: list[StoredMessage] = []
    boundaries: set[int] = set()
    at = _START
    for dialogue in dialogues:
        for index, message in enumerate(dialogue.messages[: _length(dialogue, chance)]):
            begins = index in dialogue.boundaries
            often = PAUSE_BETWEEN if index == 0 else PAUSE_AT_TOPIC if begins else PAUSE_IN_TOPIC
            pauses = chance.random() < often
            at += _pause(chance, 14 * 24.0 if index == 0 else 72.0 if begins else 14.0) if pauses else _reply(pace, chance)
            if messages and (begins or index == 0):
                boundaries.add(len(messages))
            elif not pauses and chance.random() < PASSING:
                sender = chance.choice((message.sender_name, dialogue.messages[index - 1].sender_name))
                messages.append(spoken(name, len(messages), sender, chance.choice(GREETINGS_AND_FAREWELLS), at))
                at += _reply(pace, chance)
            messages.append(spoken(name, len(messages), message.sender_name, message.text, at))
    return Dialogue(name, tuple(messages), frozenset(boundaries))


def _length(dialogue: Dialogue, chance: random.Random) -> int:
    """Return the number of its messages that are said.

    The last is not by who began, for in these sets speakers alternate: one speaker twice in a row would give away where a
    dialogue begins.
    """
    length = min(chance.randint(2, 6) if chance.random() < CUT_SHORT else 50, len(dialogue.messages))
    same = dialogue.messages[length - 1].sender_id == dialogue.messages[0].sender_id
    return length - 1 if same and length > 1 else length


def _reply(seconds: float, chance: random.Random) -> timedelta:
    return timedelta(seconds=seconds * chance.lognormvariate(0.0, UNEVEN))


def _pause(chance: random.Random, longest: float) -> timedelta:
    """A pause of a third of an hour to so many hours, every order of magnitude as likely."""
    return timedelta(seconds=_HOUR * math.exp(chance.uniform(math.log(0.3), math.log(longest))))


TIMED = ", timed"  # in the name of a kind: the same as without, with times
_BATCH = 500  # texts that are embedded at a time
FOLDS = 5  # conversation n of a kind is in fold n modulo 5


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conversation. ``weight`` of one of its messages keeps the biggest set from deciding alone.

    ``made_up``: its times are invented, so that figures on it describe a behaviour and no accuracy.
    """

    name: str
    dialogues: tuple[Dialogue, ...]
    weight: float
    made_up: bool = False


def read_kinds(segmentation: Path, locomo: Path | None = None) -> list[Kind]:
    """Every kind, those without times first.

    Args:
        segmentation: the folder of the Def-DTS bundle.
        locomo: a LoCoMo file; without it there is no LoCoMo, with and without times.

    Raises:
        InputError: a file is not there or of another form; or a kind has fewer conversations than there are folds.
    """
    tiage = load_dialogues(segmentation / "tiage_train.jsonl")
    desk = load_dialogues(segmentation / "superdialseg_validation.jsonl")
    tasks = load_dialogues(segmentation / "dialseg711_first300.jsonl")
    kinds = [
        Kind("TIAGE", tuple(tiage), 1.5),
        Kind("SuperDialseg", tuple(desk), 0.5),
        Kind("Dialseg711", tuple(tasks), 1.0),
        *_locomo_kind(locomo, "LoCoMo", timed=False),
        Kind(f"TIAGE{TIMED}", tuple(timed_chats(tiage, seed=1, folds=FOLDS)), 1.0, made_up=True),
        Kind(f"SuperDialseg{TIMED}", tuple(timed_chats(desk, seed=2, folds=FOLDS)), 0.4, made_up=True),
        Kind(f"Dialseg711{TIMED}", tuple(timed_chats(tasks, seed=3, folds=FOLDS)), 0.8, made_up=True),
        *_locomo_kind(locomo, f"LoCoMo{TIMED}", timed=True),
    ]
    for kind in kinds:
        if len(kind.dialogues) < FOLDS:
            raise InputError(
                f"{kind.name}: {len(kind.dialogues)} conversations, and cross-validation needs {FOLDS} of each kind"
                " (six dialogues make a timed one); give a bigger set"
            )
    return kinds


def vectors_of(kinds: Sequence[Kind], settings: Settings, console: Console) -> dict[str, Vector]:
    """The vector of every distinct message (its ``embedding_text``).

    Raises:
        SettingsError, ModelError: the embedder cannot be opened, or does not answer.
    """
    messages = (message for kind in kinds for dialogue in kind.dialogues for message in dialogue.messages)
    texts = sorted(set(map(embedding_text, messages)))
    known: dict[str, Vector] = {}
    with closing(open_embedder(settings)) as embedder:
        for at in track(range(0, len(texts), _BATCH), "embedding", console=console, transient=True):
            batch = texts[at : at + _BATCH]
            known |= zip(batch, embedder.embed(batch), strict=True)
    return known


def utterances_of(dialogue: Dialogue, vectors: Mapping[str, Vector] | None) -> list[Utterance]:
    """The messages of a dialogue as a detector sees them, with or without vectors."""
    return [Utterance(message, vectors[embedding_text(message)] if vectors else None) for message in dialogue.messages]


def _locomo_kind(path: Path | None, name: str, timed: bool) -> list[Kind]:
    return [Kind(name, tuple(load_locomo_sessions(path, timed)), 2.0)] if path else []
