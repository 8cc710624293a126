"""Context expansion: what was said directly before and after each message that was found, within its episode."""

from collections.abc import Iterable
from dataclasses import replace

from mneme.ports import MemoryIndex
from mneme.records import StoredMessage
from mneme.rows import Collection
from queries.filtering.scope import Scope
from queries.responses import FoundEpisode, FoundFact, FoundMessage, SearchResponse

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
    found = index.score(Collection.MESSAGES, rows, (), None, _MOST)
    messages = []
    for row in (known for each in found if (known := scope.known(each.row)) is not None):
        message = row.record()
        episode = wanted.get((row.conversation_id or "", row.message_ids[0]))
        if isinstance(message, StoredMessage) and episode is not None:
            messages.append(
                FoundMessage(
                    id=row.id,
                    score=0.0,
                    message_id=row.message_ids[0],
                    conversation_id=row.conversation_id,
                    sender_id=message.sender_id,
                    sender_name=message.sender_name,
                    text=message.text,
                    sent_at=row.at,
                    citation=message.citation,
                    parent_episode_id=episode.id,
                )
            )
    return tuple(sorted(messages, key=lambda each: (each.sent_at, each.id)))


def _around(order: tuple[str, ...], said: Iterable[str], count: int) -> list[str]:
    """The ids at most ``count`` places before or after one of those that were said, these left out."""
    said = set(said)
    at = [place for place, each in enumerate(order) if each in said]
    near = {place for each in at for place in range(max(0, each - count), min(len(order), each + count + 1))}
    return [order[place] for place in sorted(near - set(at))]
