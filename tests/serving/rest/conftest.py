"""A small memory behind the routes, made once: a conversation of user_123 and a document, by the hash embedder."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pytest
from fastapi.testclient import TestClient

import flows
from connectors import Publisher
from mneme.settings import Settings, load_settings
from serving.mcp.mount import mount
from serving.rest.app import create_app
from serving.service.service import Service

HERE = "http://localhost:8765"
WHOSE = {"user_id": "user_123"}
STANDUP = (
    ("m1", "Maya", "Good morning, how is the scanner app?"),
    ("m2", "Jason", "We agreed the Q2 deadline is unrealistic given current headcount."),
    ("m3", "Maya", "Then the release moves to 8 August 2025."),
    ("m4", "Jason", "My birthday is on 4 May, by the way."),
)
EVENTS = (
    *(
        {
            "event": "message",
            "conversation_id": "standup",
            "message_id": name,
            "sender_name": sender,
            "content": text,
            "sent_at": f"2025-03-03T09:0{place}:00+00:00",
            **WHOSE,
        }
        for place, (name, sender, text) in enumerate(STANDUP)
    ),
    {
        "event": "document",
        "document_id": "lease.txt",
        "name": "lease.txt",
        "content": "Lease of the flat in Hamburg.\n\nThe rent is 900 euro a month.",
        "dated_at": "2025-01-02T00:00:00+00:00",
        **WHOSE,
    },
)


class ServiceWithoutFlow(Service):
    """Keeps what is sent in the inbox, which no flow reads."""

    @cached_property
    def publisher(self) -> Publisher:
        service = self.settings.service.model_copy(update={"intake": "inbox"})
        return self._opened("publisher", lambda: Publisher.connect(self.settings.model_copy(update={"service": service})))


@pytest.fixture(scope="session")
def memory_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of an index with something in it."""
    folder = tmp_path_factory.mktemp("rest")
    file = folder / "events.jsonl"
    file.write_text("\n".join(json.dumps(event) for event in EVENTS))
    settings = load_settings(
        data=folder / "data",
        embedder={"provider": "hash"},
        service={"intake": "none", "requests_per_minute": 0},
    ).replace(service={"wait_seconds": 0.2})
    flows.ingest([file], settings)
    return settings


def with_service(settings: Settings, **changes: Any) -> Settings:
    """The settings with others of the group ``service``."""
    return settings.replace(service=changes)


@contextmanager
def client_of(settings: Settings, base_url: str = HERE, *, with_mcp: bool = False) -> Iterator[TestClient]:
    """A client of an app with a service of these settings."""
    with ServiceWithoutFlow(settings) as service:
        app = create_app(service)
        if with_mcp:
            mount(app, service)
        with TestClient(app, base_url=base_url) as client:
            yield client


@pytest.fixture(scope="session")
def client(memory_settings: Settings) -> Iterator[TestClient]:
    """A client without a key, of a service without keys."""
    with client_of(memory_settings) as client:
        yield client
