"""``mneme bench documents``: what conversations notice of documents that are read beside them.

A flow of its own, on topics and indices of its own, on the Kafka and OpenSearch of the settings.

1. One talk goes on for a while with nothing beside it: a message every second, every fifth followed by a flush.
2. All files of a folder are sent to the topic of documents, and the talk goes on until they are searchable or refused.
3. For both: how long until a message is stored, and until a flush is answered (episode, facts and vectors are searchable).
"""

import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from connectors.documents.claims import Carrier
from connectors.kafka.client import create_topics
from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from evaluation.faults.deployment import Deployment
from evaluation.report import Report, Row, print_table
from mneme.errors import InputError, StoreError
from mneme.events import Document, Flush, Message
from mneme.ids import message_id
from mneme.records import Owner
from mneme.rows import Collection, Key, flush_marker
from mneme.settings import Settings
from mneme.times import utc_now

_POLL_SECONDS = 0.05
_BETWEEN_SECONDS = 1.0
_MESSAGES_A_FLUSH = 5
_TEXTS = (
    "Did you hear back from the landlord about the flat in Oak Street?",
    "Yes, the viewing is on Thursday at ten, and Clara comes along.",
    "Then I shall bring the papers for the bank, the loan was agreed yesterday.",
    "Good. The train to Leeds leaves at half past twelve, so we have two hours.",
    "I booked a table at the Copper Kettle for lunch, under my name.",
)


_OWNER = Owner(tenant_id="default", type="user", id="bench")


@dataclass(slots=True)
class Delays:
    """Seconds until messages were stored, and until flushes were answered."""

    stored: list[float] = field(default_factory=list)
    flushed: list[float] = field(default_factory=list)


def run_documents(
    folder: Path, settings: Settings, out: Path, alone_seconds: float = 60.0, console: Console | None = None
) -> Report:
    """Measure, print, and write ``out`` (JSON).

    Args:
        folder: of documents.
        settings: where Kafka and OpenSearch are.
        out: where the JSON goes.
        alone_seconds: how long the talk goes on with nothing beside it.
        console: where the table goes; None is standard output.

    Raises:
        InputError: the folder holds no file.
        StoreError: a server does not answer, or nothing goes on for minutes.
    """
    console = console or Console()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        raise InputError(f"{folder}: no file in it; name a folder of documents")
    roots = (*settings.documents.roots, str(folder.resolve()))
    settings = settings.model_copy(update={"documents": settings.documents.model_copy(update={"roots": roots})})
    with tempfile.TemporaryDirectory(prefix="mneme-documents-") as own:
        deployment = Deployment(settings, Path(own))
        create_topics(deployment.settings.kafka)
        with deployment, deployment.sampling() as memory, Publisher(deployment.settings.kafka) as publisher:
            deployment.start()
            talk = _Talk(deployment, publisher)
            _say(talk, 5.0, lambda: False)  # the first message waits for the models
            # 1.
            with console.status("a talk alone"):
                alone = _say(talk, alone_seconds, lambda: False)
            alone_mb = memory.peak_mb()
            # 2.
            begun, started = memory.seconds(), time.monotonic()
            waiting = _Waiting(deployment, _send(files, publisher, deployment.settings))
            with console.status(f"a talk beside {len(files)} documents"):
                beside = _say(talk, float("inf"), waiting.is_over)
            seconds = time.monotonic() - started
            refused = sum(1 for letter in read_dead_letters(deployment.settings.kafka) if letter.stage == "read")
    # 3.
    rows = [_row("alone", alone), _row("beside documents", beside)]
    later = {name: float(rows[1][name]) - float(rows[0][name]) for name in ("stored_p95", "flushed_p95")}
    headline = {
        "documents": len(files),
        "read": len(files) - refused,
        "refused": refused,
        "seconds": seconds,
        "stored_p95_later": later["stored_p95"],
        "flushed_p95_later": later["flushed_p95"],
        "peak_mb_alone": alone_mb,
        "peak_mb": memory.peak_mb(begun),
    }
    report = Report("documents", {"folder": folder.name, "processes": settings.documents.processes}, rows, headline)
    print_table(console, "A talk, alone and beside documents (seconds)", rows, list(rows[0]))
    report.write(out)
    console.print(report.line())
    return report


