"""Memories of other programs: what was remembered, whose it is, since when."""

import json
from datetime import UTC, datetime

import pytest

from mneme.errors import InputError
from tests.connectors.files.exports_help import FEATURE, MEM0, MEMMACHINE, edge

# --- mem0 ------------------------------------------------------------------------------------------------------------


def test_each_memory_of_mem0_is_a_message_with_its_id_and_its_owner(read):
    messages = read(MEM0)
    assert {(one.message_id, one.text, one.owner.key) for one in messages} == {
        ("a", "Grüne Soße mag sie nicht", "default/user/ines"),
        ("b", "Has a lemon tree", "default/user/ines"),
        ("c", "Lives in Porto", "default/user/ines"),
        ("d", "Answers in Portuguese", "default/agent/helper"),
    }
    assert {one.message_id: one.conversation_id for one in messages} == {
        "a": "mem0/user/ines/run-7",
        "b": "mem0/user/ines",
        "c": "mem0/user/ines",
        "d": "mem0/agent/helper",
    }
    assert {one.message_id: (one.sender_name, one.role) for one in messages} == {
        "a": ("Ines", "user"),
        "b": ("ines", "user"),
        "c": ("ines", "user"),
        "d": ("helper", "assistant"),
    }


def test_a_memory_of_mem0_is_dated_by_its_last_change_and_comes_in_that_order(read):
    messages = [one for one in read(MEM0) if one.conversation_id == "mem0/user/ines"]
    assert [(one.message_id, one.sent_at) for one in messages] == [
        ("b", datetime(2025, 3, 1, 9, 0, 0, 123456, tzinfo=UTC)),
        ("c", datetime(2025, 6, 1, 8, tzinfo=UTC)),
    ]
    assert messages[1].metadata == {"created_at": "2025-02-01T08:00:00+00:00"}


def test_metadata_of_mem0_is_kept_and_lists_in_it_as_json(read):
    kept = {one.message_id: one.metadata for one in read(MEM0)}
    assert kept["b"] == {"topic": "garden", "tags": '["tree", "balcony"]', "sure": True}


def test_the_order_of_mem0s_list_has_no_say(read):
    backwards = {"results": MEM0["results"][::-1]}
    assert read(backwards) == read(MEM0)


def test_lists_and_pages_of_the_platform_are_read(read):
    one = {
        "id": "b1e9a1ce",
        "memory": "User moved to San Francisco from New York",
        "user_id": "alex",
        "session_id": "s-1",
        "metadata": {},
        "categories": ["location"],
        "structured_attributes": {"year": 2026},
        "created_at": "2026-01-15T10:30:00Z",
        "updated_at": "2026-01-15T10:30:00Z",
        "expiration_date": None,
        "synthesized": False,
    }
    page = {"count": 1, "next": None, "previous": None, "results": [one]}
    (message,) = read([one])
    assert (message.conversation_id, message.message_id) == ("mem0/user/alex/s-1", "b1e9a1ce")
    assert message.metadata == {"categories": '["location"]', "synthesized": False}
    assert read(page) == [message] == read([page])


def test_a_memory_of_mem0_without_an_owner_is_asked_for_one(read):
    (ownerless,) = [{"id": "x", "memory": "Likes tea", "run_id": "r", "created_at": None, "updated_at": None}]
    with pytest.raises(InputError, match=r"chat\.json.*whose memory.*--user"):
        read({"results": [ownerless]})
    (message,) = read({"results": [ownerless]}, user_id="ines")
    assert (message.owner.key, message.conversation_id) == ("default/user/ines", "mem0/user/ines/r")


def test_to_name_the_owner_whom_a_memory_of_mem0_has_changes_nothing(read):
    of_ines = [{"id": "x", "memory": "Likes tea", "user_id": "ines", "created_at": "2026-01-15T10:30:00Z", "updated_at": None}]
    assert read({"results": of_ines}, user_id="ines") == read({"results": of_ines})


# --- MemMachine ------------------------------------------------------------------------------------------------------


