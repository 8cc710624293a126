"""Which dead letters an erasure takes away."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.dead_letters import is_about
from mneme.events import Delete, Edit, Message
from mneme.ids import make_id
from mneme.ports import DeadLetter, Scope
from mneme.records import Owner
from tests.contracts.rows import ALICE, fact

AT = datetime(2026, 3, 1, tzinfo=UTC)
ANA = Owner(tenant_id="default", type="user", id="ana")
TALK = Scope("default", ("talk",))
OF_ANA = Scope("default", ("talk",), ANA)


def letter(content: object, stage: str = "decode", reason: str = "") -> DeadLetter:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return DeadLetter(stage, reason, raw, None, AT)


@pytest.mark.parametrize(
    ("event", "of_talk", "of_ana"),
    [
        ({"conversation_id": "talk", "user_id": "ben"}, True, True),
        ({"conversation_id": "talk", "tenant_id": "acme", "user_id": "ana"}, False, False),
        ({"conversation_id": "walk", "user_id": "ben"}, False, False),
        ({"conversation_id": "walk", "user_id": "ana"}, False, True),
        ({"conversation_id": "walk", "group_id": "team", "user_id": "ana"}, False, True),
        ({"conversation_id": "walk", "group_id": "ana"}, False, False),
        ({"conversation_id": "walk", "agent_id": "ana"}, False, False),
        ({"event": "edit", "conversation_id": "talk", "message_id": "m"}, True, True),
        ({"event": "delete", "conversation_id": "walk", "message_id": "ana"}, False, False),
        ({"event": "document", "document_id": "talk", "user_id": "ana"}, False, True),
        ({"event": "document", "document_id": "talk", "user_id": "ben"}, False, False),
    ],
)
def test_an_event_belongs_to_its_conversation_and_to_every_owner_it_names(event: dict[str, str], of_talk: bool, of_ana: bool):
    assert is_about(letter(event), TALK) is of_talk
    assert is_about(letter(event), OF_ANA) is of_ana


def test_what_an_event_says_decides_and_not_a_word_in_its_content():
    assert not is_about(letter({"conversation_id": "walk", "user_id": "ben", "content": "ana, talk!"}), OF_ANA)


def test_events_as_they_are_sent_are_understood():
    about = {"conversation_id": "talk", "message_id": "m"}
    for event in (Message(**about, user_id="ben", content="x"), Edit(**about, content="x"), Delete(**about)):
        assert is_about(letter(event.to_bytes()), TALK)
        assert not is_about(letter(event.to_bytes()), Scope("default", ("walk",)))


def test_a_row_that_the_index_refused_belongs_to_its_owner_and_conversation():
    row = fact("f", owner=ALICE)
    refused = letter(row.body, "write", "mapping")
    assert is_about(refused, Scope(ALICE.tenant_id, (), ALICE))
    assert not is_about(refused, Scope(ALICE.tenant_id, (), Owner(tenant_id=ALICE.tenant_id, type="user", id="bob")))
    assert not is_about(refused, Scope("other", (), ALICE))
    assert is_about(letter({**row.body, "conversation_id": "talk"}, "write"), Scope(ALICE.tenant_id, ("talk",)))


def test_the_id_of_a_row_that_could_not_be_removed_is_read_in_its_encoded_form():
    for conversation in ("talk 1/2", "会话", "long " * 60):
        refused = letter(make_id("default", conversation, "m1").encode(), "write", "mapping")
        assert is_about(refused, Scope("default", (conversation,)))
        assert not is_about(refused, Scope("default", ("walk",)))


@pytest.mark.parametrize("stage", ["extract", "segment"])
def test_a_reference_belongs_to_its_owner_and_conversation(stage: str):
    reference = {"lane": "default/talk", "owner": ["default", "user", "ana"], "conversation": "talk", "ids": ["default/talk/m"]}
    assert is_about(letter(reference, stage), TALK)
    assert is_about(letter(reference, stage), Scope("default", (), ANA))
    assert not is_about(
        letter(reference, stage), Scope("default", ("walk",), Owner(tenant_id="default", type="user", id="ben"))
    )


def test_an_episode_of_speech_goes_with_its_document():
    reference = {"lane": "default/talk", "owner": ["default", "user", "ana"], "conversation": "talk", "ids": ["default/talk/m"]}
    assert is_about(letter(reference, "extract"), Scope("default", ("talk",), ANA, "captions"))
    assert not is_about(letter(reference, "extract"), Scope("default", (), ANA, "captions"))


def test_a_reference_that_names_only_its_episode_goes_with_its_conversation():
    retraction = {"is": "retraction", "lane": "default/talk", "owner": ["default", "user", "ana"], "id": "default/talk/1-2"}
    assert is_about(letter(retraction, "reconcile"), TALK)
    assert is_about(letter(retraction, "reconcile"), Scope("default", (), ANA))
    assert not is_about(letter(retraction, "reconcile"), Scope("default", ("walk",)))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"conversation_id": "talk", "content": "\xff"}',
        b'{"conversation_id": "talk", ',
        b'[{"conversation_id": "talk", "user_id": "ana"}]',
        b'{"conversation_id": ["talk"], "user_id": "ana"}',
        b'{"sender": "x", "thread": "talk"}',
        b'{"conversation_id": "\\u0074alk", "conten',
        b"talk",
        b'{"event": "poll", "conversation_id": "talk"}',
    ],
)
def test_what_does_not_say_whom_it_is_about_goes_if_it_holds_an_id(raw: bytes):
    assert is_about(letter(raw), TALK)
    assert not is_about(letter(raw.replace(b"talk", b"talks").replace(b"\\u0074alk", b"stalk")), TALK)


@pytest.mark.parametrize(
    ("raw", "of_acme", "of_default"),
    [
        (b'{"tenant_id": "evil", "user_id": "ana", "content": "cut o', False, True),
        (b'{"user_id": "ana", "tenant_id" :\n"evil"', False, True),
        (b'{"tenant_id": "\\u0061cme", "user_id": "ana", "cont', True, True),
        (b'{"tenant_id": "evil", "user_id": "ana", "content": 7}', False, False),
        (b'{"tenant_id": "acme", "user_id": "ana", "metadata": {"tenant_id": "evil"}}', True, False),
        (b'{"user_id": "ana", "metadata": {"tenant_id": "evil"}}', False, True),
        (b'{"user_id": "ana", "metadata": {"tenant_id": "evil"}, "content": "cut o', False, True),
        (b'{"tenant_id": 7, "user_id": "ana"}', True, True),
        (b'{"user_id": "ana", "content": 7}', False, True),
        (b'{"user_id": "ana", "content": "tenant_id evil', True, True),
    ],
)
def test_what_still_names_another_tenant_stays(raw: bytes, of_acme: bool, of_default: bool):
    ana_of_acme = ANA.model_copy(update={"tenant_id": "acme"})
    assert is_about(letter(raw), Scope("acme", ("talk",), ana_of_acme)) is of_acme
    assert is_about(letter(raw), OF_ANA) is of_default


def test_the_reason_counts_where_the_bytes_say_nothing():
    assert is_about(letter(b"", reason="conversation 'talk' of user ana"), TALK)
    assert not is_about(letter(b"", reason="the talks of Hana"), OF_ANA)


def test_an_event_without_an_owner_goes_if_it_holds_the_owners_id():
    assert is_about(letter({"conversation_id": "walk", "sender_id": "ana", "content": "x"}), OF_ANA)
    assert not is_about(letter({"conversation_id": "walk", "sender_id": "ben", "content": "x"}), OF_ANA)


@given(st.binary(), st.sampled_from(["decode", "embed", "write", "extract", "unknown", ""]))
def test_any_bytes_can_be_judged(raw: bytes, stage: str):
    assert is_about(letter(raw, stage), OF_ANA) in (True, False)


_NAMES = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=200)


@given(_NAMES, st.booleans(), st.booleans())
def test_no_event_of_a_conversation_stays_whatever_its_name_and_however_it_is_written(name: str, is_ascii: bool, is_torn: bool):
    raw = json.dumps({"conversation_id": name, "user_id": "ben", "content": 1}, ensure_ascii=is_ascii)
    assert is_about(letter(raw[:-1].encode() if is_torn else raw.encode()), Scope("default", (name,)))
    assert is_about(letter(make_id("default", name, "m1").encode(), "write"), Scope("default", (name,)))
