"""Start, stop and look at a Kafka and an OpenSearch by hand, on their usual ports and with data that stays.

python -m tests.servers start     prints the lines to export; does nothing to a server that already runs
python -m tests.servers stop      --wipe removes the data as well
python -m tests.servers status
python -m tests.servers prepare   only fetches what they need
python -m tests.servers models    a model endpoint (tests/servers/models.py) until it is interrupted; --latency, --port
python -m tests.servers flink     a Flink cluster (tests/servers/flink_cluster.py) until it is interrupted; --slots
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.servers import kafka_server, opensearch_server
from tests.servers.kafka_server import KafkaServer
from tests.servers.opensearch_server import OpenSearchServer
from tests.servers.process import Server, cache_directory


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it did what it says, for ``status`` when both servers are ready."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["start", "stop", "status", "prepare", "models", "flink"])
    parser.add_argument("--kafka-port", type=int, default=9092)
    parser.add_argument("--opensearch-port", type=int, default=9200)
    parser.add_argument("--data", type=Path, default=cache_directory() / "data", help="where their data lies")
    parser.add_argument("--only", choices=["kafka", "opensearch"], help="leave the other one alone")
    parser.add_argument("--wipe", action="store_true", help="stop: remove the data as well")
    parser.add_argument("--heap", default="1g", help="start: OpenSearch's memory; a million facts need 4g")
    parser.add_argument("--latency", type=float, default=0.0, help="models: seconds before each answer")
    parser.add_argument("--port", type=int, default=0, help="models: where it listens; 0 for any that is free")
    parser.add_argument("--slots", type=int, default=2, help="flink: of each of two TaskManagers")
    options = parser.parse_args(arguments)
    if options.command == "models":
        return _serve_models(options.latency, options.port)
    if options.command == "flink":
        return _run_flink(options.slots)
    if options.command == "prepare":
        kafka_server.prepare()
        opensearch_server.prepare()
        return 0
    kafka = KafkaServer(options.kafka_port, options.data / "kafka", detached=True)
    opensearch = OpenSearchServer(options.opensearch_port, options.data / "opensearch", heap=options.heap, detached=True)
    servers = [server for server in (kafka, opensearch) if options.only in (None, server.name)]
    if options.command == "stop":
        for server in servers:
            _stop(server)
            if options.wipe:
                server.wipe()
        return 0
    for server in servers:
        if options.command == "start" and not server.ready():
            server.start()
            _pid_file(server).write_text(str(server.pid))
        state = f"ready on port {server.port}" if server.ready() else f"not running on port {server.port}"
        print(f"# {server.name}: {state}")
    for server, line in (
        (kafka, f"export MNEME_KAFKA__BOOTSTRAP_SERVERS={kafka.bootstrap}"),
        (opensearch, f"export MNEME_OPENSEARCH__URL={opensearch.url}"),
    ):
        if server in servers and server.ready():
            print(line)
    return 0 if all(server.ready() for server in servers) else 1


def _serve_models(latency: float, port: int) -> int:
    from tests.servers.models import ModelServer  # a fixture as well: it needs pytest, which users do not have

    with ModelServer(latency=latency, port=port) as server:
        server.keeps_requests = False
        print("export MNEME_MODELS__PROVIDER=openai")
        print(f"export MNEME_MODELS__BASE_URL={server.url}", flush=True)
        _wait_for_interrupt()
        print(f"# {server.received} requests, {server.most_in_flight} in flight at most")
    return 0


def _run_flink(slots: int) -> int:
    from tests.servers.flink_cluster import FlinkServers, flink_python  # it needs yaml, which users do not have

    if (python := flink_python()) is None:
        print("flink: set MNEME_TEST_FLINK to what requirements/flink.sh prints", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="mneme-flink-") as folder, FlinkServers(python, Path(folder), slots=slots) as flink:
        print(f"--jobmanager {flink.address} --flink-python {python}", flush=True)
        _wait_for_interrupt()
    return 0


def _wait_for_interrupt() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background jobs begin with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        signal.pause()


def _pid_file(server: Server) -> Path:
    return server.data / "pid"


def _stop(server: Server) -> None:
    if not _pid_file(server).exists():
        return
    pid = int(_pid_file(server).read_text())
    if _runs(pid, server):
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 30.0
        while _runs(pid, server) and time.monotonic() < deadline:
            time.sleep(0.1)
        if _runs(pid, server):
            os.kill(pid, signal.SIGKILL)
    _pid_file(server).unlink()


def _runs(pid: int, server: Server) -> bool:
    """Whether the process is still this server: a process id may have been given to another since."""
    try:
        return str(server.data) in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
