"""MemMachine: what ``POST /api/v2/memories/list`` gives, one page or several.

    {"status": 0, "content": {"episodic_memory": [{uid, content, session_key, created_at, producer_id, producer_role, ...}],
                              "semantic_memory": [{set_id, category, tag, feature_name, value, metadata: {citations, id}}]}}

An episode of MemMachine is a message, and becomes one. A feature is a line of a profile without a date of its own; it becomes
a message that says it, dated by the last episode that it cites, where that is in the file.
"""

from collections.abc import Iterator
from typing import Any

from connectors.files.chat_events import Clock, Event, Given, message, metadata_of, role_of
from connectors.files.exports.shape import Shape, first, listed
from mneme.ids import short_hash

_KINDS = ("episodic_memory", "semantic_memory")


def _content(page: Any) -> Any:
    """What a page holds, in its envelope or without."""
    return page.get("content", page) if isinstance(page, dict) else page


def _fits(data: Any) -> bool:
    content = _content(first(data))
    return isinstance(content, dict) and any(isinstance(content.get(kind), list) for kind in _KINDS)


def _read(data: Any, given: Given) -> Iterator[Event]:
    pages = [_content(page) for page in listed(data)]
    episodes, features = ([one for page in pages for one in page.get(kind) or []] for kind in _KINDS)
    said_at = {str(episode["uid"]): _time(episode, given) for episode in episodes}
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
            sent_at=said_at[str(episode["uid"])],
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
    """When the last episode that a feature cites was said; empty where none of them is in the file."""
    citations = (feature.get("metadata") or {}).get("citations") or []
    return max((said_at[str(citation)] for citation in citations if str(citation) in said_at), default="")


def _id(feature: Event) -> str:
    given = (feature.get("metadata") or {}).get("id")
    told = "\0".join(str(feature.get(name)) for name in ("set_id", "category", "tag", "feature_name", "value"))
    return str(given) if given is not None else short_hash(told)


MEMMACHINE = Shape("MemMachine", _fits, _read)
