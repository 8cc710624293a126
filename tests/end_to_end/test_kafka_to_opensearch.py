"""The main job on real servers: Kafka to OpenSearch, with a kill in the middle, and the same ids as from files."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.kafka.sinks import read_dead_letters
from connectors.publisher import Publisher
from flows import run
from mneme.errors import StoreError, StoreRejected
from mneme.events import Delete, Document, Edit, Message
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection
from mneme.settings import EmbedderSettings, Settings
from queries import Memories
from tests.end_to_end.flow_process import FlowProcess, FlowThread, ingested, said, stored

pytestmark = [pytest.mark.kafka, pytest.mark.opensearch, pytest.mark.slow]

EXAMPLES = Path(__file__).parents[2] / "examples"
CONVERSATIONS = [EXAMPLES / name for name in ("friends.jsonl", "team.jsonl", "agent.jsonl", "chinese.jsonl")]
HANDBOOK = EXAMPLES / "handbook.md"


def messages() -> list[Message]:
    return said(*(path.name for path in CONVERSATIONS))


def flushed(index: MemoryIndex, flush_ids: list[str]) -> Callable[[], bool]:
    keys = [flush_marker("default", flush_id, datetime.now(UTC)).key for flush_id in flush_ids]
    return lambda: _markers(index, keys) == len(keys)


def _markers(index: MemoryIndex, keys: list[object]) -> int:
    try:
        return len(index.get(keys))  # type: ignore[arg-type]
    except StoreError:  # the flow has not made the index yet
        return 0


def flush_all(publisher: Publisher) -> list[str]:
    conversations = {(message.tenant_id, message.conversation_id) for message in messages()}
    ids = [publisher.flush_conversation(tenant, conversation) for tenant, conversation in sorted(conversations)]
    publisher.flush()
    return ids


def everything(index: MemoryIndex) -> Counter[str]:
    index.refresh()
    wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
    return Counter(f"{collection}:{row.id}" for collection in wanted for row in index.scan(collection))


def test_a_flow_that_is_killed_in_the_middle_leaves_every_record_exactly_once(
    settings: Settings, index: MemoryIndex, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"embedder": EmbedderSettings()})  # that of an operator who sets none
    published = messages()
    with Publisher(settings.kafka) as publisher, FlowProcess(settings) as flow:
        publisher.send_many(published[: len(published) // 2])
        read = "handbook"
        publisher.send(Document(document_id=HANDBOOK.name, name=HANDBOOK.name, content=HANDBOOK.read_text(), flush_id=read))
        publisher.flush()
        flow.until(lambda: stored(index) > len(published) // 4)
        flow.kill()  # with messages, vectors and episodes under way
        publisher.send_many(published[len(published) // 2 :])
        publisher.flush()
        flow.start()
        ids = flush_all(publisher)
        flow.until(flushed(index, [*ids, read]))
        assert flow.terminate() == 0, flow.log()

    found = everything(index)
    assert max(found.values()) == 1, "an id lies in the index more than once"

    # the same events from files, undisturbed, give the same ids
    with ingested([*CONVERSATIONS, HANDBOOK], settings, tmp_path / "files") as embedded:
        assert set(found) == set(everything(embedded))

    by_message = Counter(
        (row.conversation_id, identity)
        for row in index.scan(Collection.EPISODES)
        if row.conversation_id
        for identity in row.message_ids
    )
    assert set(by_message) == {(message.conversation_id, message.message_id) for message in published}
    assert set(by_message.values()) == {1}, "a message lies in two episodes"

    with Memories.connect(settings) as memories:
        answer = memories.search("When is Jason's birthday?", filters={"user_id": "mira"}, top_k=5)
        assert answer.facts


def test_edits_deletes_and_late_messages_leave_what_the_corrected_conversation_gives(
    settings: Settings, index: MemoryIndex, tmp_path: Path
) -> None:
    sent = [message for message in messages() if message.conversation_id == messages()[0].conversation_id]
    late, edited, deleted = sent.pop(5), sent[10], sent[20]
    tenant, conversation = edited.tenant_id, edited.conversation_id
    words = "Rosalind moved to Reykjavik in March."
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:
        publisher.send_many(sent)
        first = publisher.flush_conversation(tenant, conversation)
        publisher.flush()
        flow.until(flushed(index, [first]))
        about = {"tenant_id": tenant, "conversation_id": conversation}
        publisher.send(Edit(**about, message_id=edited.message_id, content=words))
        publisher.send(Delete(**about, message_id=deleted.message_id))
        publisher.send(late)
        second = publisher.flush_conversation(tenant, conversation)
        publisher.flush()
        flow.until(flushed(index, [second]))
    assert list(read_dead_letters(settings.kafka)) == []

    corrected = sorted((m for m in (*sent, late) if m is not deleted), key=lambda message: message.sent_at)
    lines = [m.model_copy(update={"content": words} if m is edited else {}).to_bytes() for m in corrected]
    clean = tmp_path / "clean.jsonl"
    clean.write_bytes(b"\n".join(lines))
    with ingested([clean], settings, tmp_path / "files") as embedded:
        assert told(index) == told(embedded)
        assert any("Reykjavik" in text for text in told(index).values())


def told(index: MemoryIndex) -> dict[str, str]:
    """What every record that can be found says."""
    index.refresh()
    wanted = [collection for collection in Collection if collection is not Collection.CONTROL]
    rows = [row for collection in wanted for row in index.scan(collection) if row.kind != "deleted"]
    saying = ("text", "episode", "atomic_fact", "statement", "summary", "name", "source", "relation", "target", "task_intent")
    return {row.id: " | ".join(str(row.body[field]) for field in saying if field in row.body) for row in rows}


def test_a_message_is_found_while_its_episode_is_still_open_and_a_second_runner_is_refused(
    settings: Settings, index: MemoryIndex
) -> None:
    [first, *_] = messages()
    with Publisher(settings.kafka) as publisher, FlowThread(settings) as flow:
        publisher.send(first)
        publisher.flush()
        flow.until(lambda: stored(index) == 1)
        index.refresh()
        with Memories.connect(settings) as memories:
            answer = memories.search(first.text, filters={"user_id": first.user_id}, top_k=5)
        assert [message.message_id for message in answer.raw_messages] == [first.message_id]
        assert not answer.episodes
        with pytest.raises(StoreRejected, match="another Mneme runs"):
            run(settings)
