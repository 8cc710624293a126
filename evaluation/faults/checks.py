"""Checks of a memory, one for each part of it. The expectation does not rest on the flow's own knowledge."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from evaluation.faults.expected import Conversation, Expected, ExpectedMessage
from mneme.ids import case_id, chunk_episode_id, cluster_id, episode_id, fact_id, foresight_id, make_id
from mneme.records import Owner
from mneme.rows import Collection, Row, flush_marker
from mneme.times import to_milliseconds, utc_now

KINDS = ("lost", "duplicated", "unexpected", "orphans", "different")
_SHOWN = 8  # ids of each kind
_AT_WORK = ("amendment", "unread")  # rows of control that must be gone when nothing is under way

Rows = Mapping[Collection, Mapping[str, Row]]  # by collection and id


class Findings:
    """The errors, counted by kind, with the first ids."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, kind: str, identity: str, reason: str) -> None:
        """Note one more of a kind."""
        self._counts[kind] += 1
        if len(shown := self._examples.setdefault(kind, [])) < _SHOWN:
            shown.append(f"{identity}: {reason}")

    def counts(self) -> dict[str, int]:
        """Count the errors of each kind."""
        return {kind: self._counts[kind] for kind in KINDS}

    def examples(self) -> dict[str, tuple[str, ...]]:
        """The first of each kind, with the reason."""
        return {kind: tuple(shown) for kind, shown in self._examples.items()}


# --- messages and episodes -------------------------------------------------------------------------------------------


def check_messages(expected: Expected, stored: Mapping[str, Row], found: Findings) -> None:
    """Every message is stored as it was sent, and no other."""
    for identity, message in expected.messages.items():
        row = stored.get(identity)
        if row is None:
            found.add("lost", identity, "is not in the index of messages")
        elif wrong := list(_unlike(message, row)):
            found.add("different", identity, f"is stored with another {', '.join(wrong)} than it was sent with")
    for identity in stored.keys() - expected.messages.keys():
        found.add("unexpected", identity, "is stored, and nobody sent it")


def _unlike(message: ExpectedMessage, row: Row) -> Iterator[str]:
    body = row.body
    if body["owner"] != message.owner.model_dump() or row.owner_key != message.owner.key:
        yield "owner"
    if (row.kind == "deleted") != message.deleted:
        yield "state"
    if not message.has_text(body["text"]):
        yield "text"
    if message.deleted:
        return
    if body["sender_id"] != message.sender_id:
        yield "sender"
    if to_milliseconds(row.at) != to_milliseconds(message.sent_at):
        yield "time"
    if not body["_has_vector"]:
        yield "vector (it has none)"


def check_episodes(expected: Expected, episodes: Mapping[str, Row], found: Findings) -> None:
    """Every message is in exactly one episode of its conversation, in order."""
    talks = expected.by_conversation()
    by_talk: dict[Conversation, list[Row]] = {}
    for row in episodes.values():
        by_talk.setdefault((row.tenant_id, row.conversation_id or ""), []).append(row)
        if not row.body["message_ids"]:
            found.add("unexpected", row.id, "is an episode without messages")
    for talk, messages in talks.items():
        own = sorted(by_talk.get(talk, ()), key=lambda row: (row.at, row.id))
        _divided(talk, messages, own, expected.owners[talk], found)
    for talk in by_talk.keys() - talks.keys():
        for row in by_talk[talk]:
            found.add("unexpected", row.id, "is an episode of a conversation that has no messages")


def _divided(
    talk: Conversation, messages: Sequence[ExpectedMessage], episodes: Sequence[Row], owner: Owner, found: Findings
) -> None:
    """The episodes of a conversation are consecutive stretches of its messages."""
    listed = [identity for episode in episodes for identity in episode.body["message_ids"]]
    in_order = [message.message_id for message in messages]
    counts = Counter(listed)
    known = {message.message_id: message for message in messages}
    for identity in known.keys() - counts.keys():
        found.add("lost", known[identity].id, "is in no episode")
    for identity, times in counts.items():
        if identity not in known:
            found.add("unexpected", make_id(*talk, identity), "is in an episode, and nobody sent it (or it was deleted)")
        elif times > 1:
            found.add("duplicated", known[identity].id, f"is in episodes {times} times")
    if listed != in_order and counts == Counter(in_order):
        found.add("different", make_id(*talk), "its episodes do not divide its messages in their order")
    for episode in episodes:
        if episode.owner_key != owner.key:
            found.add("different", episode.id, "is an episode of another owner than its conversation's")
        first = known.get(next(iter(episode.body["message_ids"]), ""))
        if first is not None and episode.id != episode_id(*talk, to_milliseconds(first.sent_at), first.message_id):
            found.add("different", episode.id, f"is not named after its first message {first.message_id}")


