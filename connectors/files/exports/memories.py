"""Memories exported from other systems as events: mem0, MemMachine, Graphiti, Zep."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, ExportFormat, Given, first, listed, message, metadata_of, role_of
from mneme.ids import short_hash

# --- mem0 -------------------------------------------------------------------------------------------------------------
#
# mem0: what ``Memory.get_all`` gives, and the lists of its platform (v1 and v2: a list, v3: pages).
#
#     {"results": [{id, memory, hash, metadata, created_at, updated_at, user_id, agent_id, run_id, actor_id, role}]}
#     [{id, memory, metadata, categories, created_at, updated_at, user_id, session_id}]
#
# A memory is a statement, made out of a talk that is not in the export. It becomes a message that says it, dated by its last
# change: its text is as old as that. Those of one owner and run are one conversation, in the order of their dates.

_OWNERS = ("user_id", "agent_id")
_RUNS = ("run_id", "session_id")  # the platform's lists say session_id where its searches say run_id
_SAID = {"id", "memory", "hash", "score", "metadata", "created_at", "updated_at", "role", "actor_id", *_OWNERS, *_RUNS}
_DERIVED = {"structured_attributes"}  # what a calendar says of created_at


def _memories(data: Any) -> list[Any]:
    """The memories of one answer, or of several pages."""
    return [memory for page in listed(data) for memory in page.get("results", [page])]


def _fits(data: Any) -> bool:
    page = first(data)
    one = first(page.get("results", page)) if isinstance(page, dict) else None
    return isinstance(one, dict) and {"id", "memory"} <= one.keys()


def _read(data: Any, given: Given) -> Iterator[Event]:
    memories = _memories(data)
    for memory in sorted(
        memories, key=lambda memory: (_conversation(memory, given), _changed_at(memory, given), str(memory["id"]))
    ):
        owner = given.owner or {name: str(memory[name]) for name in _OWNERS if memory.get(name)} or given.owner_or_refuse()
        changed_at = _changed_at(memory, given)
        created_at = Clock(memory.get("created_at"), given.modified_at).time(memory.get("created_at"))
        about = {name: value for name, value in memory.items() if name not in _SAID | _DERIVED}
        yield from message(
            given,
            conversation_id=_conversation(memory, given),
            owner=owner,
            message_id=memory["id"],
            sender=str(memory.get("actor_id") or ""),
            role=role_of(memory.get("role") or ("user" if "user_id" in owner or "group_id" in owner else "assistant")),
            sent_at=changed_at,
            content=str(memory.get("memory") or ""),
            metadata=metadata_of(
                memory.get("metadata"), about, None if created_at == changed_at else {"created_at": created_at}
            ),
        )


def _conversation(memory: Event, given: Given) -> str:
    """One for each owner and run: a conversation has one owner."""
    owner = given.owner or {name: str(memory[name]) for name in _OWNERS if memory.get(name)}
    run = next((str(memory[name]) for name in _RUNS if memory.get(name)), None)
    scope = [part for name, value in owner.items() for part in (name.removesuffix("_id"), value)]
    return given.conversation_id or "/".join(["mem0", *scope, *([run] if run else [])])


def _changed_at(memory: Event, given: Given) -> str:
    return Clock(None, given.modified_at).time(memory.get("updated_at") or memory.get("created_at"))


MEM0 = ExportFormat("mem0", _fits, _read)


# --- memmachine -------------------------------------------------------------------------------------------------------
#
# MemMachine: what ``POST /api/v2/memories/list`` gives, one page or several.
#
#     {"status": 0, "content": {"episodic_memory": [{uid, content, session_key, created_at, producer_id, producer_role, ...}],
#                               "semantic_memory": [{set_id, category, tag, feature_name, value, metadata: {citations, id}}]}}
#
# An episode of MemMachine is a message, and becomes one. A feature is a line of a profile without a date of its own; it becomes
# a message that says it, dated by the last episode that it cites, where that is in the file.

_KINDS = ("episodic_memory", "semantic_memory")


def _content(page: Any) -> Any:
    """The content of a page, in its envelope or without."""
    return page.get("content", page) if isinstance(page, dict) else page


def _memmachine_fits(data: Any) -> bool:
    content = _content(first(data))
    return isinstance(content, dict) and any(isinstance(content.get(kind), list) for kind in _KINDS)


def _memmachine_read(data: Any, given: Given) -> Iterator[Event]:
    pages = [_content(page) for page in listed(data)]
    episodes, features = ([one for page in pages for one in page.get(kind) or []] for kind in _KINDS)
    said_at = {str(episode["uid"]): _time(episode, given) for episode in episodes}
    clocks: defaultdict[str, Clock] = defaultdict(lambda: Clock(None))  # of a session each
    for episode in sorted(
        episodes, key=lambda one: (one["session_key"], said_at[str(one["uid"])], one.get("sequence_num") or 0)
    ):
        session = str(episode["session_key"])
        yield from message(
            given,
            conversation_id=given.conversation_id or session,
            owner=given.owner or {"group_id": session},  # several may speak in a project, and it is what owns
            message_id=episode["uid"],
            sender=str(episode["producer_id"]),
            role=role_of(episode.get("producer_role")),
            sent_at=clocks[session].time(said_at[str(episode["uid"])]),
            content=str(episode["content"]),
            metadata=metadata_of(
                episode.get("metadata"), episode.get("filterable_metadata"), {"produced_for": episode.get("produced_for_id")}
            ),
        )
    for feature in sorted(features, key=lambda one: (str(one.get("set_id") or ""), _cited_at(one, said_at), _id(one))):
        owners = str(feature.get("set_id") or given.stem)
        yield from message(
            given,
            conversation_id=f"{given.conversation_id or owners}/features",
            owner=given.owner or {"group_id": owners},
            message_id=_id(feature),
            sent_at=_cited_at(feature, said_at) or Clock(None, given.modified_at).time(None),
            content=f"{feature['feature_name']}: {feature['value']}",
            metadata=metadata_of(
                {name: feature.get(name) for name in ("category", "tag", "feature_name")},
                (feature.get("metadata") or {}).get("other"),
                {"citations": (feature.get("metadata") or {}).get("citations")},
            ),
        )


def _time(episode: Event, given: Given) -> str:
    return Clock(None, given.modified_at).time(episode.get("created_at"))


def _cited_at(feature: Event, said_at: dict[str, str]) -> str:
    """The time of the last episode that a feature cites; empty where none of them is in the file."""
    citations = (feature.get("metadata") or {}).get("citations") or []
    return max((said_at[str(citation)] for citation in citations if str(citation) in said_at), default="")


def _id(feature: Event) -> str:
    given = (feature.get("metadata") or {}).get("id")
    value = "\0".join(str(feature.get(name)) for name in ("set_id", "category", "tag", "feature_name", "value"))
    return str(given) if given is not None else short_hash(value)


MEMMACHINE = ExportFormat("MemMachine", _memmachine_fits, _memmachine_read)


# --- graphiti ---------------------------------------------------------------------------------------------------------
#
# Graphiti and Zep: the edges of a knowledge graph, each a fact in words (``EntityEdge``).
#
#     [{uuid, group_id, name, fact, source_node_uuid, target_node_uuid, created_at, valid_at, invalid_at, episodes}]
#     or {"edges": [...]}, as Zep's search of a graph gives them
#
# A fact becomes a message that says it, dated by when it became true, else by when it was written down.

_GRAPHITI_SAID = {"uuid", "fact", "group_id", "graph_uuid", "valid_at", "fact_embedding", "score", "relevance", "attributes"}


def _edges(data: Any) -> list[Any]:
    return [edge for page in listed(data) for edge in page.get("edges", [page])]


def _graphiti_fits(data: Any) -> bool:
    page = first(data)
    one = first(page.get("edges", page)) if isinstance(page, dict) else None
    return isinstance(one, dict) and {"uuid", "fact", "source_node_uuid"} <= one.keys()


def _graphiti_read(data: Any, given: Given) -> Iterator[Event]:
    dated = [(_graph(edge), _true_since(edge, given), str(edge["uuid"]), edge) for edge in _edges(data)]
    for graph, true_since, uuid, edge in sorted(dated, key=lambda one: one[:3]):
        owner = given.owner or ({"group_id": graph} if graph else given.owner_or_refuse())
        yield from message(
            given,
            conversation_id=given.conversation_id or "/".join(["graphiti", *([graph] if graph else given.owner.values())]),
            owner=owner,
            message_id=uuid,
            sent_at=true_since,
            content=str(edge.get("fact") or ""),
            metadata=metadata_of(edge.get("attributes"), {name: edge[name] for name in edge if name not in _GRAPHITI_SAID}),
        )


def _graph(edge: Event) -> str:
    return str(edge.get("group_id") or edge.get("graph_uuid") or "")


def _true_since(edge: Event, given: Given) -> str:
    return Clock(None, given.modified_at).time(edge.get("valid_at") or edge.get("created_at"))


GRAPHITI = ExportFormat("Graphiti, Zep (edges)", _graphiti_fits, _graphiti_read)
