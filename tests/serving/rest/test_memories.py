"""Messages in, memories listed, corrected and taken away, over HTTP. What is sent is looked at in the inbox."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from connectors.inbox import InboxReader
from flows.maintenance.transfer import import_owner
from mneme.events import parse_event
from mneme.ports import Lane
from mneme.settings import Settings
from tests.serving.rest.conftest import STANDUP, WHOSE, client_of, with_service

API = "/api/v1"
HELLO = {"conversation_id": "planning", "content": "The release moves to Friday.", **WHOSE}


class Inbox:
    """What came in since it was last looked at."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._readers: dict[Lane, InboxReader] = {}

    def read(self, lane: Lane = "messages") -> list[Any]:
        reader = self._readers.setdefault(lane, InboxReader(self._data, lane, None))
        read: list[Any] = []
        while batch := reader.poll(1000):  # a part of the log at a time
            read += [parse_event(each.raw, each.received_at) for each in batch]
        return read


@pytest.fixture
def inbox(memory_settings: Settings, client: TestClient) -> Inbox:
    inbox = Inbox(memory_settings.data)
    for lane in ("messages", "backfill", "documents"):
        inbox.read(lane)
    return inbox


@pytest.fixture
def fact(client: TestClient) -> dict[str, Any]:
    """A fact of the conversation."""
    items = client.get(f"{API}/memories", params={**WHOSE, "kind": "fact"}).json()["items"]
    return next(each for each in items if each["conversation_id"] == "standup")


