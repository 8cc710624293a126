"""Logging in to a real broker."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from connectors import Publisher
from connectors.kafka.client import create_topics
from mneme.errors import StoreUnavailable
from mneme.settings import Kafka
from tests.connectors.kafka_help import message, read_topic
from tests.servers import KafkaServer
from tests.servers.certificates import Certificate, make_certificate
from tests.servers.isolated import isolated_kafka
from tests.servers.process import free_port

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Certificate, Certificate]:
    """That of the broker, and that of somebody else."""
    folder = tmp_path_factory.mktemp("certificates")
    return make_certificate(folder, "broker"), make_certificate(folder, "stranger")


@pytest.fixture(scope="module")
def secure_port() -> int:
    """Where the broker listens with TLS."""
    return free_port()


@pytest.fixture(scope="module")
def settings(certificates: tuple[Certificate, Certificate], secure_port: int) -> Iterator[Kafka]:
    """A broker that lets in nobody but ``mneme``."""
    port, inner, controller = free_port(), free_port(), free_port()
    clients = f"CLIENTS://127.0.0.1:{port},SECURE://127.0.0.1:{secure_port},PLAINTEXT://127.0.0.1:{inner}"
    properties = {
        "listeners": f"{clients},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": clients,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,SECURE:SASL_SSL,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "listener.name.clients.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.clients.plain.sasl.jaas.config": f'{LOGIN} user_mneme="hunter2";',
        "listener.name.secure.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secure.plain.sasl.jaas.config": f'{LOGIN} user_mneme="hunter2";',
        "listener.name.secure.ssl.keystore.type": "PEM",
        "listener.name.secure.ssl.keystore.location": certificates[0].both,
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
    monkeypatch.setattr("connectors.kafka.client._BOOTSTRAP_MS", 2_000)
    wrong = settings.model_copy(update={"sasl_password": SecretStr("hunter3")})
    with pytest.raises(StoreUnavailable, match=r"MNEME_KAFKA__SASL_\*") as raised:
        create_topics(wrong)
    assert "hunter3" not in str(raised.value)


@pytest.fixture
def secure(settings: Kafka, certificates: tuple[Certificate, Certificate], secure_port: int) -> Kafka:
    """The same broker with TLS, whose certificate is trusted."""
    changes = {
        "bootstrap_servers": f"127.0.0.1:{secure_port}",
        "security_protocol": "SASL_SSL",
        "ssl_cafile": str(certificates[0].certificate),
    }
    return isolated_kafka(f"127.0.0.1:{secure_port}").model_copy(
        update={**settings.model_dump(include={"sasl_mechanism", "sasl_username", "sasl_password"}), **changes}
    )


def test_events_go_in_and_out_through_tls(secure: Kafka):
    with Publisher(secure) as publisher:
        publisher.send(message(1))
    (event,) = read_topic(secure, secure.topics.messages, 1)
    assert b"m00001" in event.raw


def test_a_broker_with_the_certificate_of_another_is_not_trusted(secure: Kafka, certificates: tuple[Certificate, Certificate]):
    """In a process of its own: kafka-python leaves the sockets of failed handshakes open."""
    script = (
        "import connectors.kafka.client, mneme.settings; connectors.kafka.client._BOOTSTRAP_MS = 2_000; "
        "connectors.kafka.client.create_topics(mneme.settings.load_settings().kafka)"
    )
    login = {"SASL_MECHANISM": "PLAIN", "SASL_USERNAME": "mneme", "SASL_PASSWORD": "hunter2", "SECURITY_PROTOCOL": "SASL_SSL"}
    login |= {"BOOTSTRAP_SERVERS": secure.bootstrap_servers, "SSL_CAFILE": str(certificates[1].certificate)}
    environment = {**os.environ, **{f"MNEME_KAFKA__{name}": value for name, value in login.items()}}
    tried = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert "StoreUnavailable" in tried.stderr
    assert "MNEME_KAFKA__SSL_*" in tried.stderr
    assert "hunter2" not in tried.stderr


def test_the_password_is_in_no_log_however_much_is_logged(settings: Kafka, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG, logger="kafka")
    create_topics(settings)
    assert caplog.records
    assert "hunter2" not in f"{caplog.text} {settings!r} {settings}"
