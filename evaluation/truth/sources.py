"""Sources of drawn facts: chats in any known form, and the records that are made of them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from connectors.indices import open_index
from evaluation.own_index import fresh_index
from evaluation.retrieval.sets import LOADERS
from evaluation.truth.material import chats, is_ended
from flows import ingest
from mneme.errors import InputError
from mneme.records import AnyRecord, AtomicFact, Entity, Episode, Foresight, Mention, Profile, Relationship, StoredMessage
from mneme.rows import Collection
from mneme.settings import Settings
from mneme.times import zone
from serving.terminal.format import whole_day

_READ = (Collection.MESSAGES, Collection.EPISODES, Collection.FACTS, Collection.GRAPH, Collection.MEMORIES)


@dataclass(frozen=True, slots=True)
class Source:
    """A name, and the files that are ingested together.

    ``data_set`` is a name of ``LOADERS``; None for what ``mneme ingest`` reads itself.
    """

    name: str
    paths: tuple[Path, ...] = ()
    data_set: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation: an entity, a relationship, a line of a profile, a foresight. ``sources`` are its messages."""

    kind: str
    id: str
    text: str
    sources: tuple[tuple[str | None, str], ...]


class Store:
    """The records of one source: its facts, annotations and messages, each in an order that does not depend on the run."""

    def __init__(self, name: str, records: Sequence[AnyRecord]) -> None:
        """Nothing is read later.

        Args:
            name: of the source.
            records: all that were stored.
        """
        self.name = name
        self._records = sorted(records, key=lambda record: record.id)

    @cached_property
    def facts(self) -> list[AtomicFact]:
        """Those that are found: not those that another stands for."""
        facts = [record for record in self._records if isinstance(record, AtomicFact)]
        return [fact for fact in facts if fact.validity.merged_into is None]

    @property
    def dated(self) -> list[AtomicFact]:
        """Facts with the date of what they tell."""
        return [fact for fact in self.facts if fact.event_at is not None]

    @property
    def ended(self) -> list[AtomicFact]:
        """Facts that are marked as no longer so, themselves or by a claim."""
        return [fact for fact in self.facts if is_ended(fact)]

    @cached_property
    def conversations(self) -> dict[str | None, list[StoredMessage]]:
        """The messages of each conversation, in the order in which they were sent."""
        found: dict[str | None, list[StoredMessage]] = {}
        messages = [record for record in self._records if isinstance(record, StoredMessage) and not record.deleted]
        for message in sorted(messages, key=lambda each: (each.sent_at, each.position.offset)):
            found.setdefault(message.conversation_id, []).append(message)
        return found

    def zone_of(self, fact: AtomicFact) -> tzinfo:
        """Return the time zone of its first message; UTC where that message is not there."""
        of_conversation = self.conversations.get(fact.conversation_id, ())
        zones = (message.timezone for message in of_conversation if message.message_id == fact.message_ids[0])
        return zone(next(zones, "UTC"))

    @cached_property
    def annotations(self) -> dict[str, list[Annotation]]:
        """Annotations by kind: entity, foresight, profile, relationship."""
        found: dict[str, list[Annotation]] = {"entity": [], "relationship": [], "profile": [], "foresight": []}
        for record in self._records:
            for each in self._annotations_of(record):
                found[each.kind].append(each)
        return found

    def _annotations_of(self, record: AnyRecord) -> Iterator[Annotation]:
        match record:
            case Entity(merged_into=None):
                names = f" (also {', '.join(record.aliases)})" if record.aliases else ""
                text = f"{record.name}{names}, a {record.type}: {record.summary}"
                yield Annotation("entity", record.id, text, self._said(record.mentions))
            case Relationship():
                since = f", since {whole_day(record.date)}" if record.date else ""
                over = _over(record)
                text = f"{record.source} -- {record.relation} -> {record.target}{since}{over}"
                yield Annotation("relationship", record.id, text, self._said(record.mentions))
            case Profile():
                for item in (*record.explicit, *record.implicit):
                    text = f"{item.about} [{item.category}{', implicit' if item.implicit else ''}]: {item.statement}"
                    yield Annotation("profile", f"{record.id} {text}", text, self._said(item.evidence))
            case Foresight():
                days = [f"{name} {day:%Y-%m-%d %H:%M}" for name, day in (("from", record.start), ("until", record.end)) if day]
                days += ["no longer so"] if record.validity.valid_to else []
                text = f"{record.statement} [{', '.join(days) or 'no date'}]"
                said = tuple((record.conversation_id, each) for each in record.message_ids)
                yield Annotation("foresight", record.id, text, said)

    def _said(self, mentions: Sequence[Mention]) -> tuple[tuple[str | None, str], ...]:
        said = ((self._conversation_of.get(one.episode_id), message) for one in mentions for message in one.message_ids)
        return tuple(dict.fromkeys(said))

    @cached_property
    def _conversation_of(self) -> dict[str, str | None]:
        return {record.id: record.conversation_id for record in self._records if isinstance(record, Episode)}


def _over(edge: Relationship) -> str:
    """Until when an edge held; where nobody named a day and nothing took its place, when it was told that it is over."""
    if (end := edge.validity.valid_to) is None:
        return ""
    known = edge.validity.superseded_by is not None or end in [mention.date for mention in edge.mentions if mention.ended]
    return f", until {whole_day(end)}" if known else f", no longer so (told {whole_day(end)})"


def sources_of(given: Sequence[str]) -> list[Source]:
    """Return the named sources, each ``[NAME=]PATH``; without any, the shipped chats, each a source of its own.

    The files of one published set are one source, and so are those of one name.

    Raises:
        InputError: a path is not there.
    """
    found: dict[str, Source] = {}
    for one in given or [str(path) for path in chats()]:
        name, _, rest = one.rpartition("=")
        path = Path(rest)
        if not path.is_file():
            raise InputError(f"{path}: no file; give a chat, or a file of a published set")
        data_set = _data_set(path)
        name = name or data_set or path.stem
        known = found.get(name, Source(name))
        found[name] = Source(name, (*known.paths, path), data_set)
    return list(found.values())


def filled(source: Source, settings: Settings) -> Store:
    """Return the store of a source, ingested without a model into an index of its own.

    Raises:
        MnemeError: whatever the flow or the index raises.
    """
    with TemporaryDirectory(prefix="mneme-truth-") as folder, fresh_index(settings, "truth") as own:
        paths = list(source.paths)
        ingest(
            [LOADERS[source.data_set](paths).write(Path(folder))] if source.data_set else paths,
            own,
            defaults={"group_id": source.name},
        )
        with closing(open_index(own, read_only=True)) as index:
            return Store(source.name, [row.record() for collection in _READ for row in index.scan(collection)])


def _data_set(path: Path) -> str | None:
    """Return the published set that a file is of: a name of ``LOADERS``."""
    if path.suffix != ".json":
        return None
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON; give the file as it was published") from error
    match data:
        case {"chat": _, "questions": _}:
            return "beam"
        case [{"message_list": _}, *_]:
            return "memdaily"
        case [{"haystack_sessions": _}, *_]:
            return "longmemeval"
        case [{"sample_id": _, "qa": _}, *_]:
            return "locomo"
    return None
