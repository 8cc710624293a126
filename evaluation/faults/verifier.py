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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from connectors.indices import open_index
from connectors.kafka.sinks import read_dead_letters
from evaluation.faults.checks import (
    KINDS,
    Findings,
    check_aggregates,
    check_control,
    check_dead_letters,
    check_derived,
    check_documents,
    check_episodes,
    check_messages,
)
from evaluation.faults.expected import Expected, expect
from mneme.ids import content_hash
from mneme.ports import MemoryIndex
from mneme.rows import Collection, Row
from mneme.settings import Settings

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
    found = Findings()
    by_collection: dict[Collection, dict[str, Row]] = {collection: {} for collection in Collection}
    for row in rows:
        if row.id in by_collection[row.collection]:
            found.add("duplicated", row.id, "lies in the index under two owners")
        by_collection[row.collection][row.id] = row
    # Documents are not on the topics that are read here: what must be there of them follows from their records.
    stored = _of_conversations(by_collection[Collection.MESSAGES])
    episodes = by_collection[Collection.EPISODES]
    check_messages(expected, stored, found)
    check_episodes(expected, _of_conversations(episodes), found)
    check_documents(by_collection, found)
    check_derived(episodes, by_collection, found)
    check_aggregates(episodes, by_collection, found)
    check_control(expected, by_collection, found)
    known = check_dead_letters(expected, letters, found)
    content = contents(rows)
    if undisturbed is not None:
        _compare(content, contents(undisturbed), found)
    return Verification(
        messages=sum(row.kind != "deleted" for row in stored.values()),
        episodes=len(episodes),
        facts=sum(row.body.get("kind") == "fact" for row in by_collection[Collection.FACTS].values()),
        records=len(content),
        dead_letters=len(known),
        repeated_dead_letters=len(letters) - len(known),
        content=content_hash("\n".join(f"{name} {digest}" for name, digest in sorted(content.items())).encode())[:16],
        examples=found.examples(),
        **found.counts(),
    )


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


def _compare(content: Mapping[str, str], undisturbed: Mapping[str, str], found: Findings) -> None:
    for identity in content.keys() | undisturbed.keys():
        if identity not in undisturbed:
            found.add("different", identity, "is not there after an undisturbed run")
        elif identity not in content:
            found.add("different", identity, "is there after an undisturbed run")
        elif content[identity] != undisturbed[identity]:
            found.add("different", identity, "has another content after an undisturbed run")


def _scan(index: MemoryIndex, collection: Collection) -> Iterator[Row]:
    embedded = collection in (Collection.MESSAGES, Collection.EPISODES, Collection.FACTS)
    for row in index.scan(collection, with_vectors=embedded):
        row.body["_has_vector"] = row.vector is not None
        yield row.embedded(None)
