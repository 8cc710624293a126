"""A single-node Apache Kafka broker (KRaft, PLAINTEXT), run from jars of Maven Central. Needs Java 17 and Maven."""

import base64
import hashlib
import os
import socket
import struct
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers.process import Server, cache_directory, exclusive, fetch_jars, free_port

_POM = Path(__file__).parent / "kafka" / "pom.xml"
_API_VERSIONS = struct.pack(">hhih", 18, 0, 1, 5) + b"probe"


def prepare() -> Path:
    """Fetch the jars unless they are there, and return their directory.

    The first broker dumps a class-data archive beside them when it ends, which halves the start of later ones.
    """
    home = cache_directory() / f"kafka-{hashlib.sha256(_POM.read_bytes()).hexdigest()[:12]}"
    with exclusive(home):
        ready = home / "READY"
        if not ready.exists():
            fetch_jars(_POM, home)
            trial = KafkaServer(java_options=[f"-XX:ArchiveClassesAtExit={home / 'classes.jsa'}"], jars=home)
            try:
                trial.start()
                trial.stop(grace=60)
            finally:
                trial.kill()
                trial.wipe()
            ready.touch()
    return home


class KafkaServer(Server):
    """A broker with one node. ``properties`` are added to its server.properties."""

    name = "kafka"

    def __init__(
        self,
        port: int = 0,
        data: Path | None = None,
        properties: Mapping[str, object] | None = None,
        heap: str = "384m",
        java_options: Sequence[str] = (),
        detached: bool = False,
        jars: Path | None = None,
    ) -> None:
        super().__init__(port, data, java_options, detached)
        self.heap = heap
        self.properties = dict(properties or {})
        self._controller_port = free_port()
        self._jars = jars

    @property
    def bootstrap(self) -> str:
        """Its address, as clients need it."""
        return f"127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """Write server.properties, format the log directory the first time, and return the broker's command."""
        jars = self._jars or prepare()
        configuration = self.data / "server.properties"
        configuration.write_text("".join(f"{name}={value}\n" for name, value in self._properties().items()))
        archive = jars / "classes.jsa"
        java = ["java", "-Xms64m", f"-Xmx{self.heap}", "-XX:+UseSerialGC", "-Djava.awt.headless=true"]
        java += ["-Dorg.slf4j.simpleLogger.showDateTime=true"]
        java += [f"-Dorg.slf4j.simpleLogger.defaultLogLevel={os.environ.get('KAFKA_LOG', 'warn')}"]
        java += [f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []
        java += ["-cp", ":".join(str(jar) for jar in sorted(jars.glob("*.jar")))]
        if not (self.data / "logs" / "meta.properties").exists():
            cluster = "m" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode()[1:22]  # must not begin with a dash
            format_command = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(configuration)]
            with self.log.open("ab") as log:
                subprocess.run(format_command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return [*java[:1], *self.compiler_options, *self.java_options, *java[1:], "kafka.Kafka", str(configuration)]

    def ready(self) -> bool:
        """Whether it answers an ApiVersions request (its port accepts connections before that)."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1.0) as connection:
                connection.settimeout(1.0)
                connection.sendall(struct.pack(">i", len(_API_VERSIONS)) + _API_VERSIONS)
                return len(connection.recv(10)) >= 8
        except OSError:
            return False

    def _properties(self) -> dict[str, object]:
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{self._controller_port}",
            "listeners": f"PLAINTEXT://{self.bootstrap},CONTROLLER://127.0.0.1:{self._controller_port}",
            "advertised.listeners": f"PLAINTEXT://{self.bootstrap}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": self.data / "logs",
            # one node: internal topics can only have one replica
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 4,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 4,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            "auto.create.topics.enable": "false",
            # a restart after kill -9 waits for the old session to end: 5 s with these, 12 s with the defaults
            "broker.session.timeout.ms": 3000,
            "broker.heartbeat.interval.ms": 500,
            # a small machine
            "num.network.threads": 2,
            "num.io.threads": 4,
            "background.threads": 2,
            "log.cleaner.dedupe.buffer.size": 4 << 20,
            "log.segment.bytes": 64 << 20,
            **self.properties,
        }
