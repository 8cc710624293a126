"""The flow from the inbox: a stop is clean, and what the flow was done with leaves the disk with it."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from connectors.inbox import InboxTransport, inbox_folder, unread
from connectors.indices import open_index
from flows.maintenance.transfer import export_owner, import_owner
from flows.runner import run
from mneme.events import Edit, Forget, Message
from mneme.records import Owner
from mneme.rows import Collection
from mneme.settings import Settings
from tests.flows.deployment import deployed_in
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

SECONDS = 120  # a start loads much, and the machine may be busy


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return deployed_in(tmp_path / "data")


def send(settings: Settings, *names: str) -> None:
    with closing(InboxTransport(settings.data)) as transport:
        for name in names:
            said = Message(conversation_id="talk", user_id="ann", message_id=name, content=f"I like tea of the kind {name}.")
            transport.send("messages", said.key, said.to_bytes())


def sent(settings: Settings, event: Edit | Forget) -> None:
    with closing(InboxTransport(settings.data)) as transport:
        transport.send("messages", event.key, event.to_bytes())


def stored(settings: Settings) -> dict[str, str]:
    """The messages that the index holds, with their texts."""
    with closing(open_index(settings, read_only=True)) as index:
        return {row.id.rpartition("/")[2]: row.body["text"] for row in index.scan(Collection.MESSAGES)}


@contextmanager
def running(settings: Settings) -> Iterator[None]:
    """The flow in a thread, told to stop at the end of the block; what it raises is raised."""
    ready, stopping, raised = threading.Event(), threading.Event(), list[BaseException]()

    def go() -> None:
        try:
            run(settings, stopping, ready.set, "inbox")
        except BaseException as error:  # noqa: BLE001  of a thread it would be lost
            raised.append(error)
            ready.set()

    thread = threading.Thread(target=go)
    thread.start()
    try:
        assert ready.wait(SECONDS), "it does not begin"
        yield
    finally:
        stopping.set()
        thread.join(SECONDS)
    if raised:
        raise raised[0]


def on_disk(settings: Settings) -> bytes:
    return b"".join(path.read_bytes() for path in inbox_folder(settings.data).iterdir())


def test_a_stop_takes_what_was_read_off_the_disk(settings: Settings) -> None:
    with running(settings):
        send(settings, "assam", "ceylon")
        wait_until(lambda: stored(settings).keys() == {"assam", "ceylon"})
        assert b"assam" in on_disk(settings), "the epoch has not ended"
    assert unread(settings.data, "messages") == 0
    assert b"assam" not in on_disk(settings)


def test_no_event_is_lost_by_a_stop(settings: Settings) -> None:
    names = [f"kind-{number}" for number in range(60)]
    for begin in range(0, 60, 20):
        with running(settings):
            send(settings, *names[begin : begin + 20])  # stopped while they are read
    with running(settings):
        wait_until(lambda: stored(settings).keys() == set(names))


def test_the_command_ends_in_order(settings: Settings, tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MNEME_")}
    given = {"MNEME_DATA": str(settings.data), "MNEME_EMBEDDER__PROVIDER": "hash", "MNEME_INDEX__BACKEND": "embedded"}
    log = tmp_path / "log.txt"
    with log.open("wb") as told:
        process = subprocess.Popen([sys.executable, "-m", "serving", "run"], env=kept | given, stderr=told)
    try:
        wait_until(lambda: process.poll() is not None or bool(re.search("Reading the inbox", log.read_text())))
        send(settings, "assam")
        wait_until(lambda: stored(settings).keys() == {"assam"})
        process.terminate()
        assert process.wait(SECONDS) == 0, log.read_text()
    finally:
        process.kill()
    assert "Stopped; the next run goes on from here" in log.read_text()
    assert unread(settings.data, "messages") == 0


def test_events_of_an_older_inbox_reach_what_was_imported_from_a_newer_one(settings: Settings, tmp_path: Path) -> None:
    """Places of two inboxes are not compared: those of the older one are lower."""
    other = settings.model_copy(update={"data": tmp_path / "other"})
    sent(other, Forget(conversation_id="nothing"))
    with running(settings):
        send(settings, "assam", "ceylon", "darjeeling")
        sent(settings, Edit(conversation_id="talk", message_id="assam", content="I like Assam best."))
        wait_until(lambda: stored(settings).get("assam") == "I like Assam best.")
    ann = Owner(tenant_id="default", type="user", id="ann")
    export_owner(ann, tmp_path / "ann.jsonl", settings)
    import_owner(tmp_path / "ann.jsonl", other)
    with running(other):
        sent(other, Edit(conversation_id="talk", message_id="assam", content="I like coffee."))
        wait_until(lambda: stored(other)["assam"] == "I like coffee.")
        sent(other, Forget(conversation_id="talk"))
        wait_until(lambda: not stored(other))
