"""Chats of other programs: who said what, when, in whose memory."""

import json
import os
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from connectors.files.files import read_file
from mneme.errors import InputError
from mneme.events import LARGEST_EVENT_BYTES, Message, parse_event
from mneme.times import utc_now
from tests.connectors.files.exports_help import CHATGPT, CLAUDE, SAMPLE, SLACK, TALK, everos, node, turn


def said(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.sender_name, message.text) for message in messages]


# --- LoCoMo ----------------------------------------------------------------------------------------------------------


def test_locomo_sessions_come_in_order_of_their_number_with_turns_30_seconds_apart(read):
    messages = read([SAMPLE])
    assert [(message.message_id, message.sent_at) for message in messages] == [
        ("D2:1", datetime(2023, 5, 8, 13, 56, 0, tzinfo=UTC)),
        ("D2:2", datetime(2023, 5, 8, 13, 56, 30, tzinfo=UTC)),
        ("D2:3", datetime(2023, 5, 8, 13, 57, 0, tzinfo=UTC)),
        ("D10:1", datetime(2024, 1, 3, 0, 5, tzinfo=UTC)),
    ]


def test_locomo_samples_are_conversations_and_memories_of_a_group(read):
    messages = read([SAMPLE, {**SAMPLE, "sample_id": "pair-2"}])
    assert [message.conversation_id for message in messages] == ["pair-1"] * 4 + ["pair-2"] * 4
    assert {message.owner.key for message in messages} == {"default/group/pair-1", "default/group/pair-2"}
    assert {(message.sender_id, message.sender_name) for message in messages} == {("Ines", "Ines"), ("Otto", "Otto")}
    assert {message.timezone for message in messages} == {"UTC"}


def test_a_picture_in_locomo_is_mentioned(read):
    assert [message.text for message in read(SAMPLE)] == [
        "I planted a lemon tree.",
        "Look! [shared a photo: a photo of a kite]",
        "[shared a photo: lemon tree]",
        "Happy new year!",
    ]


def test_a_locomo_session_without_a_date_is_refused_with_its_name(read):
    broken = {**SAMPLE, "conversation": {"session_1": [turn("D1:1", "Ines", "Hi")], "session_1_date_time": "May"}}
    with pytest.raises(InputError, match=r"pair-1, session 1: the date 'May' is not like"):
        read([broken])


# --- EverOS ----------------------------------------------------------------------------------------------------------


def test_a_team_of_everos_is_a_group_and_a_solo_chat_is_its_users(read):
    assert {message.owner.key for message in read(everos("team"))} == {"default/group/garden-club"}
    assert {message.owner.key for message in read(everos("solo"))} == {"default/user/u1"}
    assert {message.conversation_id for message in read(everos("solo"))} == {"garden-club"}


def test_everos_messages_keep_ids_senders_roles_and_times(read):
    messages = read(everos("team"))
    assert [(one.message_id, one.sender_id, one.role) for one in messages] == [
        ("m1", "u1", "user"),
        ("m2", "bot", "assistant"),
        ("m3", "u1", "user"),
    ]
    assert said(messages) == [("Ines", "Hi"), ("Bot", "Yes?"), ("Ines", "[image: roses.jpg]")]
    assert [one.sent_at.astimezone(UTC).isoformat() for one in messages] == [
        "2025-02-01T02:00:00+00:00",
        "2025-07-01T01:00:00+00:00",  # no offset: it is meant in Lisbon
        "2025-07-01T01:00:30+00:00",
    ]


# --- messages with role and content ----------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [TALK, {"messages": TALK}], ids=["list", "object"])
def test_messages_with_role_and_content_are_read(read, data):
    messages = read(data, user_id="ines")
    assert said(messages) == [("ines", "Where is my tea?"), ("assistant", "On the table.")]
    assert [message.role for message in messages] == ["user", "assistant"]
    assert {message.conversation_id for message in messages} == {"ines/chat"}
    assert {message.owner.key for message in messages} == {"default/user/ines"}


