"""What no fact of a model tells: kept as quotes, so that every sentence of every message is found."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from flows.cuts import ExtractedFact, Utterance
from flows.extraction.quotes import quotes_of, told
from mneme.relations import SAID
from mneme.text import tokenise

_TOLD = 0.5  # share of the words of a sentence that facts which cite its message have, from which they tell it


def untold(utterances: Sequence[Utterance], facts: Sequence[ExtractedFact], topic: str) -> Iterator[ExtractedFact]:
    """A quote for each passage with a sentence that no fact tells.

    Args:
        utterances: the messages of the episode.
        facts: what the model made of them.
        topic: the subject of the episode.
    """
    words: dict[int, set[str]] = defaultdict(set)
    for fact in facts:
        for source in fact.sources:
            words[source].update(tokenise(fact.statement))
    for quote in quotes_of(told(utterances), topic):
        assert quote.quote is not None
        own, known = set(tokenise(quote.quote.words)), words[quote.sources[0]]
        corrects = any(claim.attribute == SAID and claim.ends for claim in quote.claims)  # ends what is quoted
        if corrects or len(own & known) < _TOLD * len(own) or (not own and not known):
            yield quote