class TestRemembering:
    def test_messages_are_kept_in_order_and_told_by_their_ids(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(f"{API}/memories", json={"messages": [HELLO | {"content": f"Line {n}."} for n in range(20)]})
        assert told.status_code == 202
        sent = inbox.read()
        assert [each.content for each in sent] == [f"Line {n}." for n in range(20)]
        assert [each.sent_at for each in sent] == sorted({each.sent_at for each in sent})
        assert [each["message_id"] for each in told.json()["accepted"]] == [each.message_id for each in sent]
        assert told.json()["accepted"][0]["id"] == f"default/planning/{sent[0].message_id}"

    def test_a_retry_with_the_same_key_has_the_same_answer_and_the_same_ids(self, client: TestClient, inbox: Inbox) -> None:
        asked = {"messages": [HELLO, HELLO, HELLO | {"message_id": "own"}]}
        first, again, other = (
            client.post(f"{API}/memories", json=asked, headers={"Idempotency-Key": key}) for key in ("k1", "k1", "k2")
        )
        assert first.json() == again.json()
        ids = [[each.message_id for each in part] for part in (lambda all_: (all_[:3], all_[3:6], all_[6:]))(inbox.read())]
        assert ids[0] == ids[1]
        assert len(set(ids[0])) == 3
        assert ids[0][2] == "own"
        assert not {*ids[0][:2]} & {*ids[2]}
        assert [each["message_id"] for each in other.json()["accepted"]] == ids[2]

    def test_a_flush_that_is_asked_for_follows_the_messages(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(
            f"{API}/memories", json={"messages": [HELLO, HELLO | {"conversation_id": "b"}], "flush": True}
        ).json()
        sent = inbox.read()
        assert [each.event for each in sent] == ["message", "message", "flush", "flush"]
        assert told["flush"] == {
            "flush_ids": [each.flush_id for each in sent[2:]],
            "conversation_ids": ["planning", "b"],
            "searchable": False,
            "missing": [each.flush_id for each in sent[2:]],
            "seconds": told["flush"]["seconds"],
        }

    def test_a_wait_that_was_too_short_says_what_is_missing(self, client: TestClient, inbox: Inbox) -> None:
        asked = {"messages": [HELLO, HELLO | {"conversation_id": "b"}], "flush": True, "wait": 0.1}
        told = client.post(f"{API}/memories", json=asked)
        assert (told.status_code, told.json()["flush"]["searchable"]) == (202, False)
        assert told.json()["flush"]["missing"] == told.json()["flush"]["flush_ids"]
        assert told.json()["flush"]["seconds"] >= 0.1
        assert len(inbox.read()) == 4

    def test_only_a_flush_can_be_waited_for(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(f"{API}/memories", json={"messages": [HELLO], "wait": 5})
        assert (told.status_code, told.json()["detail"][:11]) == (422, "wait: needs")
        assert inbox.read() == []

    def test_a_list_without_messages_is_named_in_words(self, client: TestClient) -> None:
        told = client.post(f"{API}/memories", json={"messages": []})
        assert (told.status_code, told.json()["detail"]) == (422, "messages: is too short; give at least 1")

    @pytest.mark.parametrize(
        ("message", "said"),
        [
            ({"conversation_id": "c", "content": "x"}, "messages.1: one of user_id"),
            ({**HELLO, "content": ""}, "messages.1: content is empty"),
            ({**HELLO, "sent_at": "2999-01-01T00:00:00Z"}, "messages.1.sent_at: "),
            ({**HELLO, "content": "\ud800"}, "messages.1: holds half"),
            ({**HELLO, "event": "erase"}, ""),
        ],
    )
    def test_a_wrong_message_is_named_by_its_place_and_none_is_kept(
        self, client: TestClient, inbox: Inbox, message: dict[str, Any], said: str
    ) -> None:
        content = json.dumps({"messages": [HELLO, message]}).encode()
        told = client.post(f"{API}/memories", content=content, headers={"Content-Type": "application/json"})
        if said:
            assert (told.status_code, told.json()["detail"][: len(said)]) == (422, said)
            assert inbox.read() == []
        else:  # whatever it calls itself, it is a message here
            assert [each.event for each in inbox.read()] == ["message", "message"]

    def test_any_event_can_be_sent_also_as_history(self, client: TestClient, inbox: Inbox) -> None:
        flush = {"event": "flush", "conversation_id": "planning", "flush_id": "f1"}
        note = {"event": "document", "document_id": "d", "name": "d.txt", "content": "Notes."}
        told = client.post(f"{API}/events", json={"events": [HELLO | {"event": "message"}, flush, note], "backfill": True})
        assert told.status_code == 202
        assert told.json() == {"accepted": 3}
        assert [each.event for each in inbox.read("backfill")] == ["message", "flush"]
        assert [each.event for each in inbox.read("documents")] == ["document"]

    def test_a_service_that_only_answers_takes_nothing_in(self, memory_settings: Settings) -> None:
        from serving.rest.app import create_app
        from serving.service.service import Service

        with Service(memory_settings) as service, TestClient(create_app(service), base_url="http://localhost") as client:
            told = client.post(f"{API}/memories", json={"messages": [HELLO]})
        assert told.status_code == 422
        assert "only answers" in told.json()["detail"]

    def test_half_a_character_in_a_name_is_refused_with_a_key_as_without(self, client: TestClient, inbox: Inbox) -> None:
        body = json.dumps({"messages": [HELLO | {"conversation_id": "\ud800"}]})
        for more in ({}, {"Idempotency-Key": "k"}):
            headers = {"Content-Type": "application/json", **more}
            assert client.post(f"{API}/memories", content=body, headers=headers).status_code == 422
        assert inbox.read() == []


class TestListing:
    def test_pages_show_everything_once(self, client: TestClient) -> None:
        found: list[str] = []
        asked: dict[str, Any] = {**WHOSE, "kind": "message", "limit": 1}
        while True:
            page = client.get(f"{API}/memories", params=asked).json()
            found += [each["body"]["message_id"] for each in page["items"] if each["conversation_id"]]
            if page["next"] is None:
                break
            asked["after"] = page["next"]
        assert found == [name for name, *_ in reversed(STANDUP)]

    def test_a_cursor_that_is_none_is_refused(self, client: TestClient) -> None:
        told = client.get(f"{API}/memories", params={**WHOSE, "after": "nonsense"})
        assert told.status_code == 422
        assert told.json()["detail"].startswith("after: this is no cursor")

    @pytest.mark.parametrize("path", ["memories", "conversations", "graph"])
    def test_a_page_has_its_largest_size(self, client: TestClient, path: str) -> None:
        assert client.get(f"{API}/{path}", params={**WHOSE, "limit": 200}).status_code == 200
        assert client.get(f"{API}/{path}", params={**WHOSE, "limit": 201}).status_code == 422

    def test_a_parameter_that_is_not_known_is_refused(self, client: TestClient) -> None:
        assert client.get(f"{API}/memories", params={**WHOSE, "colour": "red"}).json()["detail"].startswith("colour: ")

    def test_an_owner_that_is_given_twice_is_refused(self, client: TestClient) -> None:
        told = client.get(f"{API}/memories", params=[*WHOSE.items(), ("user_id", "another")])
        assert (told.status_code, told.json()["detail"]) == (422, "user_id: given twice; leave one out")
        listed = client.get(f"{API}/memories", params=[*WHOSE.items(), ("conversation_id", "a"), ("conversation_id", "b")])
        assert listed.status_code == 200

    def test_a_plus_that_is_not_encoded_is_understood(self, client: TestClient) -> None:
        for plus in ("+", "%2B"):
            path = f"{API}/memories?since=2026-01-01T00:00:00{plus}02:00&before=2026-01-02%2000:00&user_id={WHOSE['user_id']}"
            assert client.get(path).status_code == 200

    def test_conversations_and_what_was_made_of_each(self, client: TestClient) -> None:
        [listed] = client.get(f"{API}/conversations", params=WHOSE).json()["items"]
        assert (listed["conversation_id"], listed["messages"]) == ("standup", len(STANDUP))
        shown = client.get(f"{API}/conversations/standup", params=WHOSE).json()
        assert sum(len(each["messages"]) for each in shown["episodes"]) == len(STANDUP)
        assert client.get(f"{API}/conversations/none", params=WHOSE).status_code == 404

    def test_histories_graph_profile_owners_and_documents_are_told(self, client: TestClient) -> None:
        assert client.get(f"{API}/history", params={**WHOSE, "entity": "Jason"}).json()["name"] == "Jason"
        graph = client.get(f"{API}/graph", params={**WHOSE, "entity": "Jason"}).json()
        assert "Jason" in [each["name"] for each in graph["entities"]]
        assert client.get(f"{API}/profile", params=WHOSE).json()["owner"] == "default/user/user_123"
        assert [each["id"] for each in client.get(f"{API}/owners").json()["items"]] == ["user_123"]
        [document] = client.get(f"{API}/documents", params=WHOSE).json()["documents"]
        assert document["document_id"] == "lease.txt"

    def test_further_filters_are_json(self, client: TestClient) -> None:
        asked = {**WHOSE, "filters": json.dumps({"participants": ["Nobody"]})}
        assert client.get(f"{API}/conversations", params=asked).json()["items"] == []
        assert client.get(f"{API}/conversations", params={**WHOSE, "filters": "{"}).status_code == 422
        assert client.get(f"{API}/conversations", params={**WHOSE, "filters": json.dumps(WHOSE)}).status_code == 422


class TestOneMemory:
    def test_it_is_shown_by_its_id_to_its_owner_only(self, client: TestClient, fact: dict[str, Any]) -> None:
        path = f"{API}/memories/{quote(fact['id'])}"
        assert client.get(path, params=WHOSE).json() == fact
        assert client.get(path, params={"user_id": "somebody"}).status_code == 404
        assert client.get(path).status_code == 422

    @pytest.mark.parametrize("name", ["a/b", "a\nb", "a\n", "ä?#&+ b"])  # with a percent sign: test_serve_command.py
    def test_any_name_can_stand_in_a_path(self, client: TestClient, name: str) -> None:
        assert client.get(f"{API}/flushes/{quote(name, safe='')}").json()["flush_ids"] == [name]
        assert client.get(f"{API}/memories/x{quote(name, safe='')}", params=WHOSE).status_code == 404

    def test_a_message_is_corrected_by_an_edit(self, client: TestClient, inbox: Inbox) -> None:
        told = client.patch(f"{API}/memories/default/standup/m3", params=WHOSE, json={"content": "9 August 2025."})
        assert told.status_code == 202
        assert told.json() == {"id": "default/standup/m3", "conversation_id": "standup", "message_id": "m3"}
        [edit] = inbox.read()
        assert (edit.event, edit.conversation_id, edit.message_id, edit.content) == ("edit", "standup", "m3", "9 August 2025.")
        assert client.patch(f"{API}/memories/default/standup/m3", params=WHOSE, json={"content": " "}).status_code == 422

    def test_a_message_is_taken_away_by_a_deletion(self, client: TestClient, inbox: Inbox) -> None:
        assert client.delete(f"{API}/memories/default/standup/m3", params=WHOSE).status_code == 202
        assert [(each.event, each.message_id) for each in inbox.read()] == [("delete", "m3")]

    def test_a_fact_is_corrected_by_a_message_of_its_speaker(
        self, client: TestClient, inbox: Inbox, fact: dict[str, Any]
    ) -> None:
        told = client.patch(f"{API}/memories/{quote(fact['id'])}", params=WHOSE, json={"content": "It moves to Monday."})
        assert told.status_code == 202, told.json()
        [event] = inbox.read()
        assert (event.event, event.content, event.corrects) == ("correct", "It moves to Monday.", fact["message_ids"][0])
        assert (event.words, event.sender_name) == (fact["body"]["quote"]["words"], fact["body"]["speakers"][0])
        assert told.json()["id"] == f"default/standup/{event.message_id}"
        assert client.patch(f"{API}/memories/{quote(fact['id'])}", params=WHOSE, json={"content": " "}).status_code == 422

    def test_a_fact_is_taken_away_by_the_words_of_its_message(
        self, client: TestClient, inbox: Inbox, fact: dict[str, Any]
    ) -> None:
        assert client.delete(f"{API}/memories/{quote(fact['id'])}", params=WHOSE).status_code == 202
        [event] = inbox.read()
        assert (event.event, event.message_id, event.words) == (
            "retract",
            fact["message_ids"][0],
            fact["body"]["quote"]["words"],
        )

    def test_what_is_derived_stays_and_names_its_messages(self, client: TestClient, inbox: Inbox) -> None:
        [episode] = client.get(f"{API}/memories", params={**WHOSE, "kind": "episode", "conversation_id": "standup"}).json()[
            "items"
        ]
        path = f"{API}/memories/{quote(episode['id'])}"
        for told in (client.delete(path, params=WHOSE), client.patch(path, params=WHOSE, json={"content": "x"})):
            assert told.status_code == 409
            assert told.json()["type"] == "urn:mneme:problem:derived"
            assert all(name in told.json()["detail"] for name in episode["message_ids"])
            assert told.json()["detail"].startswith("id: an episode is not ")
        assert inbox.read() == []

    def test_what_a_document_says_is_changed_in_the_document(self, client: TestClient, inbox: Inbox) -> None:
        items = client.get(f"{API}/memories", params={**WHOSE, "kind": "fact", "document_id": "lease.txt"}).json()["items"]
        told = client.delete(f"{API}/memories/{quote(items[0]['id'])}", params=WHOSE)
        assert told.status_code == 409
        assert "send that again, or erase it" in told.json()["detail"]
        assert inbox.read() == []


class TestErasing:
    @pytest.mark.parametrize(
        ("asked", "event"),
        [
            (WHOSE, ("erase", "user_123", None, None)),
            ({"conversation_id": "standup"}, ("forget", None, "standup", None)),
            ({**WHOSE, "conversation_id": "standup"}, ("forget", None, "standup", None)),
            ({**WHOSE, "document_id": "lease.txt"}, ("forget_document", "user_123", None, "lease.txt")),
            ({"document_id": "lease.txt"}, ("forget_document", None, None, "lease.txt")),
        ],
    )
    def test_an_erasure_is_sent_and_its_receipt_is_asked_for_by_its_id(
        self, client: TestClient, inbox: Inbox, asked: dict[str, str], event: tuple[Any, ...]
    ) -> None:
        told = client.delete(f"{API}/memories", params={**asked, "wait": 0.1})
        assert told.status_code == 202
        assert told.json()["receipt"] is None
        sent = inbox.read("documents" if event[0] == "forget_document" else "messages")
        names = ("event", "user_id", "conversation_id", "document_id")
        assert [tuple(getattr(each, name, None) for name in names) for each in sent] == [event]
        assert sent[0].erasure_id == told.json()["erasure_id"]
        again = client.get(f"{API}/erasures/{told.json()['erasure_id']}", params={"wait": 0.1})
        assert again.status_code == 200
        assert again.json()["receipt"] is None

    def test_the_conversation_of_another_is_not_erased_in_the_name_of_an_owner(self, client: TestClient, inbox: Inbox) -> None:
        for whose in ({"user_id": "somebody-else"}, {"group_id": WHOSE["user_id"]}):
            refused = client.delete(f"{API}/memories", params={**whose, "conversation_id": "standup"})
            assert refused.status_code == 404
            assert refused.json()["detail"].startswith("conversation_id: there is no conversation of this name in this memory")
        assert inbox.read() == []

    def test_what_was_just_sent_is_erased_before_it_was_read(self, client: TestClient, inbox: Inbox) -> None:
        told = client.delete(f"{API}/memories", params={**WHOSE, "conversation_id": "just-sent"})
        assert told.status_code == 202
        assert [each.conversation_id for each in inbox.read()] == ["just-sent"]

    @pytest.mark.parametrize(
        "asked", [{}, {"user_id": "a", "agent_id": "b"}, {"conversation_id": "c", "document_id": "d"}, {"user_id": ""}]
    )
    def test_what_does_not_say_what_is_erased_erases_nothing(
        self, client: TestClient, inbox: Inbox, asked: dict[str, str]
    ) -> None:
        assert client.delete(f"{API}/memories", params=asked).status_code == 422
        assert inbox.read() == []


class TestFlushing:
    def test_conversations_are_flushed_and_waited_for_as_long_as_is_asked(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(f"{API}/flush", json={"conversation_id": ["a", "b", "a"], "timeout": 0.1})
        assert told.status_code == 202
        assert told.json()["searchable"] is False
        assert [each.flush_id for each in inbox.read()] == told.json()["flush_ids"]
        assert len(told.json()["flush_ids"]) == 2

    def test_an_owner_without_anything_open_is_searchable_at_once(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(f"{API}/flush", json={"user_id": "nobody"})
        assert told.status_code == 200
        assert told.json()["searchable"] is True

    @pytest.mark.parametrize("asked", [{}, {"conversation_id": "c", **WHOSE}, {"user_id": "a", "group_id": "b"}])
    def test_what_does_not_say_what_is_flushed_flushes_nothing(
        self, client: TestClient, inbox: Inbox, asked: dict[str, str]
    ) -> None:
        assert client.post(f"{API}/flush", json=asked).status_code == 422
        assert inbox.read() == []

    def test_a_conversation_and_an_owner_are_said_to_be_too_much(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(f"{API}/flush", json={"conversation_id": "c", "user_id": "nadia"})
        assert "conversation_id and user_id: give one, not both" in told.json()["detail"]


class TestDocuments:
    def test_an_upload_is_an_event_with_the_file(self, client: TestClient, inbox: Inbox) -> None:
        told = client.post(
            f"{API}/documents",
            files={"file": ("notes.md", b"# Notes\n\nThe rent is 950 euro.", "text/markdown")},
            data={
                **WHOSE,
                "metadata": '{"project": "flat"}',
                "dated_at": "2025-02-03T00:00:00Z",
                "modified_at": "2025-02-04T00:00:00Z",
                "flush_id": "d1",
            },
        )
        assert told.status_code == 202
        assert told.json() == {"document_id": "user_123/notes.md", "name": "notes.md"}
        [sent] = inbox.read("documents")
        assert (sent.user_id, sent.media_type, sent.metadata) == ("user_123", "text/markdown", {"project": "flat"})
        assert (sent.flush_id, sent.dated_at.isoformat()) == ("d1", "2025-02-03T00:00:00+00:00")
        assert sent.modified_at.isoformat() == "2025-02-04T00:00:00+00:00"
        assert sent.content == "# Notes\n\nThe rent is 950 euro."

    @pytest.mark.parametrize(
        ("data", "said"),
        [
            ({"metadata": "[1]"}, "metadata: "),
            ({"metadata": '{"a": {"b": 1}}'}, "metadata.a"),
            ({"dated_at": "2025-02-03"}, "event: dated_at has no offset"),
            ({"dated_at": "yesterday"}, "dated_at: "),
        ],
    )
    def test_what_is_wrong_about_an_upload_is_named(
        self, client: TestClient, inbox: Inbox, data: dict[str, str], said: str
    ) -> None:
        told = client.post(f"{API}/documents", files={"file": ("a.txt", b"x")}, data=data)
        assert (told.status_code, told.json()["detail"][: len(said)]) == (422, said)
        assert inbox.read("documents") == []


class TestExport:
    def test_what_is_exported_is_what_the_command_imports(
        self, client: TestClient, memory_settings: Settings, tmp_path: Path
    ) -> None:
        told = client.get(f"{API}/export", params=WHOSE)
        assert told.headers["content-type"] == "application/octet-stream"
        (tmp_path / "export.jsonl").write_bytes(told.content)
        done = import_owner(tmp_path / "export.jsonl", memory_settings.model_copy(update={"data": tmp_path / "data"}))
        assert done.owner.id == "user_123"
        assert sum(done.rows.values()) == len(told.content.splitlines()) - 2

    def test_of_nobody_there_is_none(self, client: TestClient) -> None:
        told = client.get(f"{API}/export", params={"user_id": "nobody"})
        assert told.status_code == 422
        assert "nothing is known of user 'nobody'" in told.json()["detail"]


class TestOperation:
    def test_health_is_green_and_says_what_waits(self, client: TestClient) -> None:
        while (told := client.get("/health").json())["status"] != "green":
            assert told["problems"][0].startswith("starting: "), "an index is opened"
        assert told["lag"]["unread"] == {}
        assert client.get("/health/live").json() == {"status": "live"}

    def test_health_is_red_with_its_remedy_where_there_is_no_index(self, memory_settings: Settings, tmp_path: Path) -> None:
        with client_of(memory_settings.model_copy(update={"data": tmp_path})) as client:
            while (told := client.get("/health")).json()["problems"][0].startswith("starting: "):
                pass
        assert told.status_code == 503
        assert told.headers["content-type"] == "application/json"
        assert told.json()["status"] == "red"
        assert "no index here yet" in told.json()["problems"][0]

    def test_metrics_tell_of_requests_by_their_routes(self, client: TestClient) -> None:
        client.get(f"{API}/memories/default/standup/m1", params=WHOSE)
        told = client.get("/metrics")
        assert told.headers["content-type"].startswith("text/plain")
        assert f'route="{API}/memories/{{id:name}}"' in told.text
        assert "standup" not in told.text

    def test_a_wait_is_no_longer_than_the_settings_allow(self, memory_settings: Settings, client: TestClient) -> None:
        told = client.get(f"{API}/flushes/never", params={"wait": 60})
        assert told.json()["searchable"] is False
        assert told.json()["seconds"] < 60
        assert memory_settings.service.wait_seconds < 1
        with client_of(with_service(memory_settings, wait_seconds=60)) as patient:
            patient.app.state.service.end_waiting()  # type: ignore[attr-defined]
            assert patient.get(f"{API}/flushes/never", params={"wait": 60}).json()["searchable"] is False
