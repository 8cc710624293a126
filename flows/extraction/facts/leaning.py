"""Sentences that lean on what was said before: "It was at the beach.", "I love how they did that.", "Mostly landscapes.\""""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from flows.extraction.facts.definite_nouns import unexplained_noun
from flows.extraction.facts.omissions import leaves_out, means_a_place_before, names_a_place
from flows.extraction.facts.vague_words import substance_of
from flows.extraction.wording.antecedents import SOMEONE
from flows.extraction.wording.substance import beginnings, carries
from flows.extraction.wording.verbs import is_adverb
from flows.extraction.wording.word_classes import is_adjective, is_measure, is_verb
from flows.extraction.wording.word_classes import is_adverb as ends_like_an_adverb
from mneme.caseless import Caseless
from mneme.text import has_cjk

_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_THING, _PERSON, _SEVERAL = "thing", "person", "several"
_ALL_KINDS = 3
_PRONOUNS = (
    dict.fromkeys(("it", "its"), _THING)
    | dict.fromkeys(("he", "she", "him", "her", "his", "hers"), _PERSON)
    | dict.fromkeys(("they", "them", "their", "theirs"), _SEVERAL)
)
_PEOPLE = frozenset("people everyone someone somebody anyone nobody everybody others children women men".split())
_GROUPS = frozenset("family fam team group company crowd audience staff band crew club community".split())
_NO_NOUNS = frozenset(
    "another many instead already together now yet okay same else either both several enough "
    "likes loves looks seems feels gets goes thinks wants needs plays makes takes enjoys works".split()
)
_SOMEONE = Caseless(rf"(?:{SOMEONE})s?")
_POINTING = frozenset("that those this these".split())
_COUNTING = frozenset("one ones some".split())
_AUXILIARIES = frozenset(
    """is are was were be been am has have had do does did will would can could should may might must isn't aren't wasn't
    weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't can't couldn't shouldn't gonna""".split()
)
_BEFORE_VERBS = frozenset("to will can could should would must may might not didn't don't doesn't gonna".split())
_PREPOSITIONS = frozenset("for of about to on in with from at by".split())
_BEFORE_POINTED = frozenset(  # "that" after these, at the end of a clause, is a thing
    """about for with of like from in at to after on by into love do doing did know see keep hear say get understand appreciate
    need want seen done heard got try trying all is was take mean""".split()
)
_TAKES_OBJECT = frozenset(  # and after these, with a noun
    """about for with of like from at into on in to after during had have do did made make loved love play played finished enjoy
    enjoyed miss read""".split()
)
_AFTER_OBJECT = frozenset("as too again and or but when if while because in to for at so well yet".split())
_BEGINS_CLAUSE = frozenset(
    """a an the my your his her its our their we i you he she they it people everyone there all some any no this these those
    what when if every each many most not in""".split()
)
_SAYS = frozenset(  # "that" after these begins a clause
    """know knew think thought say said hope feel felt hear heard believe show shows showed mean means realise realize realised
    realized found find tell told see saw guess remember learned learn decided decide suggest suggested notice noticed ensure
    wish prove proved understand agree announced mention mentioned""".split()
)
_SPANS = frozenset(
    "week weekend year month morning afternoon evening summer winter spring fall autumn time day days moment point".split()
)
_SHORT = 8  # tokens up to which words without a verb say too little
_IMPERSONAL = Caseless(  # "it" that stands for nothing before
    r"\bit(?:['’]s| is| was|['’]ll be| will be| would be| can be| feels?| felt)"
    r"(?: \w+ly| so| very| always| super| pretty| quite| been| such| a| an| not| just)*"
    r" (?!like)\w+(?: \w+)? (?:to|that|how|when|what|seeing|being|having|knowing)\b"
    r"|\bit(?:['’]s| has)? (?:been (?:a while|ages|so long|too long|long|raining|snowing)|rain|snow)|\bit['’]s (?:time|me)\b"
    r"|\bit(?:['’]s| is| was|['’]s been| has been) (?:decided|agreed|settled|confirmed|official)\b"
    r"|\bit takes? (?:a|some|time|practice|\d+|one|two)\b|\bma[dk]e it (?:to|back|home|through|up)\b",
)
_ENDS_SHORT = Caseless(
    r"(?<!others )\b(?:do|did|does|have|has|am|is|are|was|will|would|can|could)(?:n['’]t)?(?: too| also| so)?\s*[.!]*$"
    r"|\bafterwards?\W*$",
)
_INTRODUCED = re.compile(
    r"\b(?:an?|another|new|\w+['’]s)\b "
    r"(?!(?:lot|bit|while|few|blast|ton|couple|little|great|good|nice|wonderful|day|week|month|year)\b)",
    re.I,
)
_NO_THING_BEFORE = frozenset(
    "while when by is are was were been be keep keeps kept started start stopped stop and or but then go went".split()
)
_GOES_ON = Caseless(
    r"\b(?:this|that) ones?\b(?= (?:for|is|was|has|because|and|to|in|at|too|a)\b|\W*$)|"
    r"^(?:which|same (?:with|here|for|as)|likewise|and|or|after that|afterwards?|otherwise)\b",
)


