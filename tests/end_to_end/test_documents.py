"""Documents on real servers: files of every format through Kafka into OpenSearch, hostile ones before them."""

import json
import uuid
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from flows import ingest
from mneme.events import Document, Message
from mneme.ports import DeadLetter, MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection, Key
from mneme.settings import EmbedderSettings, Kafka, OpenSearch, Settings
from queries import Memories, SearchResponse
from tests.end_to_end.flow_process import FlowProcess, settings_for
from tests.samples import FORMATS, Hostile, Sample, samples, short
from tests.samples.english import LEASE
from tests.samples.hostile import hostile
from tests.samples.known_text import tokens
from tests.samples.scans import PICTURES, picture_of, scanned, scanned_pdf

pytestmark = [pytest.mark.slow]

_MOST_MEGABYTES = 4_000  # of the flow with the processes that parse; two of them may hold 2 GB by the settings


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka, opensearch_settings: OpenSearch) -> Settings:
    create_topics(kafka_settings)
    # What is asked for is found by its words: the flow need not load a model for the vectors of a thousand sections.
    by_words = EmbedderSettings(provider="hash")
    base = settings_for(tmp_path / "kafka", kafka_settings, opensearch_settings, embedder=by_words)
    documents = base.documents.model_copy(update={"roots": (str(tmp_path / "files"),)})
    return base.model_copy(update={"documents": documents})


def readable() -> list[Sample]:
    """The first sample of each format, and a scan.

    A picture is a notice of two lines: tests/connectors/documents/test_formats.py reads whole pages.
    """
    notice = scanned(short.NOTICE)[0].crop((0, 0, 1654, 900))
    drawn = [Sample(f"notice.{each}", each, picture_of(notice, each), {"": short.NOTICE.text}, scan=True) for each in PICTURES]
    firsts = [next(each for each in samples(format) if not each.scan) for format in FORMATS if format not in PICTURES]
    return [*drawn, next(each for each in samples("pdf") if each.scan), *firsts]


def refused() -> list[Hostile]:
    """One file for each reason to refuse one."""
    return list({each.refusal: each for each in hostile() if each.refusal is not None}.values())


def event_of(number: int, name: str, content: bytes, folder: Path) -> Document:
    """The event of a file: what is large by reference."""
    path = folder / f"{number:03d}" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return Document(
        document_id=f"{number:03d}-{name}", name=name, user_id="nadia", flush_id=uuid.uuid4().hex, uri=path.as_uri()
    )


def longest_line(text: str) -> str:
    """What is asked for: the line with most words."""
    return max(text.splitlines(), key=lambda line: len(tokens(line)))


@pytest.mark.kafka
@pytest.mark.opensearch
def test_files_of_every_format_are_searchable_and_cited_or_dead_letters(
    settings: Settings, index: MemoryIndex, tmp_path: Path
) -> None:
    good, bad, folder = readable(), refused(), tmp_path / "files"
    events = [event_of(number, each.name, each.content, folder) for number, each in enumerate((*good, *bad))]
    talk = Message(conversation_id="talk", user_id="nadia", message_id="m1", content="Good morning", sent_at=datetime.now(UTC))
    peak = 0
    with Publisher(settings.kafka, documents=settings.documents) as publisher, FlowProcess(settings) as flow:
        publisher.send_many(events[::-1])  # the hostile ones first
        publisher.send(talk)
        publisher.flush()
        markers = [flush_marker("default", event.flush_id, datetime.now(UTC)).key for event in events]

        def missing() -> int:
            nonlocal peak
            peak = max(peak, flow.resident_bytes())
            return len(markers) - len(_found(index, markers))

        flow.until(lambda: missing() == 0, timeout=120.0, progress=missing)
        flushed = publisher.flush_conversation("default", "talk")
        talk_marker = flush_marker("default", flushed, datetime.now(UTC)).key
        flow.until(lambda: bool(_found(index, [talk_marker])))  # and the worker is alive
        assert flow.terminate() == 0, flow.log()

    letters = {letter.raw: letter for letter in read_dead_letters(settings.kafka)}
    by_document = {event.document_id: _letter_of(event, letters.values()) for event in events}
    assert len(letters) == len(bad) > 10
    for event, trap in zip(events[len(good) :], bad, strict=True):
        letter = by_document[event.document_id]
        assert letter is not None, trap.name
        for words in trap.refusal or ():
            assert any(word.lower() in letter.reason.lower() for word in words.split("|")), (trap.name, letter.reason)
    with Memories.connect(settings) as memories:
        wrong = [each for event, sample in zip(events, good, strict=False) if (each := _uncited(memories, event, sample))]
    assert wrong == []
    assert peak / 1e6 < _MOST_MEGABYTES


