"""The steps of the flow joined by hand: no engine, no threads, a clock that a test moves, and crashes on demand.

``River`` does what an engine does: items pass read, embed, segment, extract, reconcile and the writer; an epoch ends
with a snapshot of all steps; a crash rebuilds the steps from the last snapshot, and what was fed since comes again.
"""

import json
import random
import re
import threading
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import HealthCheck
from hypothesis import settings as trials
from hypothesis import strategies as st

from evaluation.pools import at_once
from flows.consistency.judge import Judge
from flows.cuts import BoundaryDetector, Cut, ExtractedEntity, ExtractedFact, Extraction, Extractor, Utterance, Verdict
from flows.embed import EmbedLane
from flows.extract import ExtractLane
from flows.items import OF_THE_WRITER, Amendment, Arrived, Erased, Erasure, Pause, Unread
from flows.lanes.pending import Pending
from flows.lanes.services import Reading, Services
from flows.lanes.state import Versions
from flows.read import ReadLane
from flows.reconcile import ReconcileLane
from flows.segment import SegmentLane
from flows.write import Writer
from mneme.errors import InputError
from mneme.events import Document, Edit, Message
from mneme.ports import DeadLetter, EmbedderIdentity, MemoryIndex, ParsedDocument, Scope, Section, Spoken
from mneme.receipts import erasure_receipt, flush_marker
from mneme.records import Owner, Position
from mneme.rows import Collection, Embedding, Vector
from mneme.settings import Settings
from mneme.text import tokenise

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DIMENSION = 16
# Each example of a property tells whole rivers a story: a few tens in a run find what hundreds would.
few = trials(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
lucks = st.integers(0, 2**32 - 1).map(random.Random)
SETTINGS = Settings(_env_file=None)  # read once: a tenth of the time of a story


class CutOnWord:
    """A detector for tests: a message that contains the word begins an episode. Looks one message ahead."""

    window = 1
    look_ahead = 1
    calls_a_model = False

    def __init__(self, word: str = "NEW") -> None:
        self._word = word

    def signals(self, context: Sequence[Utterance], message: Utterance) -> bool:
        return self._word in message.message.text

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        boundaries = [at for at, utterance in enumerate(judged) if (context or at) and self._word in utterance.message.text]
        texts = [utterance.message.text for utterance in (*context[-1:], *judged)]
        before = [texts[at - len(judged) - 1] for at in boundaries]
        return Verdict(tuple(boundaries), reasons=tuple(f"{self._word} after {text}" for text in before))


class OneFactEach:
    """An extractor for tests: one fact for each message, an entity for each capitalised word."""

    name = "test"
    calls_a_model = False

    def extract(self, cut: Cut) -> Extraction:
        texts = [utterance.message.text for utterance in cut.utterances]
        entities = [
            ExtractedEntity(word, "object", f"{word} in {text}", (at,))
            for at, text in enumerate(texts)
            for word in text.split()
            if word.istitle()
        ]
        return Extraction(
            subject=texts[0],
            summary=" ".join(texts),
            narrative="\n".join(texts),
            facts=tuple(ExtractedFact(text, "topic", (at,), same_as_source=True) for at, text in enumerate(texts)),
            entities=tuple(entities),
        )


def embed(texts: list[str]) -> Vector:
    """Deterministic vectors of words."""
    vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for at, text in enumerate(texts):
        for token in tokenise(text):
            vectors[at, sum(token.encode()) % DIMENSION] += 1
        vectors[at, 0] += 0.5
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


IDENTITY = EmbedderIdentity("test", "words", DIMENSION)


class Never:
    """What a pool gives that never ends what it was given."""

    def __init__(self, call: Callable[[], Any]) -> None:
        """Leave the call alone."""

    def done(self) -> bool:
        return False


def services_for(index: MemoryIndex, **changes: Any) -> Services:
    """Services of the steps: no model, a pool that works at once, and a clock that stands still; ``changes`` for the rest."""
    usual: dict[str, Any] = {
        "settings": SETTINGS,
        "embed": lambda texts: at_once(lambda: list(map(Embedding, embed(texts)))),
        "submit": at_once,
        "clock": lambda: START,
        "versions": Versions(1),
        "pending": Pending(),
        "detector": CutOnWord(),
        "fallback_detector": CutOnWord(),
        "extractor": OneFactEach(),
        "fallback_extractor": OneFactEach(),
        "judge": None,
        "skill_writer": None,
        "tally": Counter(),
    }
    return Services(index=index, **(usual | changes))


class Letters:
    """Dead letters in memory."""

    def __init__(self) -> None:
        self.letters: list[DeadLetter] = []
        self.erased: list[Scope] = []

    def send(self, letters: Sequence[DeadLetter]) -> None:
        self.letters += letters

    def erase(self, scope: Scope) -> int:
        self.erased.append(scope)
        return 0

    def remove(self, unwanted: Callable[[DeadLetter], bool]) -> int:
        before = len(self.letters)
        self.letters = [letter for letter in self.letters if not unwanted(letter)]
        return before - len(self.letters)

    def close(self) -> None:
        pass


class Pages:
    """Reads documents for tests: ``== page 2 ==`` begins a section, ``Bob 3: hello`` under ``== speech ==`` is said.

    ``broken`` in a text refuses it, ``silent`` leaves it unread. ``read_names`` are those that it was asked for.
    """

    def __init__(self) -> None:
        self.read_names: list[str] = []

    def read(self, content: bytes, name: str, media_type: str | None, scope: str) -> ParsedDocument:
        self.read_names.append(name)
        text = content.decode()
        if "broken" in text:
            raise InputError(f"{name}: it is broken; send it whole")
        if "silent" in text:
            return ParsedDocument(name, (), format="mp3", unread=("nobody listens",))
        begin, *rest = re.split(r"== (.+?) ==\s", text)
        pages = [("", begin), *zip(rest[::2], rest[1::2], strict=True)]
        if rest[:1] == ["speech"]:
            lines = [line.partition(": ") for line in rest[1].splitlines() if line]
            spoken = [(*head.rsplit(" ", 1), said) for head, _, said in lines]
            told = tuple(Spoken(who, float(at), float(at) + 1, said) for who, at, said in spoken)
            return ParsedDocument(name, (), format="vtt", spoken=told)
        sections = [(place, page.strip()) for place, page in pages if page.strip()]
        return ParsedDocument(name, tuple(Section("", page, place) for place, page in sections), format="txt")

    def close(self, grace_seconds: float | None = None) -> None:
        pass


class Folder:
    """References for tests: texts by their URI."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def read(self, uri: str, tenant_id: str, sha256: str | None = None) -> bytes:
        if uri not in self.files:
            raise InputError("uri: there is no such file; put it there")
        return self.files[uri]


Fed = Unread | Arrived | Amendment | Erasure | Pause


class River:
    """The flow over one index; one bucket for everything."""

    def __init__(
        self,
        index: MemoryIndex,
        detector: BoundaryDetector | None = None,
        extractor: Extractor | None = None,
        embedding: Callable[[list[str]], Vector] = embed,
        submit: Callable[[Callable[[], Any]], "Future[Any]"] = at_once,
        judge: Judge | None = None,
        **boundaries: Any,
    ) -> None:
        limits = {"hold_back_seconds": 0.0, "idle_seconds": 300.0, **boundaries}
        self.now = START
        self.index = index
        index.prepare(IDENTITY)
        self.letters = Letters()
        self.reader = Pages()
        self.folder = Folder()
        self.settings = SETTINGS.model_copy(update={"boundaries": SETTINGS.boundaries.model_copy(update=limits)})
        self._detector = detector or CutOnWord()
        self._extractor = extractor or OneFactEach()
        self._embedding = embedding
        self._judge = judge
        self._submit = submit
        self._run = 0
        self._snapshot: list[bytes | None] = [None] * 5
        self._fed_in_epoch: list[Fed] = []
        self.answers_erased: list[Erased] = []
        self._build()

    def feed(self, *items: Fed) -> None:
        """What a source gives in one batch, taken through all steps as far as it goes."""
        self._fed_in_epoch += items
        self._pass(0, list(items))
        self.turn()

    def turn(self) -> None:
        """Poll every step once: what timers do."""
        for step, lane in enumerate(self._lanes):
            self._onward(step, list(lane.poll()))

    def wait(self, seconds: float) -> None:
        """Let time pass, second by second where something is due."""
        end = self.now + timedelta(seconds=seconds)
        while (due := min((t for lane in self._lanes if (t := lane.wake_at())), default=None)) and due <= end:
            self.now = max(self.now, due)
            self.turn()
        self.now = end
        self.turn()

    def end(self) -> None:
        """The end of a file: everything that is open is shown."""
        self.feed(Pause("", "end"))
        self.settle()

    def settle(self) -> None:
        """Let time pass until nothing is at work any more."""
        for _ in range(600):
            if not self.unfinished:
                return
            self.wait(0.1)
        raise AssertionError("the river does not come to rest")

    def epoch(self) -> None:
        """An epoch ends: everything up to here is settled."""
        self._snapshot = [lane.snapshot() for lane in self._lanes]
        for lane in self._lanes:
            lane.epoch_done()
        self._fed_in_epoch = []

    def crash(self) -> None:
        """The process dies and comes back: steps as of the last epoch, its input again."""
        again, self._fed_in_epoch = self._fed_in_epoch, []
        self._build()
        self.turn()
        if again:
            self.feed(*again)

    def forget_conversations(self) -> None:
        """The process ends, and starts with a segment step that has forgotten all its conversations, as after very many."""
        assert self._snapshot[2] is not None, "after an epoch"
        self._snapshot[2] = None
        self.crash()

    def receipt(self, erasure_id: str) -> dict[str, Any] | None:
        """The receipt of an erasure, once it is there."""
        key = erasure_receipt("default", erasure_id, self.now, {}).key
        row = self.index.get([key]).get(key)
        return row.body if row is not None else None

    def is_flushed(self, flush_id: str) -> bool:
        """Whether the marker of a flush is there."""
        return bool(self.index.get([flush_marker("default", flush_id, self.now).key]))

    @property
    def unfinished(self) -> int:
        """What is at work. Documents that only wait for the end of an epoch are not."""
        return sum(lane.unfinished for lane in self._lanes) - self._lanes[0].awaiting

    def _build(self) -> None:
        self._run += 1
        self.tally: Counter[str] = Counter()
        services = services_for(
            self.index,
            settings=self.settings,
            # The embedder has threads of its own.
            embed=lambda texts: at_once(lambda: list(map(Embedding, self._embedding(texts)))),
            submit=self._submit,
            clock=lambda: self.now,
            versions=Versions(self._run),
            detector=self._detector,
            extractor=self._extractor,
            judge=self._judge,
            tally=self.tally,
            reading=Reading(self.reader, self.folder, self._submit, in_flight=Pending(), at_work=Pending()),
        )
        builders: list[Any] = [ReadLane, EmbedLane, SegmentLane, ExtractLane, ReconcileLane]
        self._lanes = [build(services, state) for build, state in zip(builders, self._snapshot, strict=True)]
        self._writer = Writer(
            self.index, self.letters, None, lambda: self.now, threading.Event(), erase_answers=self._erase_answers
        )

    def _erase_answers(self, erased: Erased) -> int:
        self.answers_erased.append(erased)
        return 0

    def _pass(self, step: int, items: list[Any]) -> None:
        if items:
            self._onward(step, list(self._lanes[step].on_batch(items)))

    def _onward(self, step: int, out: list[Any]) -> None:
        writes = [item for item in out if isinstance(item, OF_THE_WRITER)]
        if writes:
            self._writer.write(writes)
        self._pass(step + 1, [item for item in out if not isinstance(item, OF_THE_WRITER)])


def message(number: int, text: str, conversation: str = "talk", after: float | None = None, **fields: Any) -> Arrived:
    """A message a minute apart from its neighbours; ``after`` sets its seconds after the start."""
    event = Message(
        conversation_id=conversation,
        **{"user_id": "ann", **fields},
        message_id=fields.pop("message_id", f"m{number:03d}"),
        sender_name="Ann",
        sent_at=START + timedelta(seconds=60 * number if after is None else after),
        content=text,
    )
    return Arrived(event.stored(event.owner, Position(topic="t", partition=0, offset=number), event.sent_at, version=1))


def document(number: int, text: str | None, document_id: str = "paper", document_type: str = "txt", **fields: Any) -> Unread:
    """A document whose event has this number in the source of ``message``; without a text it is ``file:///<document_id>``."""
    content = {"content": text} if text is not None else {"uri": f"file:///{document_id}"}
    event = Document(**{"user_id": "ann", **fields}, document_id=document_id, name=f"{document_id}.{document_type}", **content)
    return Unread(event, Position(topic="t", partition=0, offset=number), START, event.to_bytes())


def with_attachments(number: int, text: str, *files: str, conversation: str = "talk", user_id: str = "ann") -> list[Fed]:
    """A message of this number, and what is to be read of it: ``files`` are the contents of its attachments."""
    parts = [{"type": "text", "text": text}]
    for at, content in enumerate(files, 1):
        parts.append({"type": "file", "name": f"file{at}.txt", "data": b64encode(content.encode()).decode()})
    event = Message(
        conversation_id=conversation,
        user_id=user_id,
        message_id=f"m{number:03d}",
        sender_name="Ann",
        sent_at=START + timedelta(seconds=60 * number),
        content=parts,
    )
    position = Position(topic="t", partition=0, offset=number)
    stored = event.stored(event.owner, position, event.sent_at, version=1)
    return [Arrived(stored), Unread(event, position, event.sent_at, event.to_bytes())]


def edit_with_attachment(number: int, text: str, file: str, offset: int) -> Unread:
    """An edit of the message of this number that attaches a file in place of others."""
    data = b64encode(file.encode()).decode()
    event = Edit(
        conversation_id="talk",
        message_id=f"m{number:03d}",
        content=[{"type": "text", "text": text}, {"type": "file", "name": "new.txt", "data": data}],
    )
    return Unread(event, Position(topic="t", partition=0, offset=offset), START, event.to_bytes())


def edit(number: int, text: str | None, offset: int, conversation: str = "talk", topic: str = "t") -> Amendment:
    """An edit (a delete, if there is no text) of the message with this number; ``offset`` is its own in the source."""
    event = {"event": "edit" if text is not None else "delete", "conversation_id": conversation, "message_id": f"m{number:03d}"}
    return Amendment(
        tenant_id="default",
        conversation_id=conversation,
        message_id=f"m{number:03d}",
        text=text,
        position=Position(topic=topic, partition=0, offset=offset),
        received_at=START,
        raw=json.dumps(event | ({"content": text} if text is not None else {})).encode(),
    )


def forget_document(offset: int, document_id: str = "paper", erasure_id: str = "gone") -> Erasure:
    """A document of Ann's is to be erased."""
    owner = Owner(tenant_id="default", type="user", id="ann")
    position = Position(topic="t", partition=0, offset=offset)
    return Erasure("default", None, owner, erasure_id, START + timedelta(days=1), position, document_id=document_id)


def forget(offset: int, conversation: str = "talk", erasure_id: str = "gone") -> Erasure:
    """A conversation is to be erased; ``offset`` is the event's own in the source of ``message``."""
    return _erasure(offset, conversation, None, erasure_id)


def erase(offset: int, user_id: str = "ann", erasure_id: str = "gone") -> Erasure:
    """A user is to be erased."""
    return _erasure(offset, None, Owner(tenant_id="default", type="user", id=user_id), erasure_id)


def _erasure(offset: int, conversation: str | None, owner: Owner | None, erasure_id: str) -> Erasure:
    arrived_at = START + timedelta(days=1)
    return Erasure("default", conversation, owner, erasure_id, arrived_at, Position(topic="t", partition=0, offset=offset))


_HISTORY = ("version", "closed_by", "provisional", "position", "edited_by")  # of a row: how it came to be


def contents(index: MemoryIndex) -> dict[str, dict[str, Any]]:
    """Everything in the index that can be found, without its history: what two runs must agree on."""
    index.refresh()
    rows = [row for collection in Collection if collection is not Collection.CONTROL for row in index.scan(collection)]
    rows = [row for row in rows if row.kind != "deleted"]
    plain = {row.id: {key: value for key, value in row.body.items() if key not in _HISTORY} for row in rows}
    assert len(plain) == len(rows), "an id lies in two places"
    return plain


def episodes(index: MemoryIndex) -> list[tuple[str, ...]]:
    """The message ids of each episode, in order."""
    index.refresh()
    rows = sorted(index.scan(Collection.EPISODES), key=lambda row: (row.at, row.id))
    return [tuple(row.body["message_ids"]) for row in rows]
