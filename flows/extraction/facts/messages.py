"""One fact for each message that tells something to remember, told so that it stands alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from flows.cuts import ExtractedFact
from flows.extraction.facts.contexts import Context, asks_in_vain, context_of, open_question, short_answer
from flows.extraction.facts.selection import Reader
from flows.extraction.wording.reports import reported
from flows.extraction.wording.retelling import Kind, Retelling, Said, participants

_LONGEST_FACT = 900  # characters; a small embedder reads no more, so a longer message becomes several facts
_SHOWN_ALONE = ("```", "[file")  # what is to remember without a word about it; a picture is not, unless it was read
_SHORT_READING = 200  # characters read in an attachment that stand beside the words of its message
_REACH = 5  # messages back in which what a fact is about may be named


def message_facts(retellings: Sequence[Retelling], topic: str) -> list[ExtractedFact]:
    """What is to remember, in order: a fact for each message that tells it.

    A fact that is its message retold has ``same_as_source``. What leans on the message before is joined with it, or with
    the question that it answers; the first source is always the message itself. Remarks, general truths, and what nothing
    explains are no facts: a search finds their messages themselves. Questions are left to their answers unless they tell
    something.
    """
    read = Reader(participants(retellings), len({retelling.speaker for retelling in retellings}))
    facts: list[ExtractedFact] = []
    for position, retelling in enumerate(retellings):
        said, context = _told(retelling, retellings[max(0, position - _REACH) : position], read)
        for passage in _passages(said):
            first = passage[0] is said[0]
            event_at, event_until = event_time(passage)
            statement = reported(retelling, passage)
            sources: tuple[int, ...] = (retelling.index,)
            if context is not None and first:
                statement, sources = context.opening + statement, (retelling.index, *context.sources)
            as_source = first and context is None and (len(passage) == len(said) or not any(one.reads for one in said))
            facts.append(ExtractedFact(statement, topic, sources, event_at, event_until, same_as_source=as_source))
    return facts or [_as_it_stands(one, topic) for one in retellings if _says_something(one)]


def _says_something(retelling: Retelling) -> bool:
    return any(one.informative and one.kind is not Kind.QUESTION for one in retelling.said)


def event_time(said: Sequence[Said]) -> tuple[datetime | None, datetime | None]:
    """When it happens: the most exact date of the sentences, the first of equals; ``until`` is exclusive."""
    mentions = [mention for one in said for mention in one.dates]
    if not mentions:
        return None, None
    best = min(mentions, key=lambda mention: mention.span.days)
    return best.since, best.until


def _as_it_stands(retelling: Retelling, topic: str) -> ExtractedFact:
    """A message that says something, in an episode that says nothing more."""
    said = [one for one in retelling.said if one.informative and one.kind is not Kind.QUESTION]
    event_at, event_until = event_time(said)
    return ExtractedFact(reported(retelling, said), topic, (retelling.index,), event_at, event_until, same_as_source=True)


def _told(retelling: Retelling, earlier: Sequence[Retelling], read: Reader) -> tuple[list[Said], Context | None]:
    """The sentences of a message that its fact has, and what goes before them."""
    question = open_question(retelling, earlier, read)
    kept = read.kept(retelling, answers=question is not None)
    words = [one for one in kept if one.kind is not Kind.ATTACHMENT]
    if question and (not words or words[0].kind is Kind.QUESTION):
        answer = short_answer(retelling, question, read)
        if answer:
            return answer, question.context
    unclear = question is None and asks_in_vain(retelling, earlier)
    while words and words[0].kind is Kind.STATEMENT:
        context = context_of(words, retelling, earlier, question, read)
        alone = not read.leans(words[0], retelling) and not (unclear and read.is_light(words[0]))
        if context or alone:
            return kept, context
        kept.remove(words.pop(0))
    return (kept if words else [one for one in kept if one.reads or one.text.startswith(_SHOWN_ALONE)]), None


def _reads_much(one: Said) -> bool:
    return one.goes_on or len(one.reads) > _SHORT_READING


def _passages(said: Sequence[Said]) -> Iterator[list[Said]]:
    """The sentences in stretches that fit into a fact; what was read in an attachment stands apart, unless it is short."""
    passage: list[Said] = []
    length = 0
    for one in said:
        apart = bool(passage) and _reads_much(one) != _reads_much(passage[-1])
        if passage and (apart or length + len(one.told) > _LONGEST_FACT):
            yield passage
            passage, length = [], 0
        passage.append(one)
        length += len(one.told)
    if passage:
        yield passage