def test_a_chat_without_times_has_the_time_of_its_file_30_seconds_apart(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(TALK))
    os.utime(path, (1767258000, 1767258000))
    events = [parse_event(incoming.raw, incoming.received_at) for incoming in read_file(path, user_id="ines")]
    assert [event.sent_at.isoformat() for event in events] == ["2026-01-01T09:00:00+00:00", "2026-01-01T09:00:30+00:00"]


def test_chats_of_two_owners_may_lie_in_files_of_one_name(read):
    conversations = {message.conversation_id for owner in ("ines", "bob") for message in read(TALK, user_id=owner)}
    assert conversations == {"ines/chat", "bob/chat"}


@pytest.mark.parametrize(
    "time", [1767258000, 1767258000000, "1767258000.0", "2026-01-01T09:00:00Z", "2026-01-01T09:00:00", "2026-01-01 10:00+01:00"]
)
def test_times_are_read_in_every_usual_form(read, time):
    first, second = read([{**TALK[0], "timestamp": time}, TALK[1]], user_id="ines")
    assert first.sent_at == datetime(2026, 1, 1, 9, tzinfo=UTC)
    assert second.sent_at == datetime(2026, 1, 1, 9, 0, 30, tzinfo=UTC)


def test_a_time_that_is_none_is_left_for_the_flow_to_refuse(read):
    with pytest.raises(InputError, match="sent_at"):
        read([{**TALK[0], "timestamp": "yesterday"}], user_id="ines")


def test_without_an_owner_a_chat_is_refused_with_the_remedy(read):
    with pytest.raises(InputError, match=r"chat\.json.*whose memory.*--user"):
        read(TALK)


def test_several_chats_in_one_file_are_several_conversations(read):
    messages = read([{"id": "a", "messages": TALK}, {"messages": TALK}], user_id="ines", conversation_id="work")
    assert [message.conversation_id for message in messages] == ["a", "a", "work-1", "work-1"]


def test_chats_one_on_each_line_are_read(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"messages": TALK}) + "\n" for _ in range(2)))
    assert [parse_event(one.raw, utc_now()).conversation_id for one in read_file(path, user_id="ines")] == [
        "ines/chats-0",
        "ines/chats-0",
        "ines/chats-1",
        "ines/chats-1",
    ]


def test_messages_without_ids_get_the_same_ones_each_time_and_repetitions_differ(read):
    chat = [*TALK, TALK[0]]
    ids = [message.message_id for message in read(chat, user_id="ines")]
    assert len(set(ids)) == 3
    assert ids == [message.message_id for message in read(chat, user_id="ines")]
    grown = [message.message_id for message in read([*chat, {"role": "user", "content": "More"}], user_id="ines")]
    assert grown[:3] == ids


def test_ids_and_names_that_are_given_are_kept(read):
    (message,) = read([{"role": "user", "content": "Hi", "id": 7, "name": "Ines", "sender_id": "u1"}], group_id="team")
    assert (message.message_id, message.sender_id, message.sender_name) == ("7", "u1", "Ines")


def test_tool_calls_are_kept_also_without_text(read):
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": {"city": "Oslo", "at": 1}}}
    messages = read(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "4 degrees"},
            {"role": "assistant", "content": ""},
        ],
        agent_id="helper",
    )
    assert [(message.role, message.text) for message in messages] == [("assistant", ""), ("tool", "4 degrees")]
    assert [(one.name, one.arguments) for one in messages[0].tool_calls] == [("weather", '{"at": 1, "city": "Oslo"}')]


def test_parts_that_are_no_text_are_mentioned(read):
    content = [
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": "https://example.org/kite.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}},
    ]
    (message,) = read([{"role": "user", "content": content}], user_id="ines")
    assert message.text == "See:\n[image: https://example.org/kite.png]\n[image: image_url]\n[audio: input_audio]"


