"""Dry run over files: cut and extract them as the flow does, and write nothing.

Only the answers of a chat model are kept, in the answer cache: to take the files in afterwards pays for none of them again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path

from connectors.documents.reader import open_reader
from connectors.documents.references import DocumentReferences
from connectors.files.files import read_file
from connectors.files.folders import Found, find_files
from connectors.models import open_chat_model, open_embedder
from flows.boundaries import SemanticDetector, open_detector
from flows.conversations.conversation import Conversation
from flows.cuts import BoundaryDetector, Cut, Extraction, Utterance, cut_of_chunk, embedding_text, lane_of_message
from flows.decode import decode
from flows.extraction import open_extractor
from flows.items import Arrived, Unread
from flows.reading.documents import about_event, content_of
from flows.reading.editions import edition_of
from mneme.errors import InputError
from mneme.events import Document
from mneme.ports import DeadLetter, Embedder
from mneme.records import StoredMessage
from mneme.settings import Boundaries, Settings
from mneme.times import utc_now


def dry_run(
    paths: Sequence[Path], settings: Settings, defaults: Mapping[str, str] | None = None
) -> Iterator[tuple[Cut, Extraction]]:
    """The episodes of files with everything extracted from them, conversation by conversation, in order.

    Every conversation is cut as if it ended with the files; what is stored of it already takes no part. Episodes are
    extracted at most ``models.calls_in_flight`` at a time, and only a little ahead of what is taken from the iterator.

    Args:
        paths: files in the formats of connectors/files/files.py, and folders of them.
        settings: detector, extractor, embedder and models; neither an index nor a broker is touched.
        defaults: ``user_id``, ``group_id``, ``tenant_id`` for files that do not say whose they are.

    Raises:
        InputError: a file is missing or in no known format, or an event is wrong; unlike in the flow, nothing is skipped.
        ModelError: the model gave no usable answer; unlike in the flow, nothing else serves instead.
        SettingsError: the models are not set right.
    """
    with ExitStack() as stack:
        embedder = open_embedder(settings)
        stack.callback(embedder.close)
        chat = open_chat_model(settings)
        if chat is not None:
            stack.callback(chat.close)
        detector, extractor = open_detector(settings, chat), open_extractor(settings, chat)
        at_a_time = settings.models.calls_in_flight if chat is not None else 1
        pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="dry-run")
        stack.callback(partial(pool.shutdown, wait=True, cancel_futures=True))
        ahead: deque[tuple[Cut, Future[Extraction]]] = deque()
        reader = open_reader(settings)
        stack.callback(reader.close)
        owner = dict(defaults or {})
        files = find_files(paths, owner).files
        references = DocumentReferences(settings.documents, [found.path for found in files])

        def read(unread: Unread) -> Sequence[StoredMessage]:
            """The messages of a document. A message with attachments is taken as it stands."""
            event = unread.event
            if not isinstance(event, Document):
                return ()
            about = about_event(event, unread.position, unread.received_at)
            scope = f"{about.owner.key}/{about.document_id}"
            parsed = reader.read(content_of(event, references), event.name, event.media_type, scope)
            return edition_of(about, parsed, "", settings.documents).messages

        for messages in _conversations(files, owner, read):
            for cut in _cuts(messages, embedder, detector, settings.boundaries):
                ahead.append((cut, pool.submit(extractor.extract, cut)))
                if len(ahead) > at_a_time:
                    yield _extracted(ahead)
        while ahead:
            yield _extracted(ahead)


def _extracted(ahead: "deque[tuple[Cut, Future[Extraction]]]") -> tuple[Cut, Extraction]:
    cut, extraction = ahead.popleft()
    return cut, extraction.result()


def _conversations(
    files: Sequence[Found], defaults: dict[str, str], read: Callable[[Unread], Sequence[StoredMessage]]
) -> Iterator[list[StoredMessage]]:
    """The messages of each conversation or document, each once, in the order in which they first appear."""
    found: dict[str, dict[str, StoredMessage]] = {}
    for file in files:
        for number, incoming in enumerate(read_file(file.path, 0, name=file.name, **defaults), 1):
            for item in decode(incoming, buckets=1):
                if isinstance(item, DeadLetter):
                    raise InputError(f"{file.path}, event {number}: {item.reason}")
                arrived = [item.message] if isinstance(item, Arrived) else read(item) if isinstance(item, Unread) else ()
                for message in arrived:
                    found.setdefault(lane_of_message(message), {}).setdefault(message.id, message)
    for messages in found.values():
        yield list(messages.values())


def _cuts(
    messages: Sequence[StoredMessage], embedder: Embedder, detector: BoundaryDetector, settings: Boundaries
) -> Iterator[Cut]:
    vectors = embedder.embed([embedding_text(message) for message in messages])
    utterances = [Utterance(message, vector) for message, vector in zip(messages, vectors, strict=True)]
    if messages[0].document_id is not None:
        return map(cut_of_chunk, utterances)
    return cuts_of(utterances, detector, settings)


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