class _Talk:
    """A conversation that goes on, and how long each of its messages takes."""

    def __init__(self, deployment: Deployment, publisher: Publisher) -> None:
        self._deployment = deployment
        self._publisher = publisher
        self._count = 0
        self.delays = Delays()

    def say(self) -> None:
        """Say something, now and then show it, and wait until it is there."""
        self._count += 1
        conversation = "bench-talk"
        message = Message(
            conversation_id=conversation,
            user_id="bench",
            message_id=f"m{self._count}",
            sent_at=utc_now(),
            content=f"{_TEXTS[self._count % len(_TEXTS)]} ({self._count})",
        )
        identity = message_id("default", conversation, message.message_id)
        key = Key(Collection.MESSAGES, _OWNER.key, identity)
        started = time.monotonic()
        self._publisher.send(message)
        self._publisher.flush()
        self._wait_for(key)
        self.delays.stored.append(time.monotonic() - started)
        if self._count % _MESSAGES_A_FLUSH == 0:
            flush = Flush(conversation_id=conversation, flush_id=uuid.uuid4().hex)
            started = time.monotonic()
            self._publisher.send(flush)
            self._publisher.flush()
            self._wait_for(flush_marker("default", flush.flush_id, utc_now()).key)
            self.delays.flushed.append(time.monotonic() - started)

    def _wait_for(self, key: Key) -> None:
        self._deployment.flow.until(lambda: key in _found(self._deployment, [key]), timeout=300.0, poll=_POLL_SECONDS)


class _Waiting:
    """Documents that are not answered yet, by the markers behind them; a refused one is answered as well."""

    def __init__(self, deployment: Deployment, markers: Sequence[Key]) -> None:
        self._deployment = deployment
        self._left = list(markers)

    def is_over(self) -> bool:
        """Whether all are."""
        found = _found(self._deployment, self._left[:500])
        self._left = [key for key in self._left if key not in found]
        return not self._left


def _found(deployment: Deployment, keys: Sequence[Key]) -> set[Key]:
    try:
        return set(deployment.index.get(keys))
    except StoreError:  # the flow has not made the index yet
        return set()


def _say(talk: _Talk, seconds: float, is_over: Callable[[], bool]) -> Delays:
    talk.delays = Delays()
    ends = time.monotonic() + seconds
    while time.monotonic() < ends and not is_over():
        talk.say()
        time.sleep(_BETWEEN_SECONDS)
    return talk.delays


def _send(files: Sequence[Path], publisher: Publisher, settings: Settings) -> list[Key]:
    """Send all files, what is large by reference; the keys of the markers behind them."""
    markers = [flush_marker("default", event.flush_id, utc_now()).key for event in _sent(files, publisher, settings)]
    publisher.flush()
    return markers


def _sent(files: Sequence[Path], publisher: Publisher, settings: Settings) -> Iterator[Document]:
    for number, path in enumerate(files):
        flush_id, document_id = uuid.uuid4().hex, f"{number:03d}-{path.name}"
        if path.stat().st_size <= settings.documents.inline_bytes:
            carried = Carrier(settings.documents).carry(path.read_bytes(), _OWNER, document_id)
            event = Document(
                document_id=document_id,
                name=path.name,
                user_id="bench",
                flush_id=flush_id,
                content=carried.content,
                data=carried.data,
            )
        else:
            event = Document(
                document_id=document_id, name=path.name, user_id="bench", flush_id=flush_id, uri=path.resolve().as_uri()
            )
        publisher.send(event)
        yield event


def _row(method: str, delays: Delays) -> Row:
    row: dict[str, str | float | int] = {"method": method, "messages": len(delays.stored), "flushes": len(delays.flushed)}
    for name, values in (("stored", delays.stored), ("flushed", delays.flushed)):
        ordered = sorted(values) or [0.0]
        row[f"{name}_p50"] = statistics.median(ordered)
        row[f"{name}_p95"] = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        row[f"{name}_max"] = ordered[-1]
    return row