def leans(told: str, names: Collection[str], notes: bool = False) -> bool:
    """Whether a sentence in the third person cannot be understood alone, as far as its form tells.

    A pronoun leans when no noun that it can stand for is before it in the sentence. A sentence without a verb, or that ends
    in an auxiliary, leans as well.

    Args:
        told: a sentence as ``Said.told`` has it.
        names: the participants' names in lower case, which no pronoun stands for.
        notes: whether sentences without a verb are usual here, and lean on nothing.
    """
    if has_cjk(told):
        return False
    if _ENDS_SHORT.search(told) or _GOES_ON.search(told) or leaves_out(told):
        return True
    if not notes and (unexplained_noun(told) or means_a_place_before(told)):
        return True
    tokens = _tokens(_IMPERSONAL.sub(" ", told))
    called = beginnings(names)
    seen: dict[str, int] = {}  # what stood in the sentence first, by kind
    [before] = _tokens_of(".")
    for at, token in enumerate(tokens):
        if token.may_refer:
            after = tokens[at + 1].word if at + 1 < len(tokens) else "."
            near = at - 2 if before.word in _PREPOSITIONS else at  # "the recipe for it"
            if token.pronoun and seen.get(token.pronoun, at) >= near:
                return True
            if token.base in _POINTING and (
                _points_back(token.base, before.word, after, at) or (not seen and _points(token.base, before.word, after, at))
            ):
                return True
            if not seen and _counts(token.base, after):
                return True
        capital = at > 0 and token.capital
        kinds = token.kinds_of_name if capital else token.kinds
        if kinds and len(seen) < _ALL_KINDS and (token.plain not in called or token.plain in _PEOPLE):
            doing = token.word.endswith("ing") and before.word in _NO_THING_BEFORE  # "while painting it"
            done = at > 0 and before.word in names  # "Ann hung"
            if not doing and not done and (capital or before.word not in _BEFORE_VERBS):
                for kind in kinds:
                    seen.setdefault(kind, at)
        before = token
    if notes or len(tokens) > _SHORT:
        return False
    named = len(tokens) > 1 and tokens[0].word in names and tokens[1].word.isalpha()  # a name, and what it does
    return not named and not any(token.is_verbal for token in tokens)


class _Token(NamedTuple):
    """A token in lower case, that before an apostrophe and without a possessive, and what its form tells.

    ``pronoun``: what it stands for, if it is one; ``may_refer``: a pronoun, "that", "one" or "some"; ``kinds``: what it can be
    for a pronoun after it, and the same where it is written like a name.
    """

    word: str
    base: str
    plain: str
    pronoun: str
    may_refer: bool
    capital: bool
    is_verbal: bool
    kinds: tuple[str, ...]
    kinds_of_name: tuple[str, ...]


def _tokens(text: str) -> list[_Token]:
    return [*chain.from_iterable(map(_tokens_of, text.split()))]


@lru_cache(maxsize=8_192)
def _tokens_of(written: str) -> Sequence[_Token]:
    """The tokens of what stands between two blanks: mostly a word, perhaps with the marks beside it."""
    return tuple(map(_reading, _TOKEN.findall(written)))


