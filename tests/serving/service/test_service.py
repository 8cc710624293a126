"""The service of the embedded mode, with its flow as a real child process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

import flows
from connectors.inbox import inbox_folder
from connectors.indices import open_index
from connectors.publisher import Publisher
from mneme.errors import InputError, StoreRejected
from mneme.events import Erase, Forget, Message
from mneme.records import Owner
from mneme.rows import Collection, Row
from mneme.settings import Settings
from serving.service.dead_letters import dead_letters_of
from serving.service.health import Health
from serving.service.service import Service
from tests.serving.embedded_service import over_http
from tests.waiting import wait_until

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
# Nothing takes so long, also on a machine that does other things: the flow gives way to all of them.
SECONDS = 300.0

pytestmark = pytest.mark.slow


def settings_in(data: Path, **service: object) -> Settings:
    base = Settings(_env_file=None)
    return base.model_copy(
        update={
            "data": data,
            "embedder": base.embedder.model_copy(update={"provider": "hash"}),
            "service": base.service.model_copy(update=service),
            "flow": base.flow.model_copy(update={"epoch_seconds": 0.2, "buckets": 8, "recovery_partitions": 2}),
        }
    )


def message(conversation: str, number: int, user: str = "ann") -> Message:
    return Message(
        conversation_id=conversation,
        user_id=user,
        message_id=f"m{number}",
        sent_at=START + timedelta(minutes=number),
        content=f"Thing number {number} of {conversation} happened in the garden of Bob.",
    )


def rows_of(settings: Settings, collection: Collection = Collection.MESSAGES) -> list[Row]:
    with closing(open_index(settings, read_only=True)) as index:
        return sorted(index.scan(collection), key=lambda row: (row.at, row.id))


def flow_of(service: Service) -> int:
    """The process id of the service's own flow, once it runs."""
    assert service._flow is not None
    wait_until(lambda: service._flow.process_id)
    identity = service._flow.process_id
    assert identity is not None
    return identity


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(settings_in(tmp_path_factory.mktemp("service"))) as service:
        yield service


def test_what_is_accepted_is_found_and_a_flush_waits_for_all_of_it(running: Service):
    running.accept([message("standup", number) for number in range(6)])
    flushed = running.flush("default", ["standup"], SECONDS)
    assert flushed.searchable
    assert len(flushed.flush_ids) == 1
    assert flushed.seconds > 0
    found = running.memories.search("what happened in the garden?", filters={"user_id": "ann"}, top_k=20)
    assert found.episodes
    assert not found.raw_messages, "all of it lies in the episode"
    assert running.wait_for_flush("default", flushed.flush_ids[0], 0)


def test_a_flush_without_time_to_wait_says_that_it_is_not_done(running: Service):
    assert not running.flush("default", ["standup"], 0).searchable
    assert not running.wait_for_flush("default", "nobody-sent-it", 0.05)


def test_all_that_is_open_of_an_owner_is_flushed(running: Service):
    running.accept([message(name, number, "owen") for number in range(3) for name in ("monday", "tuesday")])
    running.accept([message("elsewhere", 1, "pat")])
    flushed = running.flush_owner(Owner(tenant_id="default", type="user", id="owen"), SECONDS)
    assert flushed.searchable
    assert len(flushed.flush_ids) == 2
    held = {name for row in rows_of(running.settings, Collection.EPISODES) for name in (row.conversation_id,)}
    assert {"monday", "tuesday"} <= held
    assert "elsewhere" not in held


def test_what_others_sent_is_flushed_with_an_owner_too(running: Service):
    with Publisher.connect(running.settings) as publisher:
        publisher.send(message("from-outside", 1, "quinn"))
    wait_until(lambda: any(row.conversation_id == "from-outside" for row in rows_of(running.settings)))
    quinn = Owner(tenant_id="default", type="user", id="quinn")
    flushed = running.flush_owner(quinn, SECONDS)
    assert flushed.searchable
    assert len(flushed.flush_ids) == 1
    assert running.flush_owner(quinn, SECONDS).flush_ids == (), "nothing is open any more"


