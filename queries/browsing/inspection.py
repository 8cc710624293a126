"""A conversation with everything that was made from it: ``Memories.inspect``.

Unlike a search it shows what no search finds: repetitions, deleted messages, names of the same thing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from mneme.errors import InputError
from mneme.ports import Filter, MemoryIndex
from mneme.records import (
    AgentCase,
    AnyRecord,
    AtomicFact,
    Entity,
    Episode,
    Foresight,
    Profile,
    Relationship,
    StoredMessage,
    Validity,
)
from mneme.rows import Collection, Key
from queries.browsing.history import history_line, is_in_portrait
from queries.browsing.lists import in_order, listed_document, stored_documents
from queries.browsing.responses import (
    HistoryLine,
    InspectedCase,
    InspectedEntity,
    InspectedEpisode,
    InspectedMessage,
    InspectedRelationship,
    InspectedStatement,
    Inspection,
    State,
)
from queries.filtering.scope import Scope
from queries.records import shared_fields

MOST_MESSAGES = 20_000  # of a conversation, by id; others are asked for by since and before
_MOST_NAMED = 5  # documents of one name that a message lists
MOST_STATEMENTS = 100_000  # facts, and as many foresights and cases

Kind = TypeVar("Kind", StoredMessage, Episode, AtomicFact)
Statement = TypeVar("Statement", AtomicFact, Foresight)


def read_inspection(index: MemoryIndex, scope: Scope, place: str) -> Inspection | None:
    """A conversation or a document, by its id; None if the owner has none of this name, or nothing in it yet.

    A document that is speech is shown as the conversation that it became. One may also be named by its file.

    1. Its messages and episodes, and the documents that it has or is.
    2. What was made from them.
    3. Each message to its episode.

    Raises:
        InputError: the scope is one of the past, where what is shown is what lies in the index now; it is narrowed by
            metadata or kinds; or several documents have this file's name.
        StoreError: the index cannot answer.
    """
    if scope.is_past:
        raise InputError("filters: as_of is for search and history; an inspection shows what lies in the index now")
    if scope.is_narrowed:
        raise InputError("filters: metadata and kinds are for a search; an inspection shows everything of one conversation")
    # 1.
    filter = replace(scope.rows, conversation_ids=(place,), hidden=True)
    messages = _read(index, Collection.MESSAGES, filter, MOST_MESSAGES, StoredMessage)
    count = len(messages)
    messages = [message for message in messages if message.document_id is None]
    episodes = _read(index, Collection.EPISODES, filter, MOST_MESSAGES, Episode)
    is_document = not messages and not episodes
    if is_document:
        filter = replace(scope.rows, document_ids=(place,), hidden=True)
        episodes = _read(index, Collection.EPISODES, filter, MOST_MESSAGES, Episode)
    documents = list(islice(stored_documents(index, filter), MOST_MESSAGES))
    if not (messages or episodes or documents):
        named = _called(index, scope, place)
        return read_inspection(index, scope, named) if named is not None else None
    speech = next((each.conversation_id for each in documents if each.conversation_id and each.message_id is None), None)
    if is_document and not episodes and speech and (talk := read_inspection(index, scope, speech)) is not None:
        return talk
    messages.sort(key=lambda message: (message.sent_at, message.message_id))
    places = in_order(documents)
    behind = (len(documents), 0)
    episodes.sort(key=lambda episode: (episode.started_at, episode.id))
    episodes.sort(key=lambda episode: (-1, 0) if episode.document_id is None else places.get(episode.id, behind))
    # 2.
    made = _made(index, replace(filter, since=None, before=None), scope, episodes)
    # 3.
    inside, still_open = _inside(messages, episodes)
    return Inspection(
        conversation_id=None if is_document else place,
        document_id=place if is_document else None,
        owner=(messages or episodes or documents)[0].owner.key,
        episodes=tuple(_episode(each, inside[each.id], made) for each in episodes),
        open=tuple(inspected_message(message) for message in still_open),
        documents=tuple(listed_document(each) for each in documents),
        notes=(f"only {MOST_MESSAGES:,} messages are shown",) if count == MOST_MESSAGES else (),
    )


def _called(index: MemoryIndex, scope: Scope, name: str) -> str | None:
    """The id of the document with this file's name, if it has another; None where there is none."""
    called = [each.document_id for each in stored_documents(index, scope.rows) if each.name == name]
    ids = sorted({each for each in called if each is not None and each != name})
    if len(ids) > 1:
        raise InputError(f"{name!r} is the name of {len(ids)} documents; give the id of one: {', '.join(ids[:_MOST_NAMED])}")
    return ids[0] if ids else None


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """The records made from episodes: statements and cases by episode; entities, relationships and portraits by id."""

    facts: Mapping[str, Sequence[AtomicFact]]
    foresights: Mapping[str, Sequence[Foresight]]
    over: frozenset[str]
    cases: Mapping[str, AgentCase]
    shared: Mapping[str, AnyRecord]


