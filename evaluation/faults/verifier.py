"""Is everything there, once, and nothing else? Judged from the input topics and the index, by nothing of the flow.

1. What must be there is computed from the topics (evaluation/faults/expected.py).
2. Every message is in the index once, as it was sent, and in exactly one episode; the episodes of a conversation divide its
   messages in their order; each is named after its first message.
3. What an episode lists is there, and what is there is listed: facts, foresights, case, entities, relationships,
   profile, clusters, chunks of documents. Nothing is left of work in progress.
4. What could not be read is a dead letter, and nothing else is.
5. Where there is another index that an undisturbed run filled from the same topics, both hold the same.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from connectors.indices import open_index
from connectors.kafka.sinks import read_dead_letters
from evaluation.faults.expected import Conversation, Expected, ExpectedMessage, expect
from mneme.ids import case_id, chunk_episode_id, cluster_id, content_hash, episode_id, fact_id, foresight_id, make_id
from mneme.ports import MemoryIndex
from mneme.receipts import flush_marker
from mneme.rows import Collection, Row
from mneme.settings import Settings
from mneme.times import to_milliseconds, utc_now

KINDS = ("lost", "duplicated", "unexpected", "orphans", "different")
_SHOWN = 8  # ids of each kind
_AT_WORK = ("amendment", "unread")  # rows of control that must be gone when nothing is under way
_HISTORY = ("version", "closed_by", "provisional", "position", "edited_by")  # of a record: how it came to be


@dataclass(frozen=True, slots=True)
class Verification:
    """The findings. ``lost`` to ``different`` count what is wrong; ``examples`` are the first ids of each, with the reason.

    ``lost``: messages that are not stored or in no episode, flushes that were not answered, bad events without a dead letter.
    ``duplicated``: messages in several episodes, rows with one id. ``unexpected``: what nobody sent. ``orphans``: what no
    episode lists, and what is listed and not there. ``different``: content or ids that do not follow from the input, or that
    an undisturbed run made otherwise. ``content`` is the hash of all records; ``repeated_dead_letters`` were sent again after
    a crash, which is allowed.
    """

    messages: int = 0
    episodes: int = 0
    facts: int = 0
    records: int = 0
    dead_letters: int = 0
    repeated_dead_letters: int = 0
    lost: int = 0
    duplicated: int = 0
    unexpected: int = 0
    orphans: int = 0
    different: int = 0
    content: str = ""
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """True if nothing is wrong."""
        return not any(getattr(self, kind) for kind in KINDS)


def verify(settings: Settings, undisturbed: Settings | None = None, refused: Mapping[str, str] | None = None) -> Verification:
    """Judge the index of ``settings`` by the topics of ``settings``.

    All that was sent must have been settled: the flow stopped, or a flush of every conversation answered.

    Args:
        settings: topics and index.
        undisturbed: of an index that another run filled from the same topics without any fault.
        refused: further events that must be dead letters, by position: those that read well and that the index refuses.

    Raises:
        StoreError: topics or index cannot be read.
    """
    expected = expect(settings.kafka, refused or {})
    letters = [(str(letter.position), letter.stage) for letter in read_dead_letters(settings.kafka)]
    return judge(expected, read_rows(settings), letters, scan_rows(undisturbed) if undisturbed is not None else None)


def read_rows(settings: Settings) -> list[Row]:
    """Every row of an index; see ``scan_rows``."""
    return list(scan_rows(settings))


def scan_rows(settings: Settings) -> Iterator[Row]:
    """Every row of an index, refreshed, with its vector replaced by whether it has one (``_has_vector`` of the body)."""
    with closing(open_index(settings, read_only=True)) as index:
        if settings.index.backend == "opensearch":  # a reader of the embedded index sees the latest by itself
            index.refresh()
        for collection in Collection:
            yield from _scan(index, collection)


def judge(
    expected: Expected,
    rows: Sequence[Row],
    letters: Sequence[tuple[str, str]],
    undisturbed: Iterable[Row] | None = None,
) -> Verification:
    """Judge rows and dead letters (position, stage) by what is expected, and by the rows of an undisturbed run."""
    checks = _Checks(expected, rows)
    checks.messages()
    checks.episodes()
    checks.documents()
    checks.derived()
    checks.aggregates()
    checks.control()
    checks.dead_letters(letters)
    content = contents(rows)
    if undisturbed is not None:
        checks.same(content, contents(undisturbed))
    known = len({position for position, _ in letters})
    return Verification(
        messages=sum(row.kind != "deleted" for row in _of_conversations(checks.rows[Collection.MESSAGES]).values()),
        episodes=len(checks.rows[Collection.EPISODES]),
        facts=sum(row.body.get("kind") == "fact" for row in checks.rows[Collection.FACTS].values()),
        records=len(content),
        dead_letters=known,
        repeated_dead_letters=len(letters) - known,
        content=content_hash("\n".join(f"{name} {digest}" for name, digest in sorted(content.items())).encode())[:16],
        examples={kind: tuple(shown) for kind, shown in checks.examples.items()},
        **{kind: checks.counts[kind] for kind in KINDS},
    )


class _Checks:
    """Checks of a memory, one for each part of it: what is wrong, counted by kind, with the first ids and reasons."""

    def __init__(self, expected: Expected, rows: Sequence[Row]) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        self.rows: dict[Collection, dict[str, Row]] = {collection: {} for collection in Collection}
        self._expected = expected
        for row in rows:
            if row.id in self.rows[row.collection]:
                self._add("duplicated", row.id, "lies in the index under two owners")
            self.rows[row.collection][row.id] = row

    def _add(self, kind: str, identity: str, reason: str) -> None:
        self.counts[kind] += 1
        if len(shown := self.examples.setdefault(kind, [])) < _SHOWN:
            shown.append(f"{identity}: {reason}")

    def _linked(self, listed: Mapping[str, str], there: Mapping[str, Row], missing: str = "orphans") -> None:
        """Everything that is listed is there, and everything there is listed. ``listed``: the ids, each with who lists it."""
        for identity in listed.keys() - there.keys():
            self._add(missing, identity, f"{listed[identity]} lists it, and it is not there")
        for identity in there.keys() - listed.keys():
            self._add("orphans", identity, "is there, and nothing lists it")

    # --- messages and episodes ---------------------------------------------------------------------------------------

    def messages(self) -> None:
        """Every message is stored as it was sent, and no other."""
        # Documents are not on the topics that are read here: what must be there of them follows from their records.
        expected, stored = self._expected.messages, _of_conversations(self.rows[Collection.MESSAGES])
        for identity, message in expected.items():
            row = stored.get(identity)
            if row is None:
                self._add("lost", identity, "is not in the index of messages")
            elif wrong := list(_unlike(message, row)):
                self._add("different", identity, f"is stored with another {', '.join(wrong)} than it was sent with")
        for identity in stored.keys() - expected.keys():
            self._add("unexpected", identity, "is stored, and nobody sent it")

    def episodes(self) -> None:
        """Every message is in exactly one episode of its conversation, in order."""
        talks = self._expected.by_conversation()
        by_talk: dict[Conversation, list[Row]] = {}
        for row in _of_conversations(self.rows[Collection.EPISODES]).values():
            by_talk.setdefault((row.tenant_id, row.conversation_id or ""), []).append(row)
            if not row.body["message_ids"]:
                self._add("unexpected", row.id, "is an episode without messages")
        for talk, messages in talks.items():
            self._divided(talk, messages, sorted(by_talk.get(talk, ()), key=lambda row: (row.at, row.id)))
        for talk in by_talk.keys() - talks.keys():
            for row in by_talk[talk]:
                self._add("unexpected", row.id, "is an episode of a conversation that has no messages")

    def _divided(self, talk: Conversation, messages: Sequence[ExpectedMessage], episodes: Sequence[Row]) -> None:
        """The episodes of a conversation are consecutive stretches of its messages."""
        known = {message.said.message_id: message for message in messages}
        listed = [identity for episode in episodes for identity in episode.body["message_ids"]]
        counts = Counter(listed)
        for identity in known.keys() - counts.keys():
            self._add("lost", known[identity].id, "is in no episode")
        for identity, times in counts.items():
            if identity not in known:
                self._add("unexpected", make_id(*talk, identity), "is in an episode, and nobody sent it (or it was deleted)")
            elif times > 1:
                self._add("duplicated", known[identity].id, f"is in episodes {times} times")
        if listed != list(known) and counts == Counter(list(known)):
            self._add("different", make_id(*talk), "its episodes do not divide its messages in their order")
        for episode in episodes:
            if episode.owner_key != self._expected.owners[talk].key:
                self._add("different", episode.id, "is an episode of another owner than its conversation's")
            first = known.get(next(iter(episode.body["message_ids"]), ""))
            if first is not None and episode.id != episode_id(
                *talk, to_milliseconds(first.said.sent_at), first.said.message_id
            ):
                self._add("different", episode.id, f"is not named after its first message {first.said.message_id}")

    def documents(self) -> None:
        """Every document was read; its chunks are there, each with its episode, and none that no document has (any more)."""
        documents = [row for row in self.rows[Collection.CONTROL].values() if row.kind == "document"]
        for row in documents:
            if row.body["status"] == "reading":
                self._add("orphans", row.id, "is a document that nobody has read to its end")
        chunks, episodes = (
            {identity: row for identity, row in self.rows[collection].items() if row.document_id is not None}
            for collection in (Collection.MESSAGES, Collection.EPISODES)
        )
        self._linked({chunk: row.id for row in documents for chunk in row.body["chunk_ids"]}, chunks, missing="lost")
        self._linked({chunk_episode_id(identity): identity for identity in chunks}, episodes, missing="lost")
        for identity, row in chunks.items():
            episode = episodes.get(chunk_episode_id(identity))
            if episode is not None and episode.body["message_ids"] != list(row.message_ids):
                self._add("different", episode.id, "is an episode of something else than its chunk")

    # --- what is made of episodes ------------------------------------------------------------------------------------

    def derived(self) -> None:
        """Facts, foresights and cases: listed by their episode, named after it, telling of its messages."""
        memories, episodes = self.rows[Collection.MEMORIES], self.rows[Collection.EPISODES]
        of_episodes = {id: row for id, row in memories.items() if row.body["kind"] in ("foresight", "case")}
        there = {**self.rows[Collection.FACTS], **of_episodes}
        listed: dict[str, str] = {}
        for episode in episodes.values():
            body = episode.body
            named = [(identity, fact_id(episode.id, place)) for place, identity in enumerate(body["fact_ids"])]
            named += [(identity, foresight_id(episode.id, place)) for place, identity in enumerate(body["foresight_ids"])]
            named += [(body["case_id"], case_id(episode.id))] if body["case_id"] is not None else []
            for identity, name in named:
                listed[identity] = episode.id
                if identity != name:
                    self._add("different", identity, f"is listed by {episode.id} in the place of {name}")
            if not body["_has_vector"]:
                self._add("different", episode.id, "has no vector")
        self._linked(listed, there)
        for identity in listed.keys() & there.keys():
            row, episode = there[identity], episodes[listed[identity]]
            if row.body["parent_episode_id"] != episode.id or row.owner_key != episode.owner_key:
                self._add("orphans", identity, f"{episode.id} lists it, and it belongs to another episode or owner")
            if not set(row.body["message_ids"]) <= set(episode.body["message_ids"]):
                self._add("orphans", identity, "cites messages that its episode does not have")
            if row.collection is Collection.FACTS and not row.body["_has_vector"]:
                self._add("different", identity, "has no vector")
        for row in memories.values():
            for case in row.body["source_case_ids"] if row.body["kind"] == "skill" else ():
                if case not in memories:
                    self._add("orphans", row.id, f"is learnt from {case}, which is not there")

    def aggregates(self) -> None:
        """Entities, relationships and profiles: made from mentions in episodes that list them, as far as there is room."""
        profiles = {id: row for id, row in self.rows[Collection.MEMORIES].items() if row.body["kind"] == "profile"}
        aggregates, episodes = {**self.rows[Collection.GRAPH], **profiles}, self.rows[Collection.EPISODES]
        listed = {(identity, row.id) for row in episodes.values() for identity in row.body["aggregate_ids"]}
        mentioned = {(identity, each["episode_id"]) for identity, row in aggregates.items() for each in _mentions(row.body)}
        for identity in aggregates.keys() - {identity for identity, _ in mentioned}:
            self._add("orphans", identity, "is mentioned nowhere")
        for identity, episode in mentioned - listed:
            self._add("orphans", identity, f"is mentioned in {episode}, which does not list it or is not there")
        for identity, episode in listed - mentioned:
            if identity not in aggregates:
                self._add("orphans", identity, f"{episode} lists it, and it is not there")
            elif not _leaves_out(aggregates[identity].body, episodes[episode]):
                self._add("orphans", identity, f"{episode} lists it, and is not among its mentions")

    # --- what the flow keeps for itself ------------------------------------------------------------------------------

    def control(self) -> None:
        """Flushes are answered, owners and clusters are known, nothing is left of work in progress."""
        control, now = self.rows[Collection.CONTROL], utc_now()
        markers = {flush_marker(tenant, flush_id, now).id for tenant, flush_id in self._expected.flushes}
        talks = {make_id("conversation", *talk): owner for talk, owner in self._expected.owners.items()}
        for identity in markers - control.keys():
            self._add("lost", identity, "the flush was never answered")
        for identity in talks.keys() - control.keys():
            self._add("lost", identity, "the conversation's owner is not known")
        for identity, row in control.items():
            if row.kind == "flush" and identity not in markers:
                self._add("orphans", identity, "is the marker of a flush that nobody sent")
            elif row.kind in _AT_WORK:
                self._add("orphans", identity, "is work in progress that nobody finished")
            elif row.kind == "conversation" and identity not in talks:
                self._add("unexpected", identity, "tells of a conversation that nobody began")
            elif row.kind == "conversation" and row.body["owner"] != talks[identity].model_dump():
                self._add("different", identity, "tells another owner than that of the conversation's first message")
        self._clusters({identity: _members(row) for identity, row in control.items() if row.kind == "cluster"})

    def _clusters(self, clusters: Mapping[str, set[str]]) -> None:
        """Members of a cluster are there, and a statement is in the cluster of each of its claims."""
        statements = {**self.rows[Collection.FACTS], **self.rows[Collection.MEMORIES]}
        there = statements.keys() | self.rows[Collection.GRAPH].keys()
        for identity, members in clusters.items():
            for member in sorted(members - there):
                self._add("orphans", identity, f"has the member {member}, which is not there")
        for identity, row in statements.items():
            for claim in row.body.get("claims", ()):
                cluster = cluster_id(row.owner_key, f"{claim['subject'].casefold()}|{claim['attribute']}")
                if identity not in clusters.get(cluster, ()):
                    self._add("orphans", identity, f"claims what the cluster {cluster} is about, which does not have it")

    def dead_letters(self, letters: Sequence[tuple[str, str]]) -> None:
        """Events which cannot be read have a dead letter, and no others."""
        refused, positions = self._expected.refused, {position for position, _ in letters}
        for position in refused.keys() - positions:
            self._add("lost", position, f"is no event ({refused[position]}), and has no dead letter")
        for position, stage in sorted({letter for letter in letters if letter[0] not in refused}):
            self._add("unexpected", position, f"is a sound event, and has a dead letter of {stage}")

    def same(self, content: Mapping[str, str], undisturbed: Mapping[str, str]) -> None:
        """The contents are those of an undisturbed run."""
        for identity in content.keys() | undisturbed.keys():
            if content.get(identity) != undisturbed.get(identity):
                here, there = identity in content, identity in undisturbed
                reason = "has another content" if here and there else "is not there" if here else "is there"
                self._add("different", identity, f"{reason} after an undisturbed run")


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
    if body["sender_id"] != message.said.sender_id:
        yield "sender"
    if to_milliseconds(row.at) != to_milliseconds(message.said.sent_at):
        yield "time"
    if not body["_has_vector"]:
        yield "vector (it has none)"


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


def _members(cluster: Row) -> set[str]:
    """The ids of what is in a cluster."""
    return {*cluster.body["member_ids"], *(each["id"] for each in cluster.body["statements"])}


def _of_conversations(rows: Mapping[str, Row]) -> dict[str, Row]:
    """Return the rows of no document."""
    return {identity: row for identity, row in rows.items() if row.document_id is None}


def contents(rows: Iterable[Row]) -> dict[str, str]:
    """A hash of each record without its history (versions, positions, whether it was once provisional), by where it lies."""
    hashes = {}
    for row in rows:
        if row.collection is Collection.CONTROL and row.kind != "cluster":
            continue
        body = {name: value for name, value in row.body.items() if name not in _HISTORY}
        columns = [row.kind, row.owner_key, row.at, row.until, row.event_at, row.valid_to, row.parent_id, row.message_ids]
        text = json.dumps([body, columns, row.tokens], sort_keys=True, default=str, ensure_ascii=False)
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()
        hashes[f"{row.collection}:{row.owner_key}:{row.id}"] = digest
    return hashes


def _scan(index: MemoryIndex, collection: Collection) -> Iterator[Row]:
    embedded = collection in (Collection.MESSAGES, Collection.EPISODES, Collection.FACTS)
    for row in index.scan(collection, with_vectors=embedded):
        row.body["_has_vector"] = row.vector is not None
        yield row.embedded(None)
