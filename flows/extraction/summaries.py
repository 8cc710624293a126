"""The summary of an episode: its most central sentences, in order, in the third person."""

from collections import Counter
from collections.abc import Sequence

from flows.extraction.wording.reports import reported
from flows.extraction.wording.retelling import Kind, Retelling, Said
from flows.extraction.wording.substance import content_words
from mneme.text import has_cjk, tokenise

_SENTENCES = 3
_LONGEST = 420  # characters: with the subject about half of what a small embedder reads
_OVERLAP = 0.5  # share of a sentence's words that an earlier choice may already have
_MOST_SPREAD = 5  # messages after which a word does not count more
_SHORT_READING = 200  # characters read in an attachment that may stand for an episode
_BRIEF = 3  # added to a sentence's number of words, so that two words do not make a centre
_CLOSENESS = 2.0  # weight of the vector's cosine against the words, which reach about 2 as well


def summary_of(retellings: Sequence[Retelling], closeness: Sequence[float]) -> str:
    """Two or three sentences that stand for the episode; what was said first when nothing says much.

    Args:
        retellings: the messages.
        closeness: for each utterance of the cut the cosine with the mean of the episode.
    """
    spoken = [(retelling, one) for retelling in retellings for one in retelling.said if _tells(one)]
    if not spoken:
        spoken = [(retelling, one) for retelling in retellings for one in retelling.said][:1]
    owner = {id(one): retelling for retelling, one in spoken}
    chosen = central([one for _, one in spoken], [closeness[retelling.index] for retelling, _ in spoken])
    summary, speaker = "", ""
    for one in chosen:
        retelling = owner[id(one)]
        sentence = reported(retelling, [one])
        if retelling.speaker == speaker:
            sentence = sentence.removeprefix(f"{speaker} said: ").removeprefix(f"{speaker}说：")
        separator = "" if not summary or has_cjk(summary[-4:]) else " "
        summary, speaker = f"{summary}{separator}{sentence}", retelling.speaker
    return summary


def _tells(one: Said) -> bool:
    """Whether a sentence says something in words; what was read in an attachment does where it is short."""
    in_words = one.kind is Kind.STATEMENT or (bool(one.reads) and len(one.reads) <= _SHORT_READING)
    return one.informative and in_words and not one.goes_on


def central(sentences: Sequence[Said], closeness: Sequence[float] = ()) -> list[Said]:
    """The most central sentences, in their order.

    A sentence is central when its words recur in others and its message is near the mean of all (centroid-based
    summarisation, Radev et al. 2004); one that mostly repeats a chosen one is passed over.

    Args:
        sentences: the candidates.
        closeness: for each the cosine of its message with the mean of the episode; none where there are no vectors.
    """
    words = [set(tokenise(" ".join(content_words(one.text)) or one.text)) for one in sentences]
    spread = Counter(word for own in words for word in own)
    scores = [sum(min(spread[word], _MOST_SPREAD) for word in own) / (len(own) + _BRIEF) for own in words]
    scores = [score + _CLOSENESS * near for score, near in zip(scores, closeness or [0.0] * len(scores), strict=True)]
    chosen: list[int] = []
    length = 0
    for at in sorted(range(len(sentences)), key=lambda at: (-scores[at], at)):
        covered = set().union(*(words[other] for other in chosen))
        size = len(sentences[at].told)
        if chosen and (length + size > _LONGEST or len(words[at] & covered) > _OVERLAP * len(words[at])):
            continue
        chosen.append(at)
        length += size
        if len(chosen) == _SENTENCES:
            break
    return [sentences[at] for at in sorted(chosen)]