def check_documents(rows: Rows, found: Findings) -> None:
    """Every document was read; its chunks are there, each with its episode, and none that no document has (any more)."""
    listed: set[str] = set()
    for identity, row in rows[Collection.CONTROL].items():
        if row.kind == "document":
            listed.update(row.body["chunk_ids"])
            if row.body["status"] == "reading":
                found.add("orphans", identity, "is a document that nobody has read to its end")
    messages, episodes = rows[Collection.MESSAGES], rows[Collection.EPISODES]
    for identity in listed - messages.keys():
        found.add("lost", identity, "is a chunk that its document lists, and is not there")
    chunks = {identity: row for identity, row in messages.items() if row.document_id is not None}
    for identity, row in chunks.items():
        episode = episodes.get(chunk_episode_id(identity))
        if identity not in listed:
            found.add("orphans", identity, "is a chunk that no document lists")
        if episode is None:
            found.add("lost", identity, "is a chunk that is in no episode")
        elif episode.body["message_ids"] != list(row.message_ids):
            found.add("different", episode.id, "is an episode of something else than its chunk")
    own = {chunk_episode_id(identity) for identity in chunks}
    for identity, row in episodes.items():
        if row.document_id is not None and identity not in own:
            found.add("orphans", identity, "is an episode of a chunk that is not there")


# --- what is made of episodes ----------------------------------------------------------------------------------------


def check_derived(episodes: Mapping[str, Row], rows: Rows, found: Findings) -> None:
    """Facts, foresights and cases: listed by their episode, named after it, telling of its messages."""
    facts, memories = rows[Collection.FACTS], rows[Collection.MEMORIES]
    there = {**facts, **{id: row for id, row in memories.items() if row.body["kind"] in ("foresight", "case")}}
    listed: dict[str, Row] = {}
    for episode in episodes.values():
        body = episode.body
        for field_name, name_of in (("fact_ids", fact_id), ("foresight_ids", foresight_id)):
            for place, identity in enumerate(body[field_name]):
                listed[identity] = episode
                if identity != name_of(episode.id, place):
                    found.add("different", identity, f"is no {place}th of {field_name} of {episode.id}")
        if body["case_id"] is not None:
            listed[body["case_id"]] = episode
            if body["case_id"] != case_id(episode.id):
                found.add("different", body["case_id"], f"is not the case of {episode.id}")
        if not body["_has_vector"]:
            found.add("different", episode.id, "has no vector")
    for identity, row in there.items():
        episode_row = listed.get(identity)
        if episode_row is None:
            found.add("orphans", identity, "no episode lists it")
            continue
        if row.body["parent_episode_id"] != episode_row.id or row.owner_key != episode_row.owner_key:
            found.add("orphans", identity, f"{episode_row.id} lists it, and it belongs to another episode or owner")
        if not set(row.body["message_ids"]) <= set(episode_row.body["message_ids"]):
            found.add("orphans", identity, "cites messages that its episode does not have")
        if row.collection is Collection.FACTS and not row.body["_has_vector"]:
            found.add("different", identity, "has no vector")
    for identity in listed.keys() - there.keys():
        found.add("orphans", identity, f"{listed[identity].id} lists it, and it is not there")
    for row in memories.values():
        if row.body["kind"] == "skill":
            for case in row.body["source_case_ids"]:
                if case not in memories:
                    found.add("orphans", row.id, f"is learnt from {case}, which is not there")