BOLD = {"type": "bold", "text": "raid"}
PICTURE = {"type": "image", "text": "a kite", "image_url": "https://example.org/kite.png"}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"text": ["The ", BOLD, " is at 8."], "text_entities": []}, "The raid is at 8."),
        ({"text": ["The ", {"type": "new", "text": "raid"}, " is at 8."], "text_entities": []}, "The raid is at 8."),
        ({"text": [BOLD, {"type": "italic", "text": "ers"}], "text_entities": []}, "raiders"),
        ({"text": ["Hi", {"type": "text", "text": "there"}]}, "Hi\nthere"),
        ({"text": ["Hi", {"text": "there"}]}, "Hi\nthere"),
        ({"text": ["Look", PICTURE]}, "Look\na kite\n[image: https://example.org/kite.png]"),
    ],
)
def test_only_the_words_of_telegram_are_one_text(read, said, text):
    assert read([{"from": "ann", **said}], user_id="ines")[0].text == text


def test_what_a_part_itself_has_goes_with_the_message(read):
    parts = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "AAAB", "format": "mp3"}},
        {"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,not base64"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * 2_000_001}},
        {"type": "image_url", "image_url": {"url": "https://example.org/kite.png"}},
    ]
    (message,) = read([{"role": "user", "content": [{"type": "text", "text": "See:"}, *parts]}], user_id="ada")
    _, *attached = message.content
    assert [(part.type, part.media_type, part.data) for part in attached] == [
        ("image", "image/png", "AAAA"),
        ("audio", "audio/mp3", "AAAB"),
        *[("image", None, None)] * 4,
    ]
    assert attached[-1].uri == "https://example.org/kite.png"


def test_the_name_of_a_speaker_is_kept_in_a_chat_of_people(read):
    talk = [{"speaker": "Ann", "text": "Are you there?"}, {"speaker": "Bo", "text": "I am."}]
    assert [(message.sender_name, message.role) for message in read(talk, user_id="ann")] == [("Ann", "user"), ("Bo", "user")]


@pytest.mark.parametrize(
    "said",
    [
        {"author": {"id": "1", "name": "ann"}, "content": "The raid is at 8."},
        {"from": "ann", "from_id": "user1", "text": ["The ", BOLD, " is at 8."], "text_entities": []},
        {"sender": "ann", "text": "The raid is at 8."},
    ],
    ids=["Discord", "Telegram", "a sender"],
)
def test_nobodys_words_are_told_by_the_owner(read, said):
    for data in ([said], {"name": "club", "messages": [said]}):
        [message] = read(data, user_id="ines")
        assert (message.sender_id, message.sender_name, message.role) == ("ann", "ann", "user")
        assert message.text == "The raid is at 8."
        assert read(data, user_id="Ann")[0].sender_id == "Ann", "the owner speaks"


@pytest.mark.parametrize(("sender", "name"), [("human", "Alice"), ("assistant", "Claude")])
def test_a_name_beside_a_role_makes_nobody_else_speak(read, sender, name):
    owners, named = (
        read([{"sender": sender, "text": "I live in Rome", **more}], user_id="ines")[0] for more in ({}, {"sender_name": name})
    )
    assert (named.sender_id, named.sender_name) == (owners.sender_id, name)


@pytest.mark.parametrize(
    ("said", "sender"),
    [
        ({"from": None, "from_id": "user7"}, "user7"),
        ({"from": {"id": 7, "first_name": "Al"}}, "Al"),
        ({"from": {"id": 7}}, "7"),
        ({"author": {"id": "9", "name": ""}}, "9"),
    ],
)
def test_a_stranger_without_a_name_is_not_the_owner(read, said, sender):
    said = {**said, "text": "I live in Rome"}
    for data in ([said], {"messages": [said]}):
        [message] = read(data, user_id="ines")
        assert (message.sender_id, message.sender_name) == (sender, sender)


def test_a_long_chat_without_times_does_not_reach_into_another_day(read):
    messages = read([{"role": "user", "content": f"line {number}"} for number in range(4_000)], user_id="ines")
    assert messages[-1].sent_at - messages[0].sent_at < timedelta(hours=12)
    assert len({message.sent_at for message in messages}) == 4_000


