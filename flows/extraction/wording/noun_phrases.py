"""Candidates for noun phrases in English: runs of content words that no verb, number or stop word breaks."""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from flows.extraction.wording.names import names_in
from flows.extraction.wording.substance import beginnings, carries
from flows.extraction.wording.word_classes import is_adjective, is_adverb, is_measure, is_verb

_TOKEN = re.compile(r"[^\W_]+(?:['’&+./-][^\W_]+)*\+?|[^\w\s]")
_SEVERAL_CAPITALS = re.compile(r"[A-Z][\w'’&-]*\.?(?: (?:of|the|de|da|&)){0,2} [A-Z0-9]|[\"“][A-Z]")  # of names and titles
_BEFORE_NOUNS = frozenset(
    """a an the my your our his her their its this that these those some any no of in for at with about on from into new
    more many another each every favorite favourite without both per by""".split()
)
_BEFORE_VERBS = frozenset(
    """to i you we they he she it will would can could should might must may don't didn't doesn't won't can't i'll you'll we'll
    who let's not gonna wanna please let us never""".split()
)
_NO_PART = frozenset(
    """another many others plus per now us deep own such whole same certain particular near anymore already alone every
    instead together maybe though yet upon within via among across toward towards onto beyond despite
    unless whether although afterward afterwards sometimes upward slightly separate""".split()
)
_DETERMINES = _BEFORE_NOUNS - _BEFORE_VERBS
_SENTENCE_ENDS = frozenset(".!?:;…-–—(\"“'*•")
_LONGEST = 3
_SHORTEST_NAME = 3  # letters that may stand for a longer one


class Phrase(NamedTuple):
    """One use of a phrase: the stems of its words, how it is written, and what its place says.

    ``nominal``: it ends where the run does, after a determiner, a preposition or another word of it; ``verbal``: it follows a
    pronoun, "to" or an auxiliary; ``named``: it is written like a name.
    """

    key: tuple[str, ...]
    written: str
    nominal: bool
    verbal: bool
    named: bool


class _Token(NamedTuple):
    """A token in lower case, without a possessive, and that in lower case; the stem of it, and what its form tells."""

    lowered: str
    plain: str
    word: str
    stem: str
    forms_phrases: bool
    acts: bool
    is_nominal: bool
    named: bool  # written like a name wherever it stands: "iPhone"
    may_name: bool  # written like a name where no sentence begins


def phrases_of(text: str, apart: Collection[str], known_names: Collection[str]) -> Iterator[Phrase]:
    """Every phrase of up to three words, and every name of several.

    Args:
        text: sentences.
        apart: lower-case words that are in no phrase: the participants' names.
        known_names: words that are written like names inside sentences, so that they keep their capitals at the start.
    """
    apart = beginnings(apart, _SHORTEST_NAME)
    for name in names_in(text) if _SEVERAL_CAPITALS.search(text) else ():
        words = name.split()
        if (
            len(words) > 1
            and "'" not in words[0]
            and not is_verb(words[0].lower())
            and not any(word.lower() in apart or is_measure(word.lower()) for word in words)
        ):
            words = words[1:] if words[0].lower() in ("the", "a", "an") else words
            yield Phrase(tuple(stem(word.lower()) for word in words), name, nominal=True, verbal=False, named=True)
    for before, run in _runs(text, apart):
        last = len(run)
        while last > 1 and not run[last - 1].is_nominal:
            last -= 1
        last = last if run[last - 1].is_nominal else len(run)
        shown = [token.plain for token in run]
        shown[0] = _shown(run[0], before, known_names)
        stems = tuple([token.stem for token in run])
        like_names = [token.named or token.plain in known_names for token in run]
        after_verbal = before in _BEFORE_VERBS
        nominal = before in _BEFORE_NOUNS or (last > 1 and not after_verbal)
        for end in range(1, len(run) + 1):
            named = True
            for start in range(end - 1, max(0, end - _LONGEST) - 1, -1):
                named = named and like_names[start]
                written = " ".join(shown[start:end])
                yield Phrase(stems[start:end], written, end == last and (named or nominal), start == 0 and after_verbal, named)


def names_inside(text: str) -> Iterator[str]:
    """The words with a capital that does not begin a sentence."""
    before = "."
    for token in _tokens(text):
        if token.may_name and before not in _SENTENCE_ENDS:
            yield token.plain
        before = token.lowered


def _runs(text: str, apart: Collection[str]) -> Iterator[tuple[str, list[_Token]]]:
    """Runs of words that may form phrases, each with the lower-case token before it."""
    before, run = ".", list[_Token]()
    for token in (*_tokens(text), _reading(".")):
        if token.forms_phrases and (not token.acts or (not run and before in _DETERMINES)) and token.word not in apart:
            run.append(token)
            continue
        if run:
            yield before, run
            run = []
        before = token.lowered


@lru_cache(maxsize=64)  # both passes over the messages of an episode, one message after the other
def _tokens(text: str) -> Sequence[_Token]:
    return tuple(chain.from_iterable(map(_tokens_of, text.split())))


@lru_cache(maxsize=8_192)
def _tokens_of(written: str) -> Sequence[_Token]:
    """The tokens of what stands between two blanks: mostly a word, perhaps with the marks beside it."""
    return tuple(map(_reading, _TOKEN.findall(written)))


@lru_cache(maxsize=8_192)
def _reading(token: str) -> _Token:
    plain = _plain(token)
    word = plain.lower().replace("’", "'")
    forms_phrases = (
        word[0].isalpha() and carries(word) and word not in _NO_PART and not is_measure(word) and not is_adverb(word)
    )
    lowered = plain.lower()
    return _Token(
        lowered=token.lower(),
        plain=plain,
        word=word,
        stem=stem(lowered),
        forms_phrases=forms_phrases,
        acts=is_verb(word),
        is_nominal=is_nominal(lowered),
        named=plain[1:] != plain[1:].lower(),
        may_name=token[0].isupper() and carries(lowered) and not is_measure(lowered),
    )


def _plain(token: str) -> str:
    return token.removesuffix("'s").removesuffix("’s")


def _shown(token: _Token, before: str, known_names: Collection[str]) -> str:
    """The first word of a run as it stands inside a sentence: without the capital that only begins one."""
    begins = before in _SENTENCE_ENDS
    return token.plain.lower() if begins and not token.named and token.plain not in known_names else token.plain


@lru_cache(maxsize=8_192)
def is_nominal(word: str) -> bool:
    """Whether a word can end a noun phrase, as far as its form tells."""
    return not (is_adjective(word) or is_verb(word) or is_adverb(word) or is_measure(word))


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """A noun in the singular, roughly."""
    for ending in ("ies", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending == "ies" else "e" if ending == "es" and word[-3] not in "shxz" else "")
    return word
