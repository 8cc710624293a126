"""A tenant that sends more than the flow reads waits itself: the messages of another do not wait behind them."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi.testclient import TestClient

from mneme.errors import StoreUnavailable
from mneme.events import AnyEvent, Message
from mneme.ports import Lag
from mneme.settings import Settings
from serving.mcp.memory import AgentMemory, OwnerScope
from serving.mcp.writing import Writing
from serving.service.intake import MOST_UNREAD, BacklogQuota, RecentConversations
from tests.serving.rest.conftest import ServiceWithoutFlow, client_of, with_service


def events(tenant: str, count: int) -> list[AnyEvent]:
    return [Message(tenant_id=tenant, conversation_id="talk", user_id="ann", content="hello") for _ in range(count)]


def test_a_tenant_with_too_many_unread_events_is_told_to_wait_and_others_are_not() -> None:
    intake = BacklogQuota(has_several=True, most=100)
    intake.take(events("acme", 10))
    intake.take(events("evil", 100))
    with pytest.raises(StoreUnavailable, match="100 events of this tenant are not read yet"):
        intake.take(events("evil", 1))
    intake.take(events("acme", 10))
    intake.measured(60)  # the last ten of acme, and of evil no more than the rest
    with pytest.raises(StoreUnavailable):
        intake.take(events("evil", 1))  # a batch is read whole
    intake.measured(10)
    intake.take(events("evil", 100))


@dataclass
class Queue:
    """What the flow has not read."""

    unread: int = 0


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Queue:
    queue = Queue()
    monkeypatch.setattr(ServiceWithoutFlow, "_current_lag", lambda self: Lag({"messages": queue.unread}))
    monkeypatch.setattr("serving.service.service._LAG_SECONDS", 0.0)
    return queue


@pytest.fixture
def client(memory_settings: Settings, queue: Queue) -> Iterator[TestClient]:
    with client_of(with_service(memory_settings, keys={"a" * 32: "acme", "e" * 32: "evil"})) as client:
        yield client


def test_over_rest_the_one_gets_503_with_a_time_and_the_other_is_taken_in(client: TestClient, queue: Queue) -> None:
    def sent(key: str, count: int = 1000) -> int:
        batch = [{"conversation_id": "talk", "user_id": "ann", "content": "hello"} for _ in range(count)]
        told = client.post("/api/v1/memories", json={"messages": batch}, headers={"Authorization": f"Bearer {key * 32}"})
        if told.status_code < 300:
            queue.unread += count
        else:
            assert "Retry-After" in told.headers
            assert "not read yet" in told.json()["detail"]
        return told.status_code

    answers = [sent("e") for _ in range(MOST_UNREAD // 1000 + 3)]
    assert answers[-3:] == [503] * 3
    assert set(answers[:-3]) == {202}
    assert sent("a", 1) == 202
    queue.unread = 0
    assert sent("e") == 202


def test_over_mcp_nobody_gets_in_behind_it(memory_settings: Settings, queue: Queue) -> None:
    with ServiceWithoutFlow(with_service(memory_settings, keys={"a" * 32: "acme", "e" * 32: "evil"})) as service:
        service.accept(events("evil", MOST_UNREAD))
        queue.unread = MOST_UNREAD
        memory = AgentMemory(service)
        memory.speaking.set(OwnerScope("evil", user_id="eve"))
        with pytest.raises(StoreUnavailable, match="not read yet"):
            Writing(memory).remember("Eve sails on Sundays.")
        memory.speaking.set(OwnerScope("acme", user_id="ann"))
        assert "remembered" in Writing(memory).remember("Ann keeps bees.")


def test_no_number_of_conversations_of_one_tenant_hides_what_another_has_just_sent() -> None:
    lately = RecentConversations()
    sent = Message(tenant_id="acme", conversation_id="standup", user_id="mira", content="Good morning.")
    lately.note([sent])
    for begin in range(0, 25_000, 1000):
        lately.note(
            Message(tenant_id="evil", conversation_id=f"c{begin + place}", user_id="eve", content="x") for place in range(1000)
        )
    assert lately.of("acme", sent.owner.key) == ["standup"]
