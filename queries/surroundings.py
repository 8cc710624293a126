"""surroundings: what a response shows beside what was found: the messages around it, and the owner's portrait."""

from collections.abc import Iterable
from dataclasses import replace

from mneme.ports import MemoryIndex, Selection
from mneme.rows import Collection
from queries.filtering.scope import Scope, profile_rows
from queries.questions.types import QuestionType, asks_for_several
from queries.responses import FoundEpisode, FoundFact, FoundMessage, FoundProfile, SearchResponse
from queries.shape import fields_of

_MOST = 1000  # messages of one response


def neighbours(index: MemoryIndex, scope: Scope, response: SearchResponse, count: int) -> tuple[FoundMessage, ...]:
    """The messages around those that hold places, in the order in which they were said, without a rank.

    An episode's own border is kept: behind it another matter begins. What a filter by time, people or metadata leaves
    out may be among them: they are shown for the context.

    Args:
        index: holds the messages.
        scope: whose memory it is.
        response: what was found.
        count: messages before, and as many after.
    """
    episodes = {each.id: each for each in (*response.episodes, *response.knowledge)}
    wanted: dict[tuple[str, str], FoundEpisode] = {}
    for item in response.ranked():
        match item:
            case FoundFact() | FoundMessage():
                episode = episodes.get(item.parent_episode_id or "")
                said = item.message_ids if isinstance(item, FoundFact) else (item.message_id,)
            case FoundEpisode():
                episode, said = item, tuple(each for fact in item.atomic_facts for each in fact.message_ids)
            case _:
                continue
        if episode is not None and episode.conversation_id is not None:
            wanted |= {(episode.conversation_id, each): episode for each in _around(episode.message_ids, said, count)}
    shown = {(each.conversation_id, each.message_id) for each in response.raw_messages}
    missing = [each for each in wanted if each not in shown][:_MOST]
    if not missing:
        return ()
    rows = replace(
        scope.rows,
        people=(),
        labels=(),
        since=None,
        before=scope.moment if scope.is_past else None,
        conversation_ids=tuple({conversation: None for conversation, _ in missing}),
        message_ids=tuple({message: None for _, message in missing}),
    )
    _, (scored,) = index.ask(legs=(), selections=[Selection(Collection.MESSAGES, rows, _MOST)], tokens=(), vector=None)
    messages = []
    for row in (known for each in scored if (known := scope.known(each.row)) is not None):
        episode = wanted.get((row.conversation_id or "", row.message_ids[0]))
        if row.kind == "message" and episode is not None:
            messages.append(FoundMessage(**fields_of(row), score=0.0, parent_episode_id=episode.id))
    return tuple(sorted(messages, key=lambda each: (each.sent_at, each.id)))


def with_portrait(index: MemoryIndex, scope: Scope, found: SearchResponse) -> SearchResponse:
    """Add the owners' profile, without a rank, where the question asks for several things or for a taste.

    One line of it tells what many memories do. A filter that leaves some memories out leaves it out: it is made of all.
    """
    asked, rows = found.query, scope.rows
    wants_all = asked.type == QuestionType.PREFERENCE or asks_for_several(asked.text)
    chosen = rows.people or rows.conversation_ids or rows.document_ids or rows.since or (rows.before and not scope.is_past)
    if found.profiles or scope.is_narrowed or chosen or not wants_all:
        return found
    portraits = (known for row in profile_rows(index, rows) if (known := scope.known(row)) is not None)
    profiles = tuple(FoundProfile(**fields_of(row), score=0.0) for row in portraits)
    return found.model_copy(update={"profiles": profiles})


def _around(order: tuple[str, ...], said: Iterable[str], count: int) -> list[str]:
    """The ids at most ``count`` places before or after one of those that were said, these left out."""
    said = set(said)
    at = [place for place, each in enumerate(order) if each in said]
    near = {place for each in at for place in range(max(0, each - count), min(len(order), each + count + 1))}
    return [order[place] for place in sorted(near - set(at))]
