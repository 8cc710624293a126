"""The examples of publishing send what they say: one conversation, from several languages, the same events."""

import json
import os
import shutil
import subprocess
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import jsonschema
import pytest

from connectors.kafka.client import create_topics
from mneme.events import Flush, Message, parse_event
from mneme.settings import Kafka
from tests.connectors.kafka_help import read_topic
from tests.docs.event_schema import event_schema
from tests.servers.kafka_server import prepare

FOLDER = Path(__file__).parents[2] / "examples" / "publish"
VALIDATOR = jsonschema.Draft202012Validator(event_schema())
KAFKAJS = next(
    (root for name in os.environ.get("NODE_PATH", "").split(":") if name and (root := Path(name) / "kafkajs").is_dir()), None
)


def told(events: list[Message | Flush]) -> list[tuple[str, ...]]:
    """What is the same in all languages."""
    return [
        (one.key, one.message_id, one.sender_name, one.role, one.sent_at.astimezone(UTC).isoformat(), one.text)
        if isinstance(one, Message)
        else (one.key, one.flush_id)
        for one in events
    ]


STANDUP = [
    (
        "default/standup",
        "standup-1",
        "Mira",
        "user",
        "2025-03-10T08:02:00+00:00",
        "The release moves to Friday, because the pallet API is late.",
    ),
    (
        "default/standup",
        "standup-2",
        "assistant",
        "assistant",
        "2025-03-10T08:02:30+00:00",
        "Noted: the release is on Friday, 14 March 2025.",
    ),
    ("default/standup", "standup-flush"),
]


def taken(raw: str | bytes) -> Message | Flush:
    """An event as the flow takes it in, once it fits the schema."""
    VALIDATOR.validate(json.loads(raw))
    event = parse_event(raw.encode() if isinstance(raw, str) else raw, datetime.now(UTC))
    assert isinstance(event, Message | Flush)
    return event


def arrived(settings: Kafka) -> list[Message | Flush]:
    """What lies on the topic of messages, in order; all of it in one partition, since it has one key."""
    records = read_topic(settings, settings.topics.messages, len(STANDUP))
    assert len({record.position.partition for record in records}) == 1
    return [taken(record.raw) for record in records]


@pytest.mark.kafka
def test_java(kafka_settings: Kafka) -> None:
    create_topics(kafka_settings)
    command = ["java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", f"{prepare()}/*", str(FOLDER / "Publish.java")]
    subprocess.run([*command, kafka_settings.bootstrap_servers, kafka_settings.topics.messages], check=True, timeout=120)
    assert told(arrived(kafka_settings)) == STANDUP


@pytest.mark.kafka
@pytest.mark.skipif(not (shutil.which("node") and KAFKAJS), reason="node and kafkajs (NODE_PATH=.../node_modules) are not here")
def test_kafkajs(kafka_settings: Kafka, tmp_path: Path) -> None:
    assert KAFKAJS is not None
    create_topics(kafka_settings)
    (tmp_path / "node_modules").symlink_to(KAFKAJS.parent)  # modules are looked for beside the script, not on a path
    script = shutil.copy(FOLDER / "publish.mjs", tmp_path)
    command = ["node", script, kafka_settings.bootstrap_servers, kafka_settings.topics.messages]
    subprocess.run(command, check=True, timeout=120)
    assert told(arrived(kafka_settings)) == STANDUP


STUB = """
export const Partitioners = {};
export class Kafka {
  producer() {
    const send = ({ messages }) => messages.forEach((one) => console.log(JSON.stringify(one)));
    return { connect() {}, disconnect() {}, send };
  }
}
"""


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_what_kafkajs_is_given_fits_the_schema(tmp_path: Path) -> None:
    stub = tmp_path / "node_modules" / "kafkajs"
    stub.mkdir(parents=True)
    (stub / "package.json").write_text('{"name": "kafkajs", "type": "module", "exports": "./index.js"}')
    (stub / "index.js").write_text(STUB)
    script = shutil.copy(FOLDER / "publish.mjs", tmp_path)
    done = subprocess.run(["node", script], check=True, capture_output=True, text=True, timeout=120)
    sent = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert told([taken(one["value"]) for one in sent]) == STANDUP
    assert {one["key"] for one in sent} == {"default/standup"}


def test_the_shell_sends_keys_and_events_that_fit_the_schema(tmp_path: Path) -> None:
    producer = tmp_path / "kafka-console-producer.sh"
    producer.write_text('#!/bin/sh\nprintf "%s\\n" "$*" > "$(dirname "$0")/arguments"\ncat > "$(dirname "$0")/lines"\n')
    producer.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([str(FOLDER / "publish.sh"), "broker:9092", "talks"], env=environment, check=True, timeout=120)
    assert "--bootstrap-server broker:9092 --topic talks" in (tmp_path / "arguments").read_text()
    lines = [line.partition("|") for line in (tmp_path / "lines").read_text(encoding="utf-8").splitlines()]
    assert told([taken(value) for _, _, value in lines]) == STANDUP
    assert [key for key, _, _ in lines] == ["default/standup"] * 3


def test_the_shell_names_the_program_that_it_needs() -> None:
    command = ["/bin/bash", str(FOLDER / "publish.sh")]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "kafka-console-producer.sh is not on the PATH; add bin/ of Apache Kafka" in done.stderr


class Recording(BaseHTTPRequestHandler):
    """Keeps what it is sent."""

    requests: ClassVar[list[tuple[str, str | None, Any]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.path, self.headers["Authorization"], json.loads(body)))
        self.send_response(202)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing is printed."""


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not here")
@pytest.mark.parametrize("key", [None, "a-key-of-our-own-1"])
def test_what_goes_by_http_are_the_same_messages(key: str | None) -> None:
    Recording.requests.clear()
    environment = {**os.environ, **({"MNEME_API_KEY": key} if key else {})}
    with ThreadingHTTPServer(("127.0.0.1", 0), Recording) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        subprocess.run([str(FOLDER / "publish-by-http.sh"), url], env=environment, check=True, timeout=120, capture_output=True)
        server.shutdown()
    ((path, authorization, request),) = Recording.requests
    assert f"### POST {path}\n" in (FOLDER.parents[1] / "docs" / "rest.md").read_text(encoding="utf-8")
    assert authorization == (f"Bearer {key}" if key else None)
    assert told([taken(json.dumps(one)) for one in request["messages"]]) == STANDUP[:2]
    assert request["flush"] is True