def test_a_conversation_is_not_shared_by_two_users(running: Service):
    secrets = {"anna": "I am pregnant, do not tell anybody.", "bob": "My bank PIN is 9911."}
    with over_http(running) as url, httpx.Client(base_url=f"{url}/api/v1", timeout=SECONDS, trust_env=False) as client:

        def told_of(user: str) -> str:
            return client.post("/memories/search", json={"query": "secret PIN pregnant", "filters": {"user_id": user}}).text

        def sent_by(user: str) -> httpx.Response:
            said = {"conversation_id": "chat", "user_id": user, "content": secrets[user]}
            return client.post("/memories", json={"flush": True, "wait": 30, "messages": [said]})

        first, second = sent_by("anna"), sent_by("bob")
        assert (first.status_code, second.status_code) == (200, 422)
        told = second.json()["detail"]
        assert told.startswith("messages.0.user_id: conversation chat belongs to another owner")
        assert "anna" not in told
        assert secrets["anna"] in told_of("anna")
        for user in secrets:
            assert "9911" not in told_of(user)
        [letter] = dead_letters_of(running).dead_letters()
        assert letter.reason == "user_id: conversation chat belongs to user anna; use a conversation_id of its own"


def test_an_erasure_is_waited_for_and_leaves_no_text_in_the_inbox(running: Service):
    running.accept([message("secret-talk", number, "rae") for number in range(3)])
    erasure = running.erase(Forget(conversation_id="secret-talk"), SECONDS)
    assert erasure.receipt is not None
    assert erasure.receipt["messages"] == 3
    assert running.erasure("default", erasure.erasure_id, 0) == erasure
    assert running.erasure("default", "nobody-asked", 0).receipt is None
    inbox = inbox_folder(running.settings.data)
    wait_until(lambda: not any(b"secret-talk happened" in path.read_bytes() for path in inbox.glob("*.sqlite*")))


def test_an_erasure_has_an_id_of_its_own_and_may_be_sent_again(running: Service):
    first = Erase(user_id="nobody-1", erasure_id="ticket")
    done = running.erase(first, SECONDS)
    assert done.receipt is not None
    for other in (Erase(user_id="nobody-2", erasure_id="ticket"), Forget(conversation_id="nobody-1", erasure_id="ticket")):
        with pytest.raises(InputError, match="'ticket' is that of another erasure"):
            running.accept([message("beside-it", 2), other])
    with pytest.raises(InputError, match="'new' is that of another erasure"):
        running.accept([first.model_copy(update={"erasure_id": "new"}), Erase(user_id="nobody-2", erasure_id="new")])
    assert running.erase(first, SECONDS) == done


def test_an_event_that_is_too_large_takes_none_with_it(running: Service):
    large = message("too-large", 1).model_copy(update={"content": "x" * 11_000_000})
    with pytest.raises(InputError, match="is the most"):
        running.accept([message("beside-it", 1), large])
    running.flush("default", ["beside-it"], SECONDS)
    assert not [row for row in rows_of(running.settings) if row.conversation_id == "beside-it"]


def test_health_is_green_while_the_flow_keeps_up(running: Service):
    wait_until(lambda: running.health().status == "green")
    lag = running.health().lag
    assert lag is not None
    assert lag.alive
    assert set(lag.unread) == {"messages", "documents", "backfill"}


def test_files_are_refused_beside_it_with_what_to_do(running: Service, tmp_path: Path):
    file = tmp_path / "chat.jsonl"
    file.write_bytes(message("from-a-file", 1).to_bytes())
    wait_until(lambda: running.lag().alive)
    flow_of(running)
    running.flush("default", ["standup"], SECONDS)
    with pytest.raises(StoreRejected, match="mneme publish FILE"):
        flows.ingest([file], running.settings)


def test_a_second_service_appends_and_leaves_the_flow_to_the_first(running: Service):
    running.flush("default", ["standup"], SECONDS)
    with Service(running.settings) as second:
        second.accept([message("by-the-second", number) for number in range(2)])
        assert second.flush("default", ["by-the-second"], SECONDS).searchable
        assert not second.runs_the_flow
        wait_until(lambda: second.health().status == "green")


def test_nothing_is_lost_or_doubled_when_the_flow_is_killed_again_and_again(tmp_path: Path):
    settings = settings_in(tmp_path / "data")
    with Service(settings) as service:
        service.flush("default", ["standup"], SECONDS)
        for part in range(2):
            service.accept([message("standup", number) for number in range(part * 20, part * 20 + 20)])
            os.kill(flow_of(service), signal.SIGKILL)
            service.accept([message("other", number) for number in range(part * 5, part * 5 + 5)])
        assert service.flush("default", ["standup", "other"], SECONDS).searchable
        assert flow_of(service)
    ids = [row.message_ids[0] for row in rows_of(settings) if row.conversation_id == "standup"]
    assert sorted(ids) == sorted(f"m{number}" for number in range(40))
    held = [
        each for row in rows_of(settings, Collection.EPISODES) if row.conversation_id == "standup" for each in row.message_ids
    ]
    assert sorted(held) == sorted(ids), "each message lies in one episode"
    assert len([row for row in rows_of(settings) if row.conversation_id == "other"]) == 10


