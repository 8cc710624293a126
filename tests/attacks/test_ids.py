"""Nobody chooses a name that leads to the memory of another: names of owners, conversations and messages made to collide."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import flows
from connectors.indices import open_index
from mneme import ids
from mneme.errors import MnemeError
from mneme.settings import Settings, load_settings
from queries import Memories

pytestmark = pytest.mark.slow

VICTIM = "mira-the-very-long-name-of-an-account-" + "x" * 107
SECRET = "The alarm code of the garage is 7741."


def lookalikes(name: str) -> list[str]:
    """Names that somebody tries who knows a name and reads the source code."""
    encoded, lasting = ids.make_id(name), ids.lasting_name(ids.make_id(name))
    return [
        f"{name[:16]}~{ids.short_hash(name)}",
        f"{name[:16]}~{ids.long_hash(name)}",
        f"{name[:16]}%7E{ids.short_hash(name)}",
        f"{name[:16]}%7E{ids.long_hash(name)}",
        encoded,
        lasting,
        name[:120],
        name + " ",
        name.upper(),
        f"{name}/",
        f"{name}/e",
        f"user/{encoded}",
    ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The secret of a victim with a long name in a conversation with a long name, and a memory of each who wants to read it."""
    folder = tmp_path_factory.mktemp("ids")
    settings = load_settings(data=folder / "data", embedder={"provider": "hash"})
    said = [(VICTIM, "talk-" + VICTIM, "m-" + VICTIM, SECRET)]
    for number, name in enumerate(lookalikes(VICTIM)):
        said.append((name, f"own {number}", "m", "I keep bees in the garden."))
    file = folder / "events.jsonl"
    lines = [
        {
            "conversation_id": talk,
            "user_id": user,
            "message_id": message,
            "content": text,
            "sent_at": "2026-03-01T09:00:00+00:00",
        }
        for user, talk, message, text in said
    ]
    file.write_text("\n".join(json.dumps({"event": "message", **line}) for line in lines))
    flows.ingest([file], settings)
    return settings


def readings(memories: Memories, user: str) -> str:
    """Everything that a user can read in every way, as one text."""
    mine = {"user_id": user}
    question = "What is the alarm code of the garage?"
    found = [memories.search(question, method=method, filters=mine) for method in ("keyword", "hybrid")]
    pages = [
        memories.conversations(filters=mine),
        memories.browse(filters=mine),
        memories.portrait(filters=mine),
        memories.graph(filters=mine),
    ]
    return " ".join(repr(each) for each in (*found, *pages))


def test_the_victim_reads_the_secret(filled: Settings) -> None:
    with Memories.connect(filled) as memories:
        assert "7741" in readings(memories, VICTIM)


def test_no_name_made_from_that_of_another_reads_anything_of_it(
    filled: Settings, tried: Callable[[Sequence[str]], Sequence[str]]
) -> None:
    with Memories.connect(filled) as memories:
        for name in tried(lookalikes(VICTIM)):
            shown = readings(memories, name)
            assert "7741" not in shown, name
            assert "bees" in shown, f"{name} has a memory of its own"


def test_no_conversation_named_after_that_of_another_gets_into_it(
    filled: Settings, tmp_path: Path, tried: Callable[[Sequence[str]], Sequence[str]]
) -> None:
    """A message under such a name begins a conversation of its own; an edit, a delete and an erasure reach nothing."""
    talk, message = "talk-" + VICTIM, "m-" + VICTIM
    events = [
        {"event": kind, "conversation_id": name, "message_id": message, **more}
        for name in tried(lookalikes(talk))
        for kind, more in (
            ("edit", {"content": "There is no code."}),
            ("delete", {}),
            ("message", {"user_id": "mallory", "content": "hello", "sent_at": "2026-03-02T09:00:00+00:00"}),
        )
    ]
    events += [{"event": "delete", "conversation_id": talk, "message_id": name} for name in lookalikes(message)]
    erasures = [{"event": "forget", "conversation_id": name} for name in lookalikes(talk)[:4]]  # each is waited for
    for name, lines in (("events", events), ("erasures", erasures)):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        flows.ingest([file], filled)
    with Memories.connect(filled) as memories:
        assert "7741" in readings(memories, VICTIM)
        assert "hello" not in readings(memories, VICTIM)
        assert "7741" not in readings(memories, "mallory")


def test_no_id_of_a_memory_is_read_by_another_owner(filled: Settings, tried: Callable[[Sequence[str]], Sequence[str]]) -> None:
    index = open_index(filled, read_only=True)
    from mneme.rows import Collection

    secret = [row.id for each in Collection for row in index.scan(each) if row.owner_id == VICTIM]
    index.close()
    assert len(secret) >= 3
    with Memories.connect(filled) as memories:
        for identity in tried(secret):
            for name in lookalikes(VICTIM):
                with suppress(MnemeError):  # it may say that there is no such memory
                    assert memories.get(identity, filters={"user_id": name}) is None
