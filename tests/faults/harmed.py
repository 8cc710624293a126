"""Servers that scenarios may harm, and the settings under which a flow is cheap enough to harm it often."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from evaluation.faults.deployment import Servers
from flows import ingest
from mneme.events import Message
from mneme.settings import EmbedderSettings, Settings
from tests.servers import KafkaServer, OpenSearchServer
from tests.servers.flink_cluster import FlinkServers

OPTIMISING = ("-XX:TieredStopAtLevel=4",)  # the last such option counts


@contextmanager
def own_servers(lasting: bool = False) -> Iterator[tuple[KafkaServer, OpenSearchServer, Servers]]:
    """A broker and a node of nobody else.

    Lasting ones get the optimising compiler: without it merges of vectors took most of both processors within half an hour.
    """
    options = OPTIMISING if lasting else ()
    with KafkaServer(java_options=options) as kafka, OpenSearchServer(java_options=options) as opensearch:
        yield kafka, opensearch, Servers(broker=kafka, index=opensearch)


def fault_settings(bootstrap: str, url: str, lasting: bool = False) -> Settings:
    """Where the servers are; vectors from hashed tokens, and no hold-back: what is sent is in order.

    Little is read ahead, so that harm done when so many messages are stored finds the flow as far with all of its steps. What
    lasts reads as far ahead as by default: it has to keep pace with its producer.
    """
    base = Settings(_env_file=None)
    ahead = {} if lasting else {"pending_limit": 200, "source_batch": 50}
    return base.model_copy(
        update={
            "kafka": base.kafka.model_copy(update={"bootstrap_servers": bootstrap, "partitions": 4}),
            "opensearch": base.opensearch.model_copy(update={"url": url}),
            "embedder": EmbedderSettings(provider="hash"),
            "boundaries": base.boundaries.model_copy(update={"hold_back_seconds": 0.0}),
            "flow": base.flow.model_copy(update={**ahead, "recovery_partitions": 4}),
        }
    )


def in_order(messages: Sequence[Message], settings: Settings, folder: Path) -> Settings:
    """Those of an embedded index in a new folder, which has taken in the messages as they come here, and nothing went wrong."""
    folder.mkdir(parents=True)
    file = folder / "messages.jsonl"
    file.write_bytes(b"\n".join(message.to_bytes() for message in messages))
    own = settings.replace(data=folder, index={"backend": "embedded"})
    ingest([file], own)
    return own


@contextmanager
def own_cluster(servers: Servers, python: Path, folder: Path) -> Iterator[tuple[Servers, str]]:
    """A Flink cluster of nobody else beside them, and its address."""
    with FlinkServers(python, folder) as cluster:
        [killed, _] = cluster.taskmanagers
        yield replace(servers, jobmanager=cluster.jobmanager, taskmanager=killed), cluster.address