ORPHANED = """
import os, signal, sys, time
from pathlib import Path
from tests.serving.service.test_service import Service, flow_of, settings_in
service = Service(settings_in(Path(sys.argv[1])))
service.flush("default", ["standup"], 300)
print(flow_of(service), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_flow_ends_with_a_service_that_is_killed_and_the_next_one_goes_on(tmp_path: Path):
    settings = settings_in(tmp_path / "data")
    killed = subprocess.run([sys.executable, "-c", ORPHANED, str(settings.data)], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    identity = int(killed.stdout)
    wait_until(lambda: not Path(f"/proc/{identity}/cmdline").exists() or not Path(f"/proc/{identity}/cmdline").read_bytes())
    with Service(settings) as service:
        service.accept([message("standup", 1)])
        assert service.flush("default", ["standup"], SECONDS).searchable


def tells_of_buckets(health: Health) -> bool:
    """Whether it says so; in one look, since the flow is started again and again."""
    return health.status == "red" and any("keyed into 8 buckets" in problem for problem in health.problems)


def test_what_cannot_run_is_told_with_its_reason(tmp_path: Path):
    settings = settings_in(tmp_path / "data")
    (tmp_path / "chat.jsonl").write_bytes(message("standup", 1).to_bytes())
    flows.ingest([tmp_path / "chat.jsonl"], settings)
    other = settings.model_copy(update={"flow": settings.flow.model_copy(update={"buckets": 9})})
    with Service(other) as service:
        wait_until(lambda: tells_of_buckets(service.health()))
        service.accept([message("kept", 1)])
        wait_until(lambda: service.lag().unread["messages"] == 1)


def test_a_folder_that_cannot_be_used_is_told_and_the_flow_begins_once_it_can(tmp_path: Path):
    settings = settings_in(tmp_path / "data")
    inbox = inbox_folder(settings.data)
    inbox.parent.mkdir()
    inbox.write_text("a file in its place")
    with Service(settings) as service:
        wait_until(lambda: any("not a directory" in problem for problem in service.health().problems))
        assert service.health().status == "red"
        inbox.unlink()
        service.accept([message("standup", 1)])
        assert service.flush("default", ["standup"], SECONDS).searchable
        wait_until(lambda: service.health().status == "green")


def test_files_and_the_inbox_may_take_turns_on_one_conversation(tmp_path: Path):
    settings = settings_in(tmp_path / "data")

    def from_files(part: int) -> None:
        file = tmp_path / f"chat-{part}.jsonl"
        file.write_bytes(b"\n".join(message("standup", number).to_bytes() for number in range(part * 10, part * 10 + 12)))
        flows.ingest([file], settings)

    def from_inbox(part: int) -> None:
        with Service(settings) as service:
            service.accept([message("standup", number) for number in range(part * 10, part * 10 + 12)])
            assert service.flush("default", ["standup"], SECONDS).searchable

    for part, take_turn in enumerate([from_files, from_inbox, from_files]):
        take_turn(part)
    ids = [row.message_ids[0] for row in rows_of(settings)]
    assert sorted(ids) == sorted(f"m{number}" for number in range(32)), "two of each part overlap with the next"
    held = [each for row in rows_of(settings, Collection.EPISODES) for each in row.message_ids]
    assert sorted(held) == sorted(ids), "each message lies in one episode"


def test_a_service_that_only_answers_takes_nothing_in(tmp_path: Path):
    with Service(settings_in(tmp_path / "data", intake="none")) as service:
        with pytest.raises(InputError, match="MNEME_SERVICE__INTAKE"):
            service.accept([message("standup", 1)])
        assert service.lag().total == 0
        wait_until(lambda: any("no index here yet" in problem for problem in service.health().problems))


def test_an_owner_is_erased_with_what_lies_unread(tmp_path: Path):
    settings = settings_in(tmp_path / "data")
    with Publisher.connect(settings) as publisher:
        publisher.send_many(message("early", number, "sam") for number in range(4))
    with Service(settings) as service:
        assert service.erase(Erase(user_id="sam"), SECONDS).receipt is not None
    assert rows_of(settings) == []
    left = b"".join(path.read_bytes() for path in inbox_folder(settings.data).rglob("*") if path.is_file())
    assert b"garden" not in left, "also when the service ends at once"
