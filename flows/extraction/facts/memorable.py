"""Which sentences are worth remembering for weeks: they tell of someone or something in particular."""

import re
from collections.abc import Collection
from functools import lru_cache

from flows.extraction.facts.attitudes import is_attitude, judges, restates
from flows.extraction.facts.vague_words import substance_of
from flows.extraction.wording.names import names_in
from flows.extraction.wording.substance import beginnings, content_words, has_digit, is_informative, praises
from mneme.caseless import Caseless
from mneme.text import has_cjk

_FRAME = Caseless(  # what stands before the statement itself
    r"^(?:(?:(?:i|we)(?:['’](?:m|ve|d|re))?|it['’]s) )?"
    r"(?:(?:\w+ly|so|just|also|do|always|still|can|could|am|are|was|can['’]?t|super|even|[a-z]*not) )*"
    r"(?:think|thought|guess|hope|bet|know|knew|believe|agree|understand|get|imagine|see|tell|mean|suppose|wish|feel like|"
    r"felt like|love (?:how|that|it when|when)|loved how|like how|appreciate|glad|happy|proud|sorry|grateful|thankful|"
    r"excited|impressed|stoked|pumped|inspired|thrilled|sure|say|admire|find|found|remember|realized|realize|hear|heard|"
    r"(?:important|great|awesome|amazing|good|nice|cool|wonderful|inspiring|incredible|beautiful|lovely|crucial|hard|tough|"
    r"rewarding|fun|special|unfortunate|sad|clear|easy|exciting) (?:to|how|that|when|seeing|having|being))\b"
    r"(?: (?:that|how|about|for|to hear|to see))?",
)
_SELF = r"(?:i|i['’]\w+|my|mine|im|ive)"
_OWN = Caseless(
    rf"\b{_SELF}\b|(?:^|[,;–-] ?|\b(?:and|but|so|that|because|then|where|sometimes|lately|recently|usually) )"
    r"(?:we|we['’]\w+|our)\b"
    r"|^(?:just |still |also |recently |finally |only )?(?:had|took|been|went|got|saw|met|finished|started|made|bought|tried|"
    r"gonna|working|planning|thinking|took|moved|adopted|visited|played)\b",
)
_URGING = Caseless(
    r"(?:\blet['’]s|^lets|\bwe (?:should|could|need to|must|gotta|have to|all)|"
    r"\byou (?:should|can|could|got|gotta|need to|must|might|['’]ll|will)|\blet me|\bjust remember|^remember|\bnever give up|"
    r"^keep|\bkeep (?:up|going|at|it|pushing|chasing)|\bdon['’]t (?:give|let|forget|worry|be)|\bfeel free)\b",
)
_SECOND = Caseless(r"\b(?:you|your|yours|you['’]\w+|ya|y['’]?all)\b")
_POLITE = Caseless(  # wishes, thanks, farewells
    r"^(?:(?:(?:i|we) )?(?:really |do |just )?(?:hope (?!to\b)|hoping you|wish you|thanks|thank you|sending|congrats|"
    r"congratulations|good luck|wishing you|may you|talk to you)|enjoy\b|have an? "
    r"(?:i )?(?:gotta|have to|should) (?:go|run|head)\b)",
)
_LOOKS = Caseless(r"\b(?:looks?|sounds?) (?:so|really|very|super|like|absolutely)\b")
_LIKING = Caseless(
    r"^(?:(?:really|also|so) )?(?:lov(?:e|ed|ing) the|(?:i )?(?:\w+ )?lov(?:e|ed|ing) (?:that|those|your|this|these))\b"
)
_TRUTH = Caseless(  # "Having friends is so important."
    r"^\w+ing\b.*\b(?:is|are|feels|can be)(?: \w+ly| so| really| always| such| an?| the)* (?:key|great|important|crucial|vital|"
    r"essential|awesome|amazing|special|rewarding|fun|inspiring|everything|incredible|wonderful|best|beautiful|powerful)\b"
    r"(?!.*\bmy fav)",
)
_ANSWERS = Caseless(r"^\W*(?:it|they|he|she|the|those|these|that|there)\b")
_FINITE = Caseless(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|do|does|did|\w+ed)\b|['’](?:s|re|ve|ll|d)\b")
_KNOWN = Caseless(r"^\W*(?:the|his|her|their|this|he|she|they|both|two|one of|[a-z]\w+['’]s)\b")
_HAPPENED = Caseless(r"\b(?:was|were|had|did|went|got|made|took|came|gave|said|told|left|\w{3,}ed)\b|\b(?:was|were|had|did)n")
_STATE = Caseless(  # who one has become, in words that are vague elsewhere: "We're engaged!", "I'm team lead now."
    r"\b(?:i|we)(?:['’](?:m|re)| am| are|(?:['’]ve| have)? (?:got|became|become|been (?:made|promoted)))"
    r" (?:to |an? |the |now |just |finally |officially |\w+ )?"
    r"(?:engaged|pregnant|married|divorced|separated|single|retired|unemployed|vegan|vegetarian|promoted|"
    r"(?:team |shift )?lead|manager|director|supervisor|captain|freelancer?|self-employed)\b"
    r"(?! (?:to|with|in (?:the|my|this)|by|about)\b)",
)
_NO_NUMBER = re.compile(r"<3+|[:;=8]-?[3)(DPp]|\b1\d0 ?%")

_SPECIFIC = 1.5  # what a name, a number or a date adds

# How much substance makes a sentence memorable, by what it speaks of.
_OWN_LIFE = 1.0  # the speaker's life, and what answers a question
_SOMETHING_PAST = 2.5  # what happened
_SOMETHING_PARTICULAR = 2.5  # "the", "her": how something in particular is
_COMMON_MATTER = 2.0  # anything, in a group
_BETWEEN_THEM = 2.5  # the speaker and the listener
_ATTITUDES = 5.0  # good resolutions, and that something is great
_GENERAL = 4.0  # how things are, advice, praise


def memorable(sentence: str, names: Collection[str], dated: bool, answers: bool = False, among_many: bool = False) -> bool:
    """Whether someone would want to know it later.

    The more general a sentence is, the more it must say: little of the speaker's life, more of what happened or how
    something in particular is, much of how things are. A name, a number or a date counts.

    Args:
        sentence: as it was said, without its opening.
        names: the participants' names in lower case.
        dated: whether it has a date.
        answers: whether it answers a question, which says what it is about.
        among_many: whether it was said in a group, where statements are of the common matter.
    """
    if has_cjk(sentence):
        return dated or is_informative(sentence, names)
    if _STATE.search(sentence):
        return True
    if restates(sentence):
        return False
    core = _core(sentence)
    told = substance(core, names, dated)
    if told < _OWN_LIFE or told >= _ATTITUDES:  # the least and the most that is ever asked for
        return told >= _ATTITUDES
    enough = _enough(sentence, core, answers)
    enough = min(enough, _COMMON_MATTER) if among_many else enough
    if told < _SOMETHING_PARTICULAR or told >= enough:
        return told >= enough
    if _POLITE.match(sentence):
        return False
    return dated or (specific(core, names, dated) and not is_attitude(sentence) and not judges(sentence))


def substance(sentence: str, names: Collection[str], dated: bool) -> float:
    """How much a sentence tells that is not said in every conversation."""
    called = beginnings(names)
    told = sum(map(substance_of, {word for word in content_words(sentence) if word.removesuffix("'s") not in called}))
    return told + (_SPECIFIC if specific(sentence, names, dated) else 0)


def specific(sentence: str, names: Collection[str], dated: bool) -> bool:
    """Whether a sentence has a date, a number, or a name that is no participant's."""
    return (
        dated
        or (has_digit(sentence) and has_digit(_NO_NUMBER.sub("", sentence)))
        or any(name.lower() not in beginnings(names) for name in names_in(sentence))
    )


def speaks_of_self(sentence: str) -> bool:
    """Whether a sentence tells of the speaker's own life."""
    return _OWN.search(_core(sentence)) is not None


def speaks_of_listener(sentence: str) -> bool:
    """Whether a sentence speaks of or to the listener."""
    return _SECOND.search(sentence) is not None


@lru_cache(maxsize=1_024)  # a sentence is asked about in turn
def _core(sentence: str) -> str:
    """A sentence without "I think that" and the like."""
    frame = _FRAME.match(sentence)
    return sentence[frame.end() :] if frame else sentence


def _enough(sentence: str, core: str, answers: bool) -> float:
    if judges(sentence) or is_attitude(sentence):
        return _ATTITUDES
    if answers and (_OWN.search(core) or _ANSWERS.match(sentence) or not _FINITE.search(core)):
        return _OWN_LIFE
    own = _OWN.search(core)
    if _POLITE.match(sentence) or _URGING.search(core) or _LIKING.match(sentence) or _TRUTH.match(core):
        return _GENERAL
    if not own and (_SECOND.search(core) or praises(core) or _LOOKS.search(core)):
        return _GENERAL
    if own:
        if not _SECOND.search(core):
            return _OWN_LIFE
        return _COMMON_MATTER if _HAPPENED.search(core) else _BETWEEN_THEM
    if _HAPPENED.search(core):
        return _SOMETHING_PAST
    return _SOMETHING_PARTICULAR if _KNOWN.match(core) else _GENERAL
