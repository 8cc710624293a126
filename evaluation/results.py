"""What a search response stands for, by rank, so that its messages can be measured.

A fact stands for all messages that say it, its own first, an episode for those of its nested facts, best first; a raw message
for itself, and anything else for the messages it cites. An episode's narrative covers all its messages.
"""

from collections.abc import Callable, Iterator

from evaluation.metrics import Result
from queries.responses import SearchResponse

CountTokens = Callable[[str], int]


def ranked_results(response: SearchResponse, count_tokens: CountTokens) -> list[Result]:
    """The places of a response in order of rank, each with its messages and the length of its text."""
    places = {rank: Result(messages, covered, count_tokens(text)) for rank, messages, covered, text in _places(response)}
    return [places[rank] for rank in sorted(places)]


def _places(response: SearchResponse) -> Iterator[tuple[int, tuple[str, ...], frozenset[str], str]]:
    for episode in (*response.episodes, *response.knowledge):
        if episode.rank is not None:
            inside = [(fact.score, fact.said_in) for fact in episode.atomic_facts]
            inside.sort(key=lambda each: -each[0])
            nested = tuple(dict.fromkeys(message for _, messages in inside for message in messages))
            yield episode.rank, nested, frozenset(episode.message_ids), episode.episode
        for fact in episode.atomic_facts:
            if fact.rank is not None:
                yield fact.rank, fact.said_in, frozenset(fact.said_in), fact.atomic_fact
    for message in response.raw_messages:
        if message.rank is not None:
            yield message.rank, (message.message_id,), frozenset((message.message_id,)), message.text
    for foresight in response.foresights:
        if foresight.rank is not None:
            yield foresight.rank, foresight.said_in, frozenset(foresight.said_in), foresight.statement
    for case in response.agent_memory.cases:
        if case.rank is not None:
            text = f"{case.task_intent} {case.approach} {case.key_insight}"
            yield case.rank, case.message_ids, frozenset(case.message_ids), text
    for skill in response.agent_memory.skills:
        if skill.rank is not None:
            yield skill.rank, (), frozenset(), f"{skill.name} {skill.description} {skill.content}"
    for profile in response.profiles:
        if profile.rank is not None:
            items = (*profile.explicit, *profile.implicit)
            cited = tuple(
                dict.fromkeys(message for item in items for mention in item.evidence for message in mention.message_ids)
            )
            yield profile.rank, cited, frozenset(cited), " ".join(item.statement for item in items)