@pytest.mark.parametrize(
    ("role", "expected"), [("human", "user"), ("AI", "assistant"), ("developer", "system"), ("function", "tool"), ("?", "user")]
)
def test_roles_of_other_programs_are_understood(read, role, expected):
    assert read([{"role": role, "content": "Hi"}], user_id="ines")[0].role == expected


def test_a_claude_export_is_read(read):
    first, second = read([CLAUDE], user_id="ines")
    assert (first.conversation_id, first.message_id, first.role) == ("c-1", "m-1", "user")
    assert (second.role, second.sent_at) == ("assistant", datetime(2026, 1, 1, 9, 0, 30, tzinfo=UTC))


def test_what_claude_thinks_is_not_said_and_its_attachments_are_kept(read):
    parts = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Feed Gerald daily."},
        {"type": "tool_use", "name": "artifacts", "input": {"id": 1}},
    ]
    pasted = [{"file_name": "recipe.txt", "extracted_content": "Flour 500 g"}]
    messages = [
        {"uuid": "m-1", "sender": "human", "text": "See this.", "attachments": pasted, "files": [{"file_name": "loaf.png"}]},
        {"uuid": "m-2", "sender": "assistant", "text": "", "content": parts},
    ]
    asked, answered = read([{**CLAUDE, "chat_messages": messages}], user_id="ines")
    assert asked.text == "See this.\n[file: recipe.txt]\n[file: loaf.png]"
    assert b64decode(asked.content[1].data) == b"Flour 500 g"
    assert answered.text == "Feed Gerald daily."
    assert [(call.name, call.arguments) for call in answered.tool_calls] == [("artifacts", '{"id": 1}')]


def test_all_files_of_a_message_fit_into_one_event(read):
    pasted = [{"file_name": f"{number}.txt", "extracted_content": "é" * 1_500_000} for number in range(4)]
    [message] = read([{"sender": "human", "text": "See these.", "attachments": pasted}], user_id="ines")
    _, *files = message.content
    assert [file.name for file in files] == ["0.txt", "1.txt", "2.txt", "3.txt"]
    assert [len(b64decode(file.data or "")) for file in files] == [3_000_000, 3_000_000, 0, 0]


def test_the_images_of_a_message_leave_less_room_for_its_files(read):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * 1_250_000}}
    pasted = [{"file_name": name, "extracted_content": "é" * size} for name, size in (("a", 2_500_000), ("b", 1_000_000))]
    [message] = read(
        [{"role": "user", "content": ["\n" * 190_000 + "See:", image, image], "attachments": pasted}], user_id="ines"
    )
    _, first, second, large, small = message.content
    assert (len(first.data), second.data, second.name) == (5_000_000, None, "image_url")
    assert (large.name, large.data, small.name) == ("a", None, "b")
    assert b64decode(small.data).decode() == "é" * 1_000_000
    assert len(message.to_bytes()) <= LARGEST_EVENT_BYTES


# --- ChatGPT ---------------------------------------------------------------------------------------------------------


def test_a_chatgpt_export_gives_the_branch_that_was_last_shown(read):
    messages = read([CHATGPT], user_id="ines")
    assert [(message.message_id, message.role, message.text) for message in messages] == [
        ("m-b", "user", "Which tea?\n[image]"),
        ("m-d", "assistant", "Green tea."),
    ]
    assert {message.conversation_id for message in messages} == {"conv-9"}
    assert [message.sent_at for message in messages] == [
        datetime(2026, 1, 1, 9, 1, tzinfo=UTC),
        datetime(2026, 1, 1, 9, 1, 30, tzinfo=UTC),
    ]


def test_a_chatgpt_export_without_a_current_node_gives_the_newest_branch(read):
    data = {name: value for name, value in CHATGPT.items() if name not in ("current_node", "conversation_id")}
    assert [message.message_id for message in read(data, user_id="ines")] == ["m-b", "m-d"]


