"""Logging in to a real broker."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from connectors import Publisher
from connectors.kafka import create_topics
from mneme.errors import StoreUnavailable
from mneme.settings import Kafka
from tests.connectors.kafka_help import message, read_topic
from tests.servers import KafkaServer
from tests.servers.isolated import isolated_kafka
from tests.servers.process import free_port

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@pytest.fixture(scope="module")
def settings() -> Iterator[Kafka]:
    """A broker that lets in nobody but ``mneme``."""
    port, inner, controller = free_port(), free_port(), free_port()
    clients = f"CLIENTS://127.0.0.1:{port},PLAINTEXT://127.0.0.1:{inner}"
    properties = {
        "listeners": f"{clients},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": clients,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "listener.name.clients.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.clients.plain.sasl.jaas.config": f'{LOGIN} user_mneme="hunter2";',
    }
    with KafkaServer(port=port, properties=properties) as server:
        login = {
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": "PLAIN",
            "sasl_username": "mneme",
            "sasl_password": SecretStr("hunter2"),
        }
        yield isolated_kafka(server.bootstrap).model_copy(update=login)


def test_events_go_in_and_out_with_a_login(settings: Kafka):
    with Publisher(settings) as publisher:
        publisher.send(message(1))
    (event,) = read_topic(settings, settings.topics.messages, 1)
    assert b"m00001" in event.raw


def test_a_wrong_password_names_the_settings_and_not_the_password(settings: Kafka, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.kafka._BOOTSTRAP_MS", 2_000)
    wrong = settings.model_copy(update={"sasl_password": SecretStr("hunter3")})
    with pytest.raises(StoreUnavailable, match=r"MNEME_KAFKA__SASL_\*") as raised:
        create_topics(wrong)
    assert "hunter3" not in str(raised.value)
