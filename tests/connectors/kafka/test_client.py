"""Connecting to Kafka, and its topics."""

import logging
import time

import pytest
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import (
    BrokerNotAvailableError,
    KafkaConnectionError,
    SaslAuthenticationFailedError,
    TopicAuthorizationFailedError,
    UnsupportedCodecError,
)
from pydantic import SecretStr

from connectors.kafka.client import (
    connection_arguments,
    create_topics,
    kafka_errors,
    partitions_of,
    store_error,
    unread,
)
from connectors.kafka.reader import PartitionReader
from connectors.publisher import Publisher
from mneme.errors import SettingsError, StoreRejected, StoreUnavailable
from mneme.events import Message
from mneme.settings import Kafka
from tests.connectors.kafka_help import delete_records
from tests.servers.process import free_port


def test_several_brokers_may_be_named():
    assert connection_arguments(Kafka(bootstrap_servers="a:1, b:2"))["bootstrap_servers"] == ["a:1", "b:2"]


def test_credentials_are_passed_on_and_show_in_no_log(caplog: pytest.LogCaptureFixture):
    settings = Kafka(
        bootstrap_servers=f"127.0.0.1:{free_port()}",
        security_protocol="SASL_SSL",
        sasl_mechanism="SCRAM-SHA-512",
        sasl_username="mneme",
        sasl_password=SecretStr("hunter2"),
    )
    arguments = connection_arguments(settings)
    assert arguments["sasl_plain_username"] == "mneme"
    assert arguments["sasl_plain_password"] == "hunter2"
    with caplog.at_level(logging.DEBUG, logger="kafka"), pytest.raises(StoreUnavailable):  # noqa: SIM117
        with kafka_errors(settings, "trying"):
            KafkaAdminClient(**{**arguments, "bootstrap_timeout_ms": 100})
    assert "sasl_plain_password" in caplog.text, "the client logs its arguments, which is what this test is about"
    assert "hunter2" not in caplog.text


def test_without_encryption_or_login_nothing_of_them_is_passed_on():
    arguments = connection_arguments(Kafka(ssl_cafile="/nowhere/ca.pem", sasl_password=SecretStr("hunter2")))
    assert not any(name.startswith(("ssl_", "sasl_")) for name in arguments)


@pytest.mark.parametrize("missing", ["sasl_mechanism", "sasl_username", "sasl_password"])
def test_a_login_that_is_not_complete_names_the_setting(missing: str):
    given = {"sasl_mechanism": "PLAIN", "sasl_username": "mneme", "sasl_password": SecretStr("hunter2"), missing: None}
    with pytest.raises(SettingsError, match=f"MNEME_KAFKA__{missing.upper()}"):
        connection_arguments(Kafka.model_validate({"security_protocol": "SASL_PLAINTEXT", **given}))


def test_a_certificate_that_is_not_there_names_the_setting():
    with pytest.raises(SettingsError, match=r"MNEME_KAFKA__SSL_CAFILE.*nowhere"):
        connection_arguments(Kafka(security_protocol="SSL", ssl_cafile="/nowhere/ca.pem"))


@pytest.mark.parametrize(
    ("error", "kind", "remedy"),
    [
        (KafkaConnectionError("refused"), StoreUnavailable, "MNEME_KAFKA__BOOTSTRAP_SERVERS"),
        (BrokerNotAvailableError(), StoreUnavailable, "MNEME_KAFKA__BOOTSTRAP_SERVERS"),
        (OSError("no route"), StoreUnavailable, "MNEME_KAFKA__BOOTSTRAP_SERVERS"),
        (SaslAuthenticationFailedError("no"), StoreRejected, "MNEME_KAFKA__SASL_"),
        (TopicAuthorizationFailedError({"t"}), StoreRejected, "grant"),
        (UnsupportedCodecError("zstd"), StoreRejected, "kafka-python"),
    ],
)
def test_errors_of_the_client_say_what_to_do(error: Exception, kind: type[Exception], remedy: str):
    mapped = store_error(Kafka(), "reading", error)
    assert type(mapped) is kind
    assert remedy in str(mapped)


def test_without_a_broker_the_address_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("connectors.kafka.client._BOOTSTRAP_MS", 300)
    port = free_port()
    with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{port}.*MNEME_KAFKA__BOOTSTRAP_SERVERS"):
        create_topics(Kafka(bootstrap_servers=f"127.0.0.1:{port}"))


@pytest.mark.kafka
class TestTopics:
    def test_missing_topics_are_created_once(self, kafka_settings: Kafka):
        assert sorted(create_topics(kafka_settings)) == sorted(kafka_settings.topics.model_dump().values())
        assert create_topics(kafka_settings) == []

    def test_they_have_the_partitions_of_the_settings(self, kafka_settings: Kafka):
        create_topics(kafka_settings.model_copy(update={"partitions": 3}))
        for topic in kafka_settings.topics.model_dump().values():
            assert partitions_of(kafka_settings, topic) == [0, 1, 2]

    def test_a_topic_that_is_there_stays_as_it_is(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        create_topics(kafka_settings.model_copy(update={"partitions": 5}))
        assert partitions_of(kafka_settings, kafka_settings.topics.messages) == [0, 1]

    def test_messages_carry_the_brokers_time(self, kafka_settings: Kafka):
        create_topics(kafka_settings)
        topic = kafka_settings.topics.messages
        with KafkaAdminClient(**connection_arguments(kafka_settings)) as admin:
            found = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)], config_filter="all")
        assert "LogAppendTime" in str(found)

    def test_more_replicas_than_brokers_name_the_setting(self, kafka_settings: Kafka):
        with pytest.raises(StoreRejected, match="MNEME_KAFKA__REPLICATION_FACTOR"):
            create_topics(kafka_settings.model_copy(update={"replication_factor": 3}))

    def test_a_topic_that_is_not_there_is_named(self, kafka_settings: Kafka):
        with pytest.raises(StoreRejected, match=rf"no topic {kafka_settings.topics.messages}.*MNEME_KAFKA__TOPICS__"):
            partitions_of(kafka_settings, kafka_settings.topics.messages)

    def test_a_name_that_no_topic_can_have_is_refused(self, kafka_settings: Kafka):
        topics = kafka_settings.topics.model_copy(update={"messages": "no topic!"})
        with pytest.raises(StoreRejected, match="MNEME_KAFKA__TOPICS__"):
            create_topics(kafka_settings.model_copy(update={"topics": topics}))


@pytest.mark.kafka
def test_what_a_group_has_not_committed_is_unread(kafka_settings: Kafka):
    topic = kafka_settings.topics.messages
    with Publisher(kafka_settings) as publisher:
        publisher.send_many(Message(conversation_id=f"c{number}", user_id="u", content="hello") for number in range(20))
    until = time.monotonic() + 120  # a broker's first group takes it a moment
    while (count := unread_if_told(kafka_settings, topic)) is None:
        assert time.monotonic() < until
    assert count == 20
    while unread(kafka_settings, topic) != {topic: 18}:  # a commit is given up when it is not answered soon
        assert time.monotonic() < until
        reader = PartitionReader(kafka_settings, topic, 0, None)
        reader.commit(2)
        reader.close()
    delete_records(kafka_settings, topic, before=5)
    assert unread(kafka_settings, topic) == {topic: 15}, "what retention deleted waits for nobody"


def unread_if_told(settings: Kafka, topic: str) -> int | None:
    try:
        return unread(settings, topic)[topic]
    except StoreUnavailable:
        return None