def test_episodes_of_memmachine_are_the_messages_of_their_session(read):
    messages = read(MEMMACHINE)[:3]
    assert [(one.message_id, one.sender_name, one.role, one.text) for one in messages] == [
        ("11", "ines", "user", "I planted a lemon tree."),
        ("12", "ines", "user", "It has its first flower."),
        ("13", "helper", "assistant", "How nice!"),
    ]
    assert {(one.conversation_id, one.owner.key) for one in messages} == {
        ("universal/garden", "default/group/universal%2Fgarden")
    }
    assert messages[0].metadata == {"mood": "good", "produced_for": "helper"}


def test_a_feature_of_memmachine_is_dated_by_the_last_episode_that_it_cites(read):
    *_, feature = read(MEMMACHINE)
    assert (feature.message_id, feature.text) == ("83", "garden: Grows lemons on her balcony")
    assert feature.sent_at == datetime(2025, 5, 2, 9, tzinfo=UTC)
    assert feature.conversation_id == "mem_user_ines/features"
    assert feature.metadata == {
        "category": "profile",
        "tag": "Hobbies",
        "feature_name": "garden",
        "citations": '["11", "12"]',
    }


def test_the_owner_that_is_given_holds_for_memmachine(read):
    messages = read(MEMMACHINE, user_id="ines")
    assert {one.owner.key for one in messages} == {"default/user/ines"}
    assert {one.conversation_id for one in messages} == {"universal/garden", "mem_user_ines/features"}


def test_pages_of_memmachine_are_one_export(read):
    content = MEMMACHINE["content"]
    pages = [
        {"status": 0, "content": {"episodic_memory": None, "semantic_memory": content["semantic_memory"]}},
        {"status": 0, "content": {"episodic_memory": content["episodic_memory"], "semantic_memory": None}},
    ]
    assert read(pages) == read(MEMMACHINE) == read(content)


def test_a_feature_without_an_id_has_the_same_one_each_time(read):
    bare = {**FEATURE, "metadata": {"citations": None, "id": None, "other": None}}
    data = {"content": {"episodic_memory": None, "semantic_memory": [bare, {**bare, "value": "Has a kite"}]}}
    ids = [one.message_id for one in read(data)]
    assert len(set(ids)) == 2
    assert ids == [one.message_id for one in read(data)]


# --- Graphiti and Zep ------------------------------------------------------------------------------------------------


def test_facts_of_graphiti_are_dated_by_when_they_became_true(read):
    edges = [
        edge("u2", "Ines lives in Porto", valid_at="2024-01-01T00:00:00Z"),
        edge("u1", "Ines lives in Faro", valid_at="2020-01-01T00:00:00Z", invalid_at="2024-01-01T00:00:00Z"),
        edge("u3", "Ines likes kites"),
    ]
    messages = read(edges)
    assert [(one.message_id, one.text, one.sent_at.year) for one in messages] == [
        ("u1", "Ines lives in Faro", 2020),
        ("u2", "Ines lives in Porto", 2024),
        ("u3", "Ines likes kites", 2025),
    ]
    assert {(one.conversation_id, one.owner.key) for one in messages} == {("graphiti/ines", "default/group/ines")}
    assert messages[0].metadata["invalid_at"] == "2024-01-01T00:00:00Z"
    assert read({"edges": edges}) == messages


# --- all -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [MEM0, MEMMACHINE, [edge("u1", "Ines lives in Faro")]], ids=["mem0", "memmachine", "graphiti"])
def test_nothing_is_said_that_the_export_does_not_say(read, data):
    exported = json.dumps(data, ensure_ascii=False)
    for one in read(data):
        assert all(piece in exported for piece in one.text.split(": "))
        assert one.message_id in exported


@pytest.mark.parametrize(
    "broken", [{"results": [{"id": "a", "memory": "x", "user_id": "u"}, 7]}, {"edges": [edge("u", "x"), {}]}]
)
def test_an_export_that_loses_its_form_is_refused_by_its_name(read, broken):
    with pytest.raises(InputError, match=r"chat\.json: after .* does not have the form of .*; mend what comes next") as raised:
        read(broken)
    assert "Error(" not in str(raised.value)