def test_a_circle_of_nodes_ends(read):
    mapping = {"a": node("a", "b", "user", "Hi", "b"), "b": node("b", "a", "assistant", "Yes?", "a")}
    assert len(read([{"title": "x", "current_node": "a", "mapping": mapping}], user_id="ines")) == 2


def test_hidden_messages_of_chatgpt_are_left_out(read):
    hidden = node("a", None, "user", "profile", metadata={"is_visually_hidden_from_conversation": True})
    data = [{"current_node": "a", "mapping": {"a": hidden}}]
    assert read(data, user_id="ines") == []


# --- Slack -----------------------------------------------------------------------------------------------------------


def test_a_slack_export_is_the_memory_of_its_channel(read):
    messages = read(SLACK, "general/2026-01-01.json")
    assert {message.owner.key for message in messages} == {"default/group/general"}
    assert {message.conversation_id for message in messages} == {"general"}
    assert read(SLACK, "random.json")[0].conversation_id == "random"
    assert read(SLACK, "general/2026-01-01.json", conversation_id="c", user_id="ines")[0].owner.key == "default/user/ines"


def test_people_of_slack_have_the_names_of_the_users_beside_their_channels(read, tmp_path):
    users = [{"id": "U2", "name": "bo", "profile": {"real_name": "Bo Ek"}}, {"id": "U3", "name": "cy"}, {}]
    (tmp_path / "users.json").write_text(json.dumps(users))
    assert said(read(SLACK, "general/2026-01-01.json"))[:2] == [
        ("Ines", "Hi @Bo Ek!"),
        ("Bo Ek", "<3 see the page (https://example.org) and #general\n[file: plan.pdf]"),
    ]


def test_the_users_of_slack_are_read_once_for_all_days(read, tmp_path, monkeypatch):
    users = tmp_path / "users.json"
    users.write_text(json.dumps([{"id": "U2", "name": "bo"}]))
    opened, read_bytes = [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: opened.append(path) or read_bytes(path))
    for day in ("2026-01-01", "2026-01-02", "2026-01-03"):
        assert said(read(SLACK, f"general/{day}.json"))[1][0] == "bo"
    assert opened.count(users) == 1
    users.write_text(json.dumps([{"id": "U2", "name": "bob"}]))
    assert said(read(SLACK, "general/2026-01-04.json"))[1][0] == "bob", "a new export in the same place"


def test_users_above_a_folder_are_those_of_slack_only_for_the_file_of_a_day(read, tmp_path):
    (tmp_path / "users.json").write_text(json.dumps([{"id": "U2", "name": "bo"}]))
    assert said(read(SLACK, "general/all.json"))[1][0] == "U2"
    assert said(read(SLACK, "all.json"))[1][0] == "bo"


def test_messages_of_one_time_stay_in_the_order_of_the_file(read):
    times = ["09:00:00"] * 12 + ["09:00:00.005", "08:00:00", "08:00:00", "09:01:00"]
    chat = [{"role": "user", "content": f"line {n}", "timestamp": f"2026-03-01T{at}+00:00"} for n, at in enumerate(times)]
    messages = read(chat, user_id="ines")
    assert messages == read(chat, user_id="ines")
    found = sorted(messages, key=lambda message: (message.sent_at, message.message_id))
    assert [message.text for message in found] == [f"line {n}" for n in (13, 14, *range(13), 15)]
    nine = datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert [messages[at].sent_at - nine for at in (0, 1, 11, 12, 15)] == [
        timedelta(milliseconds=ms) for ms in (0, 1, 11, 12, 60_000)
    ]


def test_slack_messages_are_told_as_a_reader_sees_them(read):
    messages = read(SLACK, "general/2026-01-01.json")
    assert said(messages) == [
        ("Ines", "Hi @U2!"),
        ("U2", "<3 see the page (https://example.org) and #general\n[file: plan.pdf]"),
        ("ci", "Built."),
    ]
    assert [message.role for message in messages] == ["user", "user", "assistant"]
    assert messages[0].sent_at == datetime(2026, 1, 1, 9, 0, 0, 200, tzinfo=UTC)
    assert messages[0].message_id == "1767258000.000200"
