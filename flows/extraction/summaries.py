"""The summary of an episode: its most central sentences, in order, as said."""

from collections import Counter
from collections.abc import Sequence

from flows.extraction.spoken import Sentence
from mneme.text import tokenise

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
