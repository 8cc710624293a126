"""Exports of other programs, for tests.

Those of memories have the form that the programs' own code writes: mem0 as ``Memory._get_all_from_vector_store`` does
(mem0/memory/main.py, ``MemoryItem`` of mem0/configs/base.py) and its platform's ``GET /v3/memories/`` (docs/openapi.json);
MemMachine as ``ListResult``, ``Episode`` and ``SemanticFeature`` (packages/common/src/memmachine_common/api/spec.py); Graphiti
as ``EntityEdge`` (its reference of edge types).
"""

from typing import Any


def turn(id: str, speaker: str, text: str, **more: Any) -> dict[str, Any]:
    return {"dia_id": id, "speaker": speaker, "text": text, **more}


SAMPLE = {
    "sample_id": "pair-1",
    "qa": [],
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Otto",
        "session_10_date_time": "12:05 am on 3 January, 2024",
        "session_10": [turn("D10:1", "Otto", "Happy new year!")],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            turn("D2:1", "Ines", "I planted a lemon tree."),
            turn("D2:2", "Otto", "Look!", blip_caption="a photo of a kite", query="red kite", img_url=["u"]),
            turn("D2:3", "Ines", "", query="lemon tree"),
        ],
        "session_3_date_time": "9:00 am on 1 June, 2023",
    },
}


def everos(scene: str, **meta: Any) -> dict[str, Any]:
    return {
        "version": "1.0.0",
        "session_meta": {
            "scene": scene,
            "group_id": "garden-club",
            "default_timezone": "Europe/Lisbon",
            "user_details": {"u1": {"full_name": "Ines", "role": "user"}, "bot": {"role": "assistant"}},
            **meta,
        },
        "conversation_list": [
            {"message_id": "m1", "create_time": "2025-02-01T02:00:00Z", "sender": "u1", "sender_name": "Ines", "content": "Hi"},
            {
                "message_id": "m2",
                "create_time": "2025-07-01T02:00:00",
                "sender": "bot",
                "sender_name": "Bot",
                "content": "Yes?",
            },
            {"message_id": "m3", "sender": "u1", "sender_name": "Ines", "type": "image", "content": "roses.jpg"},
            {"message_id": "m4", "sender": "u1", "sender_name": "Ines", "type": "text", "content": ""},
        ],
    }


TALK = [{"role": "user", "content": "Where is my tea?"}, {"role": "assistant", "content": "On the table."}]


CLAUDE = {
    "uuid": "c-1",
    "created_at": "2026-01-01T09:00:00Z",
    "chat_messages": [
        {"uuid": "m-1", "sender": "human", "text": "Hi"},
        {"uuid": "m-2", "sender": "assistant", "text": "Yes?"},
    ],
}


def node(id: str, parent: str | None, role: str, text: Any, *children: str, **more: Any) -> dict[str, Any]:
    parts = text if isinstance(text, list) else [text]
    message = {"id": f"m-{id}", "author": {"role": role}, "content": {"content_type": "text", "parts": parts}, **more}
    return {"id": id, "parent": parent, "children": list(children), "message": message if role else None}


CHATGPT = {
    "title": "Tea",
    "conversation_id": "conv-9",
    "create_time": 1767258000.5,
    "current_node": "d",
    "mapping": {
        "root": node("root", None, "", "", "a"),
        "a": node("a", "root", "system", "", "b"),
        "b": node(
            "b", "a", "user", ["Which tea?", {"content_type": "image_asset_pointer"}], "c", "d", create_time=1767258060.0
        ),
        "c": node("c", "b", "assistant", "An answer that was generated again."),
        "d": node("d", "b", "assistant", "Green tea."),
    },
}


SLACK = [
    {"type": "message", "user": "U1", "text": "Hi <@U2>!", "ts": "1767258000.000200", "user_profile": {"real_name": "Ines"}},
    {"type": "message", "subtype": "channel_join", "user": "U2", "text": "<@U2> has joined", "ts": "1767258001.000000"},
    {
        "type": "message",
        "user": "U2",
        "text": "&lt;3 see <https://example.org|the page> and <#C1|general>",
        "ts": "1767258002.0",
        "files": [{"name": "plan.pdf"}],
    },
    {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "ci", "text": "Built.", "ts": "1767258003.0"},
]


def mem0(id: str, memory: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "memory": memory,
        "hash": "0d1f6bd9d2a7f8f0d0d5b0e6b4f2f1aa",
        "metadata": None,
        "created_at": "2025-03-01T09:00:00.123456+00:00",
        "updated_at": "2025-03-01T09:00:00.123456+00:00",
        "user_id": "ines",
        **more,
    }


MEM0 = {
    "results": [
        mem0("c", "Lives in Porto", created_at="2025-02-01T08:00:00+00:00", updated_at="2025-06-01T08:00:00+00:00"),
        mem0("b", "Has a lemon tree", metadata={"topic": "garden", "tags": ["tree", "balcony"], "sure": True, "none": None}),
        mem0("a", "Grüne Soße mag sie nicht", run_id="run-7", actor_id="Ines", role="user"),
        mem0("d", "Answers in Portuguese", user_id=None, agent_id="helper"),
    ]
}


def episode(uid: str, content: str, at: str, producer: str = "ines", role: str = "user", **more: Any) -> dict[str, Any]:
    return {
        "uid": uid,
        "content": content,
        "session_key": "universal/garden",
        "created_at": at,
        "producer_id": producer,
        "producer_role": role,
        "produced_for_id": None,
        "sequence_num": 0,
        "episode_type": "message",
        "content_type": "string",
        "filterable_metadata": None,
        "metadata": None,
        **more,
    }


FEATURE = {
    "set_id": "mem_user_ines",
    "category": "profile",
    "tag": "Hobbies",
    "feature_name": "garden",
    "value": "Grows lemons on her balcony",
    "metadata": {"citations": ["11", "12"], "id": "83", "other": None},
}
MEMMACHINE = {
    "status": 0,
    "content": {
        "episodic_memory": [
            episode("12", "It has its first flower.", "2025-05-02T09:00:00Z", sequence_num=2),
            episode(
                "11", "I planted a lemon tree.", "2025-05-01T09:00:00Z", metadata={"mood": "good"}, produced_for_id="helper"
            ),
            episode("13", "How nice!", "2025-05-02T09:00:00Z", "helper", "assistant", sequence_num=3),
        ],
        "semantic_memory": [FEATURE],
    },
}


def edge(uuid: str, fact: str, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "group_id": "ines",
        "source_node_uuid": "n1",
        "target_node_uuid": "n2",
        "created_at": "2025-07-01T09:00:00Z",
        "name": "LIVES_IN",
        "fact": fact,
        "fact_embedding": None,
        "episodes": ["e1"],
        "expired_at": None,
        "valid_at": None,
        "invalid_at": None,
        "attributes": {},
        **more,
    }
