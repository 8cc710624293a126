"""A topic that is deleted and made anew begins at offset 0 again: nothing in it is taken for what the old one had there."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from connectors.indices import open_index
from connectors.kafka.client import create_topics
from connectors.publisher import Publisher
from flows.maintenance.rebuild_topics import rebuild_from_topics
from mneme.errors import StoreError, StoreRejected
from mneme.events import Edit, Message
from mneme.ports import Filter
from mneme.receipts import erasure_receipt, flush_marker
from mneme.records import Owner, StoredMessage
from mneme.rows import Collection, Key
from mneme.settings import EmbedderSettings, Kafka, OpenSearch, Settings
from mneme.times import utc_now
from tests.connectors.kafka_help import make_anew
from tests.end_to_end.flow_process import FlowThread, settings_for

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

ANN, EVE = (Owner(tenant_id="default", type="user", id=name) for name in ("ann", "eve"))


@pytest.fixture
def settings(tmp_path: Path, kafka_settings: Kafka) -> Settings:
    kafka = kafka_settings.model_copy(update={"partitions": 1})  # the offsets of all conversations compare
    create_topics(kafka)
    settings = settings_for(tmp_path, kafka, OpenSearch(), embedder=EmbedderSettings(provider="hash"))
    return settings.replace(index={"backend": "embedded"}, boundaries={"hold_back_seconds": 0.0})


def say(publisher: Publisher, owner: Owner, conversation: str, *texts: str) -> None:
    for text in texts:
        message_id = f"{conversation}: {text}"
        publisher.send(Message(conversation_id=conversation, user_id=owner.id, message_id=message_id, content=text))


def flush(publisher: Publisher, conversation: str) -> Key:
    return flush_marker("default", publisher.flush_conversation("default", conversation), utc_now()).key


def erase(publisher: Publisher, owner: Owner) -> Key:
    return erasure_receipt("default", publisher.erase_owner(owner), utc_now(), {}).key


def is_there(settings: Settings, key: Key) -> Callable[[], bool]:
    def found() -> bool:
        try:
            with closing(open_index(settings, read_only=True)) as index:
                return bool(index.get([key]))
        except StoreError:  # the flow has not made the index yet
            return False

    return found


def texts_of(settings: Settings, owner: Owner) -> set[str]:
    """The texts of an owner's messages in the index."""
    with closing(open_index(settings, read_only=True)) as index:
        found = [row.record() for row in index.scan(Collection.MESSAGES, Filter("default", (owner.key,), hidden=True))]
    return {record.text for record in found if isinstance(record, StoredMessage)}


def test_what_comes_after_a_topic_was_made_anew_is_neither_dropped_nor_spared(settings: Settings) -> None:
    """An erasure of the old topic drops no new event, one of the new topic removes old rows, and a new edit is no old one."""
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:
        say(publisher, ANN, "cats", "My cat is called Mia.")
        say(publisher, EVE, "plans", "I live in Oslo.", "I work as a nurse.")
        publisher.send(Edit(conversation_id="plans", message_id="plans: I live in Oslo.", content="I live in Bergen."))
        flow.until(is_there(settings, flush(publisher, "plans")))
        flow.until(is_there(settings, erase(publisher, ANN)))
    assert texts_of(settings, ANN) == set()

    make_anew(settings.kafka, settings.kafka.topics.messages)
    with Publisher(settings.kafka) as publisher:
        say(publisher, ANN, "dogs", "My dog is called Rex.")
        publisher.send(Edit(conversation_id="plans", message_id="plans: I live in Oslo.", content="I live in Rome."))
        say(publisher, EVE, "trips", "I flew to Rome.", "I flew to Bari.", "I flew to Nice.", "I flew to Cork.")
        marker = flush(publisher, "dogs")
    refusal = rf"{settings.kafka.topics.messages}/0/.*made anew.*MNEME_FLOW__ADOPT_INDEX"
    with pytest.raises(StoreError, match=refusal), FlowThread(settings) as flow:
        flow.until(is_there(settings, marker), timeout=30)

    with Publisher(settings.kafka) as publisher, FlowThread(settings.replace(flow={"adopt_index": True})) as flow:
        flow.until(is_there(settings, marker))
        assert texts_of(settings, ANN) == {"My dog is called Rex."}
        assert texts_of(settings, EVE) >= {"I live in Rome.", "I work as a nurse."}
    with pytest.raises(StoreRejected, match="2 of 7 messages are not in the topics any more"):
        rebuild_from_topics(settings)
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:  # from here on as ever
        flow.until(is_there(settings, erase(publisher, EVE)))
    assert texts_of(settings, EVE) == set()
    assert texts_of(settings, ANN) == {"My dog is called Rex."}