def _found(index: MemoryIndex, keys: list[Key]) -> set[Key]:
    from mneme.errors import StoreError

    try:
        return set(index.get(keys))
    except StoreError:  # the flow has not made the index yet
        return set()


def _letter_of(event: Document, letters: object) -> DeadLetter | None:
    assert not isinstance(letters, str)
    return next((each for each in letters if event.document_id.encode() in each.raw), None)  # type: ignore[attr-defined]


def _uncited(memories: Memories, event: Document, sample: Sample) -> str:
    """What is wrong with how a file is found by a line of each of its places; empty if nothing is."""
    if sample.spoken:
        return _unsaid(memories, event, sample)
    for place, text in sample.texts.items():
        line = longest_line(text)
        response = memories.search(line, method="keyword", filters={"user_id": "nadia", "document_id": event.document_id})
        cited = [(each.citation.name, each.citation.place) for each in response.episodes if each.citation is not None][:3]
        if not any(name == event.name and (place in found or not place) for name, found in cited):
            return f"{event.name}, {place}: {line[:60]!r} is cited as {cited}"
    return ""


def _unsaid(memories: Memories, event: Document, sample: Sample) -> str:
    line = max((text for _, text in sample.spoken), key=lambda said: len(tokens(said)))
    response = memories.search(line, method="keyword", filters={"user_id": "nadia"})
    names = {each.citation.name for each in response.episodes if each.citation is not None}
    return "" if event.name in names else f"{event.name}: {line[:60]!r} is cited as {names}"


# --- one query over chats and documents --------------------------------------------------------------------------------


def both(response: SearchResponse) -> tuple[list[str], list[str]]:
    """The facts of a response: those of conversations, and the places of those of documents."""
    talk = [fact.atomic_fact for fact in response.facts if fact.citation is None]
    pages = [f"{fact.citation.name}, {fact.citation.place}: {fact.atomic_fact}" for fact in response.facts if fact.citation]
    return talk, pages


def test_one_hybrid_query_finds_a_fact_of_a_chat_and_one_of_a_scanned_page(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data=tmp_path / "data")
    chat, scan = tmp_path / "chat.jsonl", tmp_path / "lease.pdf"
    scan.write_bytes(scanned_pdf(scanned(LEASE)))
    said = [
        {"message_id": "m1", "content": "What is the rent of Harbour House?", "sender_id": "omar"},
        {
            "message_id": "m2",
            "content": "Nadia told me that the rent of our garage is 95 pounds a month.",
            "sender_id": "nadia",
        },
    ]
    lines = [
        {"event": "message", "conversation_id": "talk", "user_id": "nadia", "sent_at": f"2026-05-04T10:0{at}:00Z", **fields}
        for at, fields in enumerate(said)
    ]
    chat.write_text("\n".join(map(json.dumps, lines)))
    ingest([chat, scan], settings, defaults={"user_id": "nadia"})
    with Memories.connect(settings) as memories:
        talk, pages = both(memories.search("How much is the rent a month?", filters={"user_id": "nadia"}))
    assert any("95 pounds" in fact for fact in talk), talk
    assert any("lease.pdf, page 1" in fact and "2,450" in fact for fact in pages), pages

    before = _ids(settings)
    report = ingest([chat, scan], settings, defaults={"user_id": "nadia"})
    assert report.dead_letters == 0
    assert _ids(settings) == before


def _ids(settings: Settings) -> set[tuple[str, str]]:
    with closing(open_index(settings, read_only=True)) as index:
        wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
        return {(collection.value, row.id) for collection in wanted for row in index.scan(collection)}
