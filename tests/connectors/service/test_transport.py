"""Events to a service by HTTP: the contract of transports, requests of a bearable size, and uploads."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connectors.publisher import Publisher
from connectors.service import HttpTransport, ServiceClient
from mneme.errors import InputError, StoreUnavailable
from mneme.events import Message, parse_event
from mneme.problems import INPUT, STORE_UNAVAILABLE
from mneme.settings import Settings
from mneme.times import utc_now
from tests.connectors.service.listening import Listening, problem
from tests.contracts.transport import Arrived, TransportContract


@pytest.fixture
def service() -> Iterator[Listening]:
    with Listening() as listening:
        yield listening


@pytest.fixture
def transport(service: Listening) -> Iterator[HttpTransport]:
    client = ServiceClient(service.url, patience_seconds=2.0, sleep=lambda seconds: None)
    yield HttpTransport(client)
    client.close()


def bodies(service: Listening) -> list[dict[str, Any]]:
    return [json.loads(asked.body) for asked in service.asked if asked.path == "/api/v1/events"]


class TestTransport(TransportContract):
    @pytest.fixture
    def arrived(self, service: Listening) -> Arrived:
        def events(lane: str) -> list[bytes]:
            wanted = [body for body in bodies(service) if body["backfill"] is (lane == "backfill")]
            return [
                parse_event(json.dumps(event).encode(), utc_now()).to_bytes() for body in wanted for event in body["events"]
            ]

        return events


def message(number: int, size: int = 10) -> Message:
    return Message(conversation_id="standup", user_id="ann", message_id=f"m{number}", content="x" * size)


def test_a_request_has_at_most_two_hundred_events_and_a_megabyte(service: Listening, transport: HttpTransport):
    publisher = Publisher(transport=transport, documents=Settings(_env_file=None).documents)
    publisher.send_many(message(number) for number in range(450))
    publisher.send_many(message(number, 150_000) for number in range(10))
    publisher.flush()
    assert [len(body["events"]) for body in bodies(service)][:2] == [200, 200]
    assert max(len(asked.body) for asked in service.asked) < 1_100_000
    assert sum(len(body["events"]) for body in bodies(service)) == 460


def test_what_the_service_refuses_is_raised_and_not_sent_again(service: Listening, transport: HttpTransport):
    service.answers.append(problem(INPUT, "events.0.content: Field required"))
    transport.send("messages", "key", message(1).to_bytes())
    with pytest.raises(InputError, match=r"events\.0\.content.*none of which was taken in"):
        transport.flush()
    transport.flush()
    assert len(bodies(service)) == 1


def test_what_may_pass_is_sent_again_until_it_is_taken_in(service: Listening, transport: HttpTransport):
    service.answers += [problem(STORE_UNAVAILABLE, "the broker is away")] * 2
    transport.send("messages", "key", message(1).to_bytes())
    transport.flush()
    assert len(bodies(service)) == 3


def test_a_service_that_is_gone_is_told_at_the_flush(service: Listening):
    transport = HttpTransport(ServiceClient(service.url, patience_seconds=0.0))
    service.close()
    transport.send("messages", "key", message(1).to_bytes())
    with pytest.raises(StoreUnavailable, match="mneme serve"):
        transport.flush()
    transport.close()


def connect(service: Listening) -> Publisher:
    return Publisher.connect(Settings(_env_file=None), url=service.url, api_key="secret-key")


def test_who_names_no_tenant_means_that_of_the_key(service: Listening):
    with connect(service) as publisher:
        publisher.send(message(1))
        publisher.send(message(2).model_copy(update={"tenant_id": "acme"}))
    [body] = bodies(service)
    assert [event.get("tenant_id") for event in body["events"]] == [None, "acme"]
    assert service.asked[0].headers["Authorization"] == "Bearer secret-key"


def test_a_document_too_large_for_an_event_is_uploaded(service: Listening):
    with connect(service) as publisher:
        small = publisher.send_document(b"little", name="note.txt", user_id="ann")
        large = publisher.send_document(b"much " * 400_000, name="book.txt", user_id="ann", metadata={"shelf": 3})
    before, upload = service.asked
    assert (before.path, upload.path) == ("/api/v1/events", "/api/v1/documents"), "in the order in which they were sent"
    assert small.content == "little"
    assert large.document_id == "ann/book.txt"
    for part in (b"much much", b'filename="book.txt"', b"ann/book.txt", b'{"shelf": 3}', b'name="user_id"'):
        assert part in upload.body
    assert b'name="tenant_id"' not in upload.body


def test_an_upload_tells_when_its_file_was_changed(service: Listening, tmp_path: Path):
    file = tmp_path / "book.txt"
    file.write_text("much " * 400_000)
    os.utime(file, (1_700_000_000, 1_700_000_000))
    with connect(service) as publisher:
        publisher.send_document(file, user_id="ann")
    [upload] = service.asked
    assert b"2023-11-14T22:13:20Z" in upload.body