def check_aggregates(episodes: Mapping[str, Row], rows: Rows, found: Findings) -> None:
    """Entities, relationships and profiles: made from mentions in episodes that list them, as far as there is room for them."""
    profiles = {id: row for id, row in rows[Collection.MEMORIES].items() if row.body["kind"] == "profile"}
    aggregates = {**rows[Collection.GRAPH], **profiles}
    for identity, row in aggregates.items():
        mentioned_in = {mention["episode_id"] for mention in _mentions(row.body)}
        if not mentioned_in:
            found.add("orphans", identity, "is mentioned nowhere")
        for episode in mentioned_in:
            if episode not in episodes:
                found.add("orphans", identity, f"is mentioned in {episode}, which is not there")
            elif identity not in episodes[episode].body["aggregate_ids"]:
                found.add("orphans", identity, f"is mentioned in {episode}, which does not list it")
    for episode in episodes.values():
        for identity in episode.body["aggregate_ids"]:
            mentioned = aggregates.get(identity)
            if mentioned is None:
                found.add("orphans", identity, f"{episode.id} lists it, and it is not there")
            elif all(mention["episode_id"] != episode.id for mention in _mentions(mentioned.body)) and not _leaves_out(
                mentioned.body, episode
            ):
                found.add("orphans", identity, f"{episode.id} lists it, and is not among its mentions")


def _leaves_out(body: Mapping[str, Any], episode: Row) -> bool:
    """Return whether what an episode says of an aggregate may be older than what the aggregate has room for."""
    until = body.get("left_out_until")
    return until is not None and to_milliseconds(episode.at) <= to_milliseconds(datetime.fromisoformat(until))


def _mentions(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if body["kind"] == "profile":
        for item in (*body["evidence"], *body["explicit"], *body["implicit"]):
            yield from item["evidence"]
    else:
        yield from body["mentions"]


# --- what the flow keeps for itself ----------------------------------------------------------------------------------


def check_control(expected: Expected, rows: Rows, found: Findings) -> None:
    """Flushes are answered, owners and clusters are known, nothing is left of work in progress."""
    control = rows[Collection.CONTROL]
    now = utc_now()
    for tenant, flush_id in expected.flushes:
        if (identity := flush_marker(tenant, flush_id, now).id) not in control:
            found.add("lost", identity, "the flush was never answered")
    markers = {flush_marker(tenant, flush_id, now).id for tenant, flush_id in expected.flushes}
    talks = {make_id("conversation", *talk): owner for talk, owner in expected.owners.items()}
    statements = {**rows[Collection.FACTS], **rows[Collection.MEMORIES]}
    members = {**statements, **rows[Collection.GRAPH]}
    clusters = {identity: _members(row) for identity, row in control.items() if row.kind == "cluster"}
    for identity, row in control.items():
        if row.kind == "flush" and identity not in markers:
            found.add("orphans", identity, "is the marker of a flush that nobody sent")
        elif row.kind in _AT_WORK:
            found.add("orphans", identity, "is work in progress that nobody finished")
        elif row.kind == "conversation":
            if identity not in talks:
                found.add("unexpected", identity, "tells of a conversation that nobody began")
            elif row.body["owner"] != talks[identity].model_dump():
                found.add("different", identity, "tells another owner than that of the conversation's first message")
        elif row.kind == "cluster":
            for member in sorted(clusters[identity]):
                if member not in members:
                    found.add("orphans", identity, f"has the member {member}, which is not there")
    for identity in talks.keys() - control.keys():
        found.add("lost", identity, "the conversation's owner is not known")
    for identity, row in statements.items():
        for claim in row.body.get("claims", ()):
            cluster = cluster_id(row.owner_key, f"{claim['subject'].casefold()}|{claim['attribute']}")
            if identity not in clusters.get(cluster, ()):
                found.add("orphans", identity, f"claims what the cluster {cluster} is about, which does not have it")


def _members(cluster: Row) -> set[str]:
    """The ids of what is in a cluster."""
    return {*cluster.body["member_ids"], *(each["id"] for each in cluster.body["statements"])}


def check_dead_letters(expected: Expected, letters: Sequence[tuple[str, str]], found: Findings) -> set[str]:
    """Check that events which cannot be read have a dead letter, and no others; return the positions that have one."""
    positions = {position for position, _ in letters}
    for position, reason in expected.refused.items():
        if position not in positions:
            found.add("lost", position, f"is no event ({reason}), and has no dead letter")
    for position, stage in sorted({letter for letter in letters if letter[0] not in expected.refused}):
        found.add("unexpected", position, f"is a sound event, and has a dead letter of {stage}")
    return positions
