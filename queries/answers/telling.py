"""The words of a memory where others are shown beside it: a quote without what the lines around it tell. Pure.

A quote goes without its day, which stands above it, and with what it answers only where it is short. Of English words the
sentences that tell nothing go too: questions to the listener, greetings, thanks, farewells and praise. Where a quote has no
other sentences it keeps them, and stands behind those that tell something (``tells_nothing``).
"""

import re
from collections.abc import Collection
from functools import lru_cache

from mneme.records import Quote
from mneme.text import tokenise
from queries.records import one_line, only_asks

LONGEST = 6000  # characters of one memory; some 1,500 tokens
_LONGEST_BEFORE = 120  # characters of what a quote takes along: a question is its last sentence
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+")
_OF_LISTENER, _OF_ONESELF = re.compile(r"\byour?s?\b", re.I), re.compile(r"\b(?:I|my|me|we|our|us)\b")
_PHOTO = re.compile(r"\[shared a photo: (?:an? (?:photo|photography|picture|image) of )?")
_SAYS_LITTLE = 40  # characters of a quote that needs what it answers: beside all quotes that cost a fifth of a context
_MANNERS_AT_MOST = 80  # characters; what is longer tells something
_MANNERS = frozenset(
    tokenise(
        """hey hi hello howdy wow whoa woah aww oh ah haha lol thanks thank cheers bye goodbye welcome congrats congratulations
        yeah yep yup sure ok okay cool nice great awesome amazing fantastic wonderful lovely perfect excellent incredible good
        glad sorry well really so much lot definitely absolutely totally exactly course agree agreed right true worries problem
        sounds sound looks look hear heard hearing see know chat chatting talk talking talked catch soon later again care take
        keep going go luck appreciate appreciated way day hope hopefully been long time since thing"""
    )
)
_CALLED = re.compile(r"(?:(?<=^)(\w+),? |, )[A-Z][\w'’-]*(?=[!.,…]|$)")  # "Hey Ann!", "Well done, Ann."
_HAS_A_VALUE = re.compile(r"[\d\[]|\b(?:yes|no|nope|not|never|\w+n['’]t)\b", re.I)


def told(text: str, quote: Quote | None, shown: Collection[str] = ()) -> str:
    """The words of a memory, on one line.

    Args:
        text: of the memory.
        quote: what it quotes; None where a model wrote it.
        shown: ids of messages whose quotes have lines of their own.
    """
    words = one_line(quote.words, LONGEST) if quote is not None else ""
    if quote is None or quote.artifact is not None or words not in text:
        return text
    before = [quote.question or quote.context, quote.behind] if len(words) < _SAYS_LITTLE else []
    kept = [each for each in before if each is not None and each.message_id not in shown]
    taken_along = "".join(f' (to {each.speaker}: "{_shortened(each.words)}")' for each in kept)
    own = _telling(words) if quote.language == "en" else words
    return one_line(f"{quote.speaker}{taken_along}: {own}{text.partition(words)[2]}", LONGEST)


def tells_nothing(text: str, quote: Quote | None) -> bool:
    """True if a memory has no sentence but questions, or but greetings, thanks and praise.

    >>> tells_nothing("How was it?", None), tells_nothing("It was cold.", None)
    (True, False)
    """
    words = quote.words if quote is not None else text
    is_english = quote is not None and quote.language == "en"
    return only_asks(words) or (is_english and all(_is_manners(each) for each in _SENTENCES.split(words.strip())))


def _telling(words: str) -> str:
    """English words without the sentences that tell nothing, where there are others, and with photos told in short.

    >>> _telling("Hey Ann! Pottery is fun! What about you? [shared a photo: a photo of a bowl]")
    'Pottery is fun! [photo: a bowl]'
    """
    sentences = _SENTENCES.split(_PHOTO.sub("[photo: ", words.strip()))
    telling = [each for each in sentences if not _asks_the_listener(each) and not _is_manners(each)]
    return " ".join(telling or sentences)


def _asks_the_listener(sentence: str) -> bool:
    return sentence.endswith("?") and not _OF_ONESELF.search(sentence) and _OF_LISTENER.search(sentence) is not None


@lru_cache(maxsize=8192)
def _is_manners(sentence: str) -> bool:
    """True for an English greeting, thanks, a farewell or praise alone.

    >>> [_is_manners(each) for each in ("Thanks, Ann!", "Talk to you soon!", "I love Rome!", "No, thanks.")]
    [True, True, False, False]
    """
    if len(sentence) > _MANNERS_AT_MOST or _HAS_A_VALUE.search(sentence):
        return False
    words = tokenise(_CALLED.sub(r"\1", sentence))
    return bool(words) and _MANNERS.issuperset(words)


def _shortened(words: str) -> str:
    """The last sentences of what a quote answers, as far as they are short."""
    sentences = _SENTENCES.split(words.strip())
    kept = sentences[-1]
    for sentence in reversed(sentences[:-1]):
        if len(sentence) + len(kept) >= _LONGEST_BEFORE:
            break
        kept = f"{sentence} {kept}"
    return kept if len(kept) <= 2 * _LONGEST_BEFORE else f"{kept[: 2 * _LONGEST_BEFORE]}…"
