"""The verifier passes what the flow makes, and sees each single thing that is wrong with it."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from connectors.files.files import read_file
from evaluation.faults.expected import Expected, expected_of
from evaluation.faults.texts import EXAMPLES, Volume, live_traffic, read_templates
from evaluation.faults.verifier import KINDS, Verification, judge, read_rows
from flows import ingest
from mneme.events import Correct, Delete, Document, Edit, Erase, Flush, Forget, Message, Retract
from mneme.ids import make_id
from mneme.ports import Incoming
from mneme.records import Claim, Position
from mneme.rows import Collection, Row
from mneme.settings import EmbedderSettings, Settings

ROOT = Path(__file__).parents[3]
HANDBOOK = EXAMPLES / "handbook.md"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


# --- a memory that is right -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Expected, list[Row]]:
    """What the flow makes of conversations of all kinds, and what the verifier expects of them."""
    folder = tmp_path_factory.mktemp("faults")
    file = folder / "talks.jsonl"
    traffic = live_traffic(read_templates(), Volume(240, 8), seed=5)
    talks = [event for event in traffic if isinstance(event, Message)]
    edited, deleted = talks[50], talks[100]
    about = {"tenant_id": "default"}
    changes = [
        Edit(**about, conversation_id=edited.conversation_id, message_id=edited.message_id, content="It rains in Bergen."),
        Delete(**about, conversation_id=deleted.conversation_id, message_id=deleted.message_id),
    ]
    handbook = Document(document_id="handbook", user_id=talks[0].user_id, name="handbook.md", content=HANDBOOK.read_text())
    file.write_bytes(b"\n".join(event.to_bytes() for event in (*talks, *changes, handbook)))
    base = Settings(_env_file=None)
    settings = base.model_copy(update={"data": folder, "embedder": EmbedderSettings(provider="hash")})
    ingest([file], settings)
    return expected_of(read_file(file)), read_rows(settings)


def found(remembered: tuple[Expected, list[Row]], rows: Sequence[Row], letters: Sequence[tuple[str, str]] = ()) -> Verification:
    return judge(remembered[0], rows, letters, remembered[1])


def test_what_the_flow_makes_is_sound(remembered: tuple[Expected, list[Row]]) -> None:
    verification = found(remembered, remembered[1])
    assert verification.examples == {}
    assert verification.sound
    assert verification.messages == 239
    assert verification.episodes > 8
    assert verification.facts > 20
    collections = {row.collection for row in remembered[1]}
    assert collections == set(Collection), "there is something of everything to be wrong with"


def test_an_owner_so_busy_that_mentions_are_left_out_is_sound_and_one_that_lost_a_mention_is_not(tmp_path: Path) -> None:
    file = tmp_path / "talks.jsonl"
    talks = [
        Message(
            conversation_id=f"c{number:03d}",
            user_id="u",
            message_id="m",
            sender_id="ana",
            sender_name="Ana",
            sent_at=NOW + timedelta(hours=number),
            content=f"Dr. Anton Reyes sent me letter number {number} from Vienna.",
        )
        for number in range(220)
    ]
    file.write_bytes(b"\n".join(event.to_bytes() for event in talks))
    base = Settings(_env_file=None)
    settings = base.model_copy(update={"data": tmp_path, "embedder": EmbedderSettings(provider="hash")})
    ingest([file], settings)
    expected, rows = expected_of(read_file(file)), read_rows(settings)
    full = [row for row in rows if row.collection is Collection.GRAPH and len(row.body["mentions"]) == 200]
    assert full
    assert {row.body["left_out_until"] for row in full} == {"2026-03-03T04:00:00Z"}, "the 20th message of 220"
    assert judge(expected, rows, (), None).examples == {}
    short = changed(rows, full[0], mentions=full[0].body["mentions"][1:])
    assert judge(expected, short, (), None).orphans == 1


def test_the_content_hash_is_of_the_content_and_not_of_its_history(remembered: tuple[Expected, list[Row]]) -> None:
    rows = remembered[1]
    later = [
        replace(row, version=row.version + 7, body={**row.body, "version": row.body.get("version", 0) + 7}) for row in rows
    ]
    assert found(remembered, later).content == found(remembered, rows).content
    other = changed(rows, first(rows, Collection.FACTS), topic_name="another")
    assert judge(remembered[0], other, ()).content != found(remembered, rows).content


# --- what can be wrong ------------------------------------------------------------------------------------------------


def first(rows: Sequence[Row], collection: Collection, kind: str | None = None, **fields: Any) -> Row:
    """A row of a kind, whose body has these fields, filled where the value is True."""
    return next(
        row
        for row in rows
        if row.collection is collection
        and (kind == "document" or row.document_id is None)
        and kind in (None, row.kind)
        and all(bool(row.body.get(name)) if value is True else row.body.get(name) == value for name, value in fields.items())
    )


def changed(rows: Sequence[Row], changed: Row, columns: dict[str, Any] | None = None, **body: Any) -> list[Row]:
    return [replace(row, **columns or {}, body={**row.body, **body}) if row is changed else row for row in rows]


def without(rows: Sequence[Row], gone: Row) -> list[Row]:
    return [row for row in rows if row is not gone]


def lose_a_message(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.MESSAGES, "message"))


def lose_an_episode(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.EPISODES))


def forget_a_message_of_an_episode(rows: list[Row]) -> list[Row]:
    episode = first(rows, Collection.EPISODES)
    return changed(rows, episode, message_ids=episode.body["message_ids"][:-1])


def tell_a_message_twice(rows: list[Row]) -> list[Row]:
    one, other = [row for row in rows if row.collection is Collection.EPISODES][:2]
    twice = one if one.conversation_id == other.conversation_id else other
    return changed(rows, twice, message_ids=[*twice.body["message_ids"], twice.body["message_ids"][0]])


def store_a_message_for_two_owners(rows: list[Row]) -> list[Row]:
    return [*rows, replace(first(rows, Collection.MESSAGES), owner_key="default/user/other")]


def invent_a_message(rows: list[Row]) -> list[Row]:
    return [*rows, replace(first(rows, Collection.MESSAGES), id="default/c000000/invented")]


def keep_a_deleted_text(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.MESSAGES, "deleted"), text="still here")


def keep_the_text_before_an_edit(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.MESSAGES, text="It rains in Bergen."), text="It snows in Bergen.")


def forget_a_vector(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.MESSAGES, "message"), _has_vector=False)


def give_a_message_to_another_owner(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.MESSAGES, "message"), {"owner_key": "default/user/other"})


def swap_two_messages(rows: list[Row]) -> list[Row]:
    episode = first(rows, Collection.EPISODES)
    one, two, *more = episode.body["message_ids"]
    return changed(rows, episode, message_ids=[two, one, *more])


def name_an_episode_otherwise(rows: list[Row]) -> list[Row]:
    episode = first(rows, Collection.EPISODES)
    return changed(rows, episode, {"id": f"{episode.id}0"}, fact_ids=[], foresight_ids=[], aggregate_ids=[])


def lose_a_fact(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.FACTS, "fact"))


def keep_a_fact_of_an_older_revision(rows: list[Row]) -> list[Row]:
    fact = first(rows, Collection.FACTS, "fact")
    return [*rows, replace(fact, id=f"{fact.body['parent_episode_id']}/f/99")]


def cite_a_message_of_another_episode(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.FACTS, "fact"), message_ids=["c000000-99999"])


def lose_a_foresight(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.MEMORIES, "foresight"))


def lose_an_entity(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.GRAPH, "entity"))


def forget_a_mention(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.GRAPH, "entity"), mentions=[])


def mention_an_episode_that_is_gone(rows: list[Row]) -> list[Row]:
    entity = first(rows, Collection.GRAPH, "entity")
    gone = {**entity.body["mentions"][0], "episode_id": "default/c000000/0-gone"}
    return changed(rows, entity, mentions=[*entity.body["mentions"], gone])


def lose_a_cluster(rows: list[Row]) -> list[Row]:
    claim = Claim(subject="Nobody", attribute="home", value="Atlantis").model_dump()
    return changed(rows, first(rows, Collection.FACTS, "fact"), claims=[claim])


def keep_a_member_of_a_cluster(rows: list[Row]) -> list[Row]:
    cluster = first(rows, Collection.CONTROL, "cluster")
    return changed(rows, cluster, member_ids=[*cluster.body["member_ids"], "default/c000000/gone/f/0"])


def leave_work_in_progress(rows: list[Row]) -> list[Row]:
    return [*rows, replace(first(rows, Collection.CONTROL, "conversation"), id="amendment/x", kind="amendment")]


def leave_something_unread(rows: list[Row]) -> list[Row]:
    return [*rows, replace(first(rows, Collection.CONTROL, "conversation"), id="unread/x", kind="unread")]


def leave_a_document_half_read(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.CONTROL, "document"), status="reading")


def chunk(rows: list[Row]) -> Row:
    return next(row for row in rows if row.collection is Collection.MESSAGES and row.document_id is not None)


def lose_a_chunk(rows: list[Row]) -> list[Row]:
    return without(rows, chunk(rows))


def lose_the_episode_of_a_chunk(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.id != f"{chunk(rows).id}/e"]


def keep_a_chunk_of_an_older_version(rows: list[Row]) -> list[Row]:
    document = first(rows, Collection.CONTROL, "document")
    return changed(rows, document, chunk_ids=document.body["chunk_ids"][1:])


def lose_a_conversation(rows: list[Row]) -> list[Row]:
    return without(rows, first(rows, Collection.CONTROL, "conversation"))


def decide_validity_otherwise(rows: list[Row]) -> list[Row]:
    return changed(rows, first(rows, Collection.FACTS, "fact"), validity={"valid_to": NOW.isoformat()})


Harm = Callable[[list[Row]], list[Row]]


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        (lose_a_message, "lost"),
        (lose_an_episode, "lost"),
        (forget_a_message_of_an_episode, "lost"),
        (lose_a_conversation, "lost"),
        (lose_a_chunk, "lost"),
        (lose_the_episode_of_a_chunk, "lost"),
        (tell_a_message_twice, "duplicated"),
        (store_a_message_for_two_owners, "duplicated"),
        (invent_a_message, "unexpected"),
        (keep_a_deleted_text, "different"),
        (keep_the_text_before_an_edit, "different"),
        (forget_a_vector, "different"),
        (give_a_message_to_another_owner, "different"),
        (swap_two_messages, "different"),
        (name_an_episode_otherwise, "different"),
        (decide_validity_otherwise, "different"),
        (lose_a_fact, "orphans"),
        (keep_a_fact_of_an_older_revision, "orphans"),
        (cite_a_message_of_another_episode, "orphans"),
        (lose_a_foresight, "orphans"),
        (lose_an_entity, "orphans"),
        (forget_a_mention, "orphans"),
        (mention_an_episode_that_is_gone, "orphans"),
        (lose_a_cluster, "orphans"),
        (keep_a_member_of_a_cluster, "orphans"),
        (leave_work_in_progress, "orphans"),
        (leave_something_unread, "orphans"),
        (leave_a_document_half_read, "orphans"),
        (keep_a_chunk_of_an_older_version, "orphans"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_what_is_wrong_is_seen(remembered: tuple[Expected, list[Row]], harm: Harm, kind: str) -> None:
    expected, rows = remembered
    alone = judge(expected, harm(list(rows)), ())
    if harm is not decide_validity_otherwise:  # which only the undisturbed run can tell
        assert getattr(alone, kind) > 0, alone.examples
        assert alone.examples[kind]
    assert not found(remembered, harm(list(rows))).sound


def test_a_dead_letter_of_a_sound_event_is_unexpected(remembered: tuple[Expected, list[Row]]) -> None:
    assert found(remembered, remembered[1], [("t/0/1", "extract")]).unexpected == 1


def test_a_dead_letter_that_was_sent_twice_counts_once(remembered: tuple[Expected, list[Row]]) -> None:
    expected, rows = remembered
    bad = replace(expected, refused={"t/0/7": "no JSON"})
    assert judge(bad, rows, ()).lost == 1
    verification = judge(bad, rows, [("t/0/7", "decode"), ("t/0/7", "decode")])
    assert verification.sound
    assert (verification.dead_letters, verification.repeated_dead_letters) == (1, 1)


# --- what is expected -------------------------------------------------------------------------------------------------


def arrivals(*events: Any, partition: int = 0) -> Iterator[Incoming]:
    for offset, event in enumerate(events):
        raw = event if isinstance(event, bytes) else event.to_bytes()
        yield Incoming(raw, Position(topic="t", partition=partition, offset=offset), NOW + timedelta(seconds=offset))


def said(number: int, text: str = "hello", talk: str = "talk", user: str = "ann") -> Message:
    at = NOW + timedelta(minutes=number) - timedelta(days=1)
    return Message(conversation_id=talk, user_id=user, message_id=f"m{number}", sent_at=at, content=text)


def test_the_first_event_with_an_id_counts() -> None:
    expected = expected_of(arrivals(said(1, "one"), said(1, "two", user="ben")))
    [message] = expected.messages.values()
    assert (message.text, message.owner.id) == ("one", "ann")


def test_an_edit_of_what_is_not_there_is_refused() -> None:
    change = Edit(conversation_id="talk", message_id="m9", content="x")
    again = Delete(conversation_id="talk", message_id="m1")
    expected = expected_of(arrivals(change, said(1), again, again, b"{"))
    assert set(expected.refused) == {"t/0/0", "t/0/3", "t/0/4"}
    assert [message.deleted for message in expected.messages.values()] == [True]


def test_a_retraction_takes_words_out_and_one_of_words_that_nobody_said_is_refused() -> None:
    def retract(number: int, words: str) -> Retract:
        return Retract(conversation_id="talk", message_id=f"m{number}", words=words)

    third = said(3, "In Rome.").model_dump(exclude={"event"})
    correct = Correct(**third, corrects="m2", words="in  Bonn")
    sent = (said(1, "Hi. I live in Oslo. Bye."), said(2, "I live in Bonn"), retract(1, "I live in Oslo."), correct)
    expected = expected_of(arrivals(*sent, retract(1, "i live in oslo."), retract(1, "I ski."), retract(2, "I live in Bonn")))
    first, second, last = expected.messages.values()
    assert first.has_text("Hi. Bye.")
    assert not first.has_text("Hi. I live in Oslo. Bye.")
    assert (second.deleted, last.text) == (True, "In Rome.")
    assert set(expected.refused) == {"t/0/5"}


def test_a_flush_must_be_answered() -> None:
    flush = Flush(conversation_id="talk", flush_id="f")
    verification = judge(expected_of(arrivals(flush)), [], ())
    assert verification.lost == 1


def test_what_was_forgotten_must_be_gone_and_what_came_later_is_there() -> None:
    expected = expected_of(arrivals(said(1), said(2, talk="other"), Forget(conversation_id="talk"), said(3, user="ben")))
    assert {(message.said.message_id, message.owner.id) for message in expected.messages.values()} == {
        ("m2", "ann"),
        ("m3", "ben"),
    }
    expected = expected_of(arrivals(said(1), said(2, talk="other", user="ben"), Erase(user_id="ann")))
    assert set(expected.messages) == {make_id("default", "other", "m2")}


# --- it is nobody's friend --------------------------------------------------------------------------------------------


def test_the_verifier_imports_nothing_of_the_flow() -> None:
    seen = reached("evaluation.faults.verifier")
    assert {"connectors.kafka.reader", "mneme.ids", "evaluation.faults.expected"} <= seen, "imports are followed"
    assert [name for name in seen if name.split(".")[0] in ("flows", "queries", "bytewax")] == []


def reached(name: str) -> set[str]:
    """Every module of this project that a module imports, and what these import, wherever in the file they do it."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        path = ROOT / module.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not file.exists():
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for imported in names:
                parts = imported.split(".")
                waiting += [".".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    return seen


def test_kinds_are_fields_of_what_is_found() -> None:
    assert set(KINDS) <= set(Verification.__slots__)
    assert EXAMPLES.is_dir()
