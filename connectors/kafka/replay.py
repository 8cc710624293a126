"""Dead letters as events once more: what goes back on the stream so that it becomes what it would have been."""

import json
from collections.abc import Sequence
from uuid import uuid4

from connectors.dead_letters import OF_EVENTS
from mneme.errors import InputError
from mneme.events import Flush, parse_event
from mneme.ports import DeadLetter
from mneme.settings import Kafka
from mneme.times import time_of_record, utc_now

_TIMES = {
    "message": "sent_at",
    "correct": "sent_at",
    "document": "dated_at",
}  # of an event, which the transport's own stands in for
_REMEDIES = {
    "extract": "no event, but an episode that was made without the model, or not at all; `mneme admin rebuild` makes it again",
    "reconcile": "no event, but an episode that did not join what is known; `mneme admin rebuild` makes it again",
    "write": "it is a record that the index refused, no event; `mneme admin rebuild` makes it again",
}


def event_to_replay(letter: DeadLetter) -> tuple[str, bytes]:
    """The key and the bytes with which the event of a letter is sent again.

    A conversation in quarantine is asked for again by a flush. Else they are the event's own bytes, except that a message
    without ``sent_at`` (a document without ``dated_at``) gets the time at which Kafka first had it: otherwise it would get
    another time now, and with it, if it has no ``message_id``, another identity at each replay.

    Raises:
        InputError: it is no event, or would be refused as before; the message says why.
    """
    if letter.stage == "segment":
        return _released(letter)
    if letter.stage not in OF_EVENTS:
        raise InputError(f"stage {letter.stage}: {_REMEDIES.get(letter.stage, 'it is no event of this stream')}")
    if letter.position is None:
        raise InputError("position: it is not known where the event came from; publish it by hand")
    if letter.position.is_in_a_file:
        return parse_event(letter.raw, None).key, letter.raw
    raw = _with_its_time(letter)
    return parse_event(raw, utc_now()).key, raw


def replay(settings: Kafka, letters: Sequence[DeadLetter]) -> None:
    """Put the events of letters on the topics they came from, in order; durable on return.

    Raises:
        InputError: a letter holds no event that can be replayed, or is of a topic that is not read.
        StoreUnavailable, StoreRejected: some may not have been written; to do it again is safe.
    """
    from connectors.kafka.producer import Record, ReliableProducer  # event_to_replay also serves where there is no Kafka

    topics = (settings.topics.messages, settings.topics.backfill, settings.topics.documents)
    records = []
    for letter in letters:
        key, raw = event_to_replay(letter)
        topic = letter.position.topic if letter.position is not None else settings.topics.messages
        if topic not in topics:
            raise InputError(f"topic: it came from {topic}, which is none of MNEME_KAFKA__TOPICS__*")
        records.append(Record(topic, key, raw))
    producer = ReliableProducer(settings)
    try:
        for record in records:
            producer.send(record)
    finally:
        producer.close()


def _released(letter: DeadLetter) -> tuple[str, bytes]:
    """A conversation in quarantine is asked for again by a flush (flows/conversations/dormant.py)."""
    match json.loads(letter.raw):
        case {"owner": [str(tenant_id), *_], "conversation": str(conversation_id)}:
            flush = Flush(tenant_id=tenant_id, conversation_id=conversation_id, flush_id=f"replay-{uuid4().hex}")
            return flush.key, flush.to_bytes()
    raise InputError("segment: its bytes name no conversation; send a flush of it (`mneme flush`)")


def _with_its_time(letter: DeadLetter) -> bytes:
    try:
        content = json.loads(letter.raw)
    except (ValueError, RecursionError):
        return letter.raw  # what is wrong with it is said when it is parsed
    if not isinstance(content, dict):
        return letter.raw
    time = _TIMES.get(str(content.get("event", "message")))
    if time is None or time in content:
        return letter.raw
    had = time_of_record(letter.at, letter.position.offset) if time == "sent_at" and letter.position else letter.at
    return json.dumps({**content, time: had.isoformat()}, ensure_ascii=False).encode(errors="surrogatepass")