def _made(index: MemoryIndex, filter: Filter, scope: Scope, episodes: Iterable[Episode]) -> _Made:
    rows = list(islice(index.scan(Collection.MEMORIES, filter), MOST_STATEMENTS))
    memories = [row.record() for row in rows]
    keys = [
        Key(collection, episode.owner.key, identity)
        for episode in episodes
        for identity in episode.aggregate_ids
        for collection in (Collection.GRAPH, Collection.MEMORIES)
    ]
    shared = {key.id: row.record() for key, row in index.get(list(dict.fromkeys(keys))).items()}
    aliases = [each for each in shared.values() if isinstance(each, Entity) and each.merged_into]
    known_as = [Key(Collection.GRAPH, each.owner.key, each.merged_into or "") for each in aliases]
    shared |= {key.id: row.record() for key, row in index.get(known_as).items()}
    return _Made(
        facts=_by_episode(_read(index, Collection.FACTS, filter, MOST_STATEMENTS, AtomicFact)),
        foresights=_by_episode([each for each in memories if isinstance(each, Foresight)]),
        over=frozenset(row.id for row in rows if row.kind == "foresight" and scope.is_over(row)),
        cases={each.parent_episode_id: each for each in memories if isinstance(each, AgentCase)},
        shared=shared,
    )


def _read(index: MemoryIndex, collection: Collection, filter: Filter, most: int, kind: type[Kind]) -> list[Kind]:
    records = (row.record() for row in islice(index.scan(collection, filter), most))
    return [record for record in records if isinstance(record, kind)]


def _by_episode(statements: Iterable[Statement]) -> dict[str, list[Statement]]:
    """The statements of each episode, in the order in which it made them."""
    inside: dict[str, list[Statement]] = {}
    for each in sorted(statements, key=lambda each: int(each.id.rpartition("/")[2])):
        inside.setdefault(each.parent_episode_id, []).append(each)
    return inside


def _inside(
    messages: Sequence[StoredMessage], episodes: Sequence[Episode]
) -> tuple[dict[str, list[StoredMessage]], list[StoredMessage]]:
    """The messages of each episode, and those in none. A deleted one stands where it stood: behind the one before it."""
    holder = {message: episode.id for episode in episodes for message in episode.message_ids}
    inside: dict[str, list[StoredMessage]] = {episode.id: [] for episode in episodes}
    still_open: list[StoredMessage] = []
    latest: str | None = None
    for message in messages:
        episode = holder.get(message.message_id) or (latest if message.deleted else None)
        (inside[episode] if episode else still_open).append(message)
        latest = episode
    return inside, still_open


def _episode(episode: Episode, messages: Iterable[StoredMessage], made: _Made) -> InspectedEpisode:
    shared = [made.shared[identity] for identity in episode.aggregate_ids if identity in made.shared]
    case = made.cases.get(episode.id)
    return InspectedEpisode(
        **shared_fields(InspectedEpisode, episode),
        messages=tuple(inspected_message(message) for message in messages),
        facts=tuple(_statement(each, each.atomic_fact, made) for each in made.facts.get(episode.id, ())),
        foresights=tuple(_statement(each, each.statement, made) for each in made.foresights.get(episode.id, ())),
        entities=tuple(_entities(episode.id, shared, made.shared)),
        relationships=tuple(_relationships(episode.id, shared)),
        profile=tuple(_lines(episode.id, shared)),
        case=case and InspectedCase(**shared_fields(InspectedCase, case)),
    )


def inspected_message(message: StoredMessage) -> InspectedMessage:
    """A message as an inspection shows it."""
    return InspectedMessage(
        **shared_fields(InspectedMessage, message),
        tools=tuple(call.name for call in message.tool_calls),
        edited=message.edited_by not in (None, message.position),  # what was read in an attachment is no edit
    )


def _statement(record: AtomicFact | Foresight, text: str, made: _Made) -> InspectedStatement:
    state, times_said = _state(record.validity, record.id in made.over), 1 + len(record.validity.repeated_by)
    return InspectedStatement(**shared_fields(InspectedStatement, record), text=text, state=state, times_said=times_said)


def _state(validity: Validity, is_over: bool) -> State:
    if validity.merged_into:
        return "merged"
    if validity.valid_to:
        return "superseded"
    return "expired" if is_over else "holds"


def _entities(episode: str, shared: Iterable[AnyRecord], known: Mapping[str, AnyRecord]) -> Iterator[InspectedEntity]:
    for entity in shared:
        if isinstance(entity, Entity):
            known_as = known.get(entity.merged_into or "")
            same_as = known_as.name if isinstance(known_as, Entity) else None
            for mention in entity.mentions:
                if mention.episode_id == episode:
                    name, kind = mention.name or entity.name, mention.type or entity.type
                    yield InspectedEntity(name=name, type=kind, text=mention.text, same_as=same_as)


def _relationships(episode: str, shared: Iterable[AnyRecord]) -> Iterator[InspectedRelationship]:
    for edge in shared:
        if isinstance(edge, Relationship):
            for mention in edge.mentions:
                if mention.episode_id == episode:
                    own = shared_fields(InspectedRelationship, edge) | shared_fields(InspectedRelationship, mention)
                    yield InspectedRelationship(**own)


def _lines(episode: str, shared: Iterable[AnyRecord]) -> Iterator[HistoryLine]:
    """The profile evidence of the episode, in its own words; a sentence that claims several things once."""
    for profile in shared:
        if isinstance(profile, Profile):
            lines: dict[tuple[str, str], HistoryLine] = {}
            for item in profile.evidence:
                if any(mention.episode_id == episode for mention in item.evidence):
                    lines.setdefault((item.about, item.statement), history_line(item, is_in_portrait(item, profile)))
            yield from lines.values()