def _reading(token: str) -> _Token:
    word = token.lower().replace("’", "'")
    base = word.partition("'")[0]
    return _Token(
        word,
        base,
        word.removesuffix("'s"),
        pronoun=_PRONOUNS.get(base, ""),
        may_refer=base in _PRONOUNS or base in _POINTING or base in _COUNTING,
        capital=token[0].isupper(),
        is_verbal=is_verb(word) or base in _AUXILIARIES or word.endswith(("'s", "'re", "'ve", "'ll", "'d")),
        kinds=_kinds(word, False),
        kinds_of_name=_kinds(word, True),
    )


def explains(told: str, leaning: str, alone: bool = True) -> bool:
    """Whether a sentence names what the pronouns of another can stand for: a place, people, a thing.

    A sentence that leans by its form alone, such as an answer without a verb, is explained by any.

    Args:
        told: what is to explain.
        leaning: a sentence with pronouns.
        alone: whether "it" needs exactly one new thing to stand for; an answer means what its question is about.
    """
    needed = {token.pronoun for token in _tokens(_IMPERSONAL.sub(" ", leaning)) if token.pronoun}
    written = enumerate(_TOKEN.findall(told))
    named = {kind for at, token in written for kind in _kinds(token.lower(), token[0].isupper() and at > 0)}
    if alone and _THING in needed and len(_INTRODUCED.findall(told)) != 1:  # with two new things, nobody knows which
        return False
    return needed <= named and (names_a_place(told) or not means_a_place_before(leaning))


def _points_back(word: str, before: str, after: str, at: int) -> bool:
    """Whether "those" or "that" with a noun means something said before, whatever the sentence names."""
    if after in _SPANS:
        return False
    if word == "those":
        return after != "who"
    if word == "that" and before in ("like", "of", "for", "about", "with", "from", "at") and not after.isalpha():
        return True
    if word != "that" or not at or not after.isalpha():
        return False
    clause = after in _BEGINS_CLAUSE or after in _AUXILIARIES or after in _AFTER_OBJECT or is_verb(after)
    says = any(
        form in _SAYS for form in (before, before.removesuffix("s"), before.removesuffix("ing"), before.removesuffix("ed"))
    )
    return not clause and not says and (before in _TAKES_OBJECT or is_verb(before))


def _points(word: str, before: str, after: str, at: int) -> bool:
    """Whether "that" or "this" means something said before, rather than a clause, a time or something new."""
    if after in _SPANS:
        return False
    if word == "that" and at:
        return before in _BEFORE_POINTED and (not after.isalpha() or after in _AUXILIARIES or after in _AFTER_OBJECT)
    if word == "these" and at and (before in _PREPOSITIONS or before == "like" or _is_plural(after)):
        return True
    return not at or not after.isalpha() or substance_of(after) == 0.5 or after in _AUXILIARIES


def _counts(word: str, after: str) -> bool:
    """Whether "one" or "some" stands for a thing said before."""
    if word == "some":
        return after in ("to", "for", "that", "and", "already") or not after.isalpha()
    return word in _COUNTING and after not in ("of", "day", "time") and not is_measure(after)


def _kinds(token: str, capital: bool) -> tuple[str, ...]:
    """What a token can be for a pronoun after it."""
    word = token.removesuffix("'s")
    if "'" in word:
        return ()
    return (_THING, _SEVERAL, _PERSON) if capital and carries(word) else _kinds_of(word)


@lru_cache(maxsize=8_192)
def _kinds_of(word: str) -> tuple[str, ...]:
    if word in _PEOPLE:
        return (_SEVERAL,)
    if word in _GROUPS:
        return (_THING, _SEVERAL)
    if not word[:1].isalpha() or not carries(word) or is_verb(word) or is_adjective(word) or is_measure(word):
        return ()
    if is_adverb(word) or ends_like_an_adverb(word) or word in _NO_NOUNS:
        return ()
    plural = (_SEVERAL,) if _is_plural(word) else ()
    return (_PERSON, _THING, *plural) if _SOMEONE.fullmatch(word) else (_THING, *plural)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss") and not is_adjective(word)
