"""The texts of an episode: its most central sentences as its summary, all messages, or a model's facts, as its narrative."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from flows.cuts import Cut, ExtractedFact, Utterance
from flows.extraction.quotes import AnnotatedMessage
from flows.extraction.sentences import Sentence
from mneme.dates import DaySpan
from mneme.languages import languages_of
from mneme.text import tokenise
from mneme.times import zone_or_utc

_SENTENCES = 3
_LONGEST = 420  # characters: with the subject about half of what a small embedder reads
_OVERLAP = 0.5  # share of a sentence's words that an earlier choice may already have
_MOST_SPREAD = 5  # messages after which a word does not count more
_BRIEF = 3  # added to a sentence's number of words, so that two words do not make a centre
_CLOSENESS = 2.0  # weight of the vector's cosine against the words, which reach about 2 as well
_MOST_WEIGHED = 400  # sentences of an episode that may stand for it


def summary_of(sentences: Sequence[Sentence], closeness: Sequence[float]) -> str:
    """Two or three sentences that stand for the episode, each with who said it.

    Args:
        sentences: of the episode, in order.
        closeness: for each utterance of the cut the cosine with the mean of the episode.
    """
    spoken = [one for one in sentences if not one.is_question and not one.artifact] or list(sentences)
    chosen = central(spoken[:_MOST_WEIGHED], [closeness[one.index] for one in spoken[:_MOST_WEIGHED]])
    summary, speaker = "", ""
    for one in chosen:
        head = f"{one.speaker}: " if one.speaker and one.speaker != speaker else ""
        summary = f"{summary} {head}{one.text}".strip()
        speaker = one.speaker
    return summary


def central(sentences: Sequence[Sentence], closeness: Sequence[float] = ()) -> list[Sentence]:
    """The most central sentences, in their order.

    A sentence is central when its words recur in others and its message is near the mean of all (centroid-based
    summarisation, Radev et al. 2004); one that mostly repeats a chosen one is passed over.

    Args:
        sentences: the candidates.
        closeness: for each the cosine of its message with the mean of the episode; none where there are no vectors.
    """
    words = [set(tokenise(one.text)) for one in sentences]
    spread = Counter(word for own in words for word in own)
    scores = [sum(min(spread[word], _MOST_SPREAD) for word in own) / (len(own) + _BRIEF) for own in words]
    scores = [score + _CLOSENESS * near for score, near in zip(scores, closeness or [0.0] * len(scores), strict=True)]
    chosen: list[int] = []
    length = 0
    for at in sorted(range(len(sentences)), key=lambda at: (-scores[at], at)):
        covered = set().union(*(words[other] for other in chosen))
        size = len(sentences[at].text)
        if size > _LONGEST or (chosen and (length + size > _LONGEST or len(words[at] & covered) > _OVERLAP * len(words[at]))):
            continue
        chosen.append(at)
        length += size
        if len(chosen) == _SENTENCES:
            break
    return [sentences[at] for at in sorted(chosen)]


def closeness(utterances: Sequence[Utterance]) -> list[float]:
    """For each message the cosine of its vector with the mean of all; 0 where there is no vector."""
    vectors = [utterance.vector for utterance in utterances if utterance.vector is not None]
    if not vectors:
        return [0.0] * len(utterances)
    mean = np.mean(vectors, axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    return [0.0 if one.vector is None else float(one.vector @ mean) / length for one in utterances]


def narrative_of(messages: Sequence[AnnotatedMessage]) -> str:
    """One paragraph for each message: who said it, and the words."""
    lines, today = [], None
    for each in messages:
        message = each.message
        day = message.sent_at.astimezone(zone_or_utc(message.timezone)).date()
        if day != today:
            today, span = day, DaySpan.of_day(day)
            chinese = any(one.language == "zh" for one in each.sentences)
            lines.append(f"{span.in_chinese()}：" if chinese else f"{span.in_english()}:")
        lines.append(f"{message.sender_name}: {message.text.strip()}")
    return "\n".join(lines)


def told_in_order(facts: Sequence[ExtractedFact], cut: Cut) -> str:
    """The facts of an episode in the order of their messages, each on a line, under the day on which they were said.

    Args:
        facts: of which the first source counts.
        cut: the episode; of a document there are no days.
    """
    lines, today = [], None
    for fact in sorted(facts, key=lambda fact: fact.sources[0]):
        message = cut.utterances[fact.sources[0]].message
        words = fact.statement if fact.quote is None else f"{fact.quote.speaker}: {fact.quote.words}"
        day = message.sent_at.astimezone(zone_or_utc(message.timezone)).date()
        if day != today and not cut.is_document:
            today, span = day, DaySpan.of_day(day)
            lines.append(f"{span.in_chinese()}：" if languages_of([words]) == ["zh"] else f"{span.in_english()}:")
        lines.append(words)
    return "\n".join(lines)
