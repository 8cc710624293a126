"""English verbs in the third person singular: "am" becomes "is", "go" becomes "goes", "went" stays."""

import re

_IRREGULAR = {
    "am": "is", "are": "is", "have": "has", "do": "does", "go": "goes", "were": "was", "don't": "doesn't", "aren't": "isn't",
    "haven't": "hasn't", "weren't": "wasn't", "ain't": "isn't", "don’t": "doesn't", "aren’t": "isn't", "haven’t": "hasn't",
    "wanna": "wants to", "gotta": "has got to", "gonna": "is going to", "’m": "is", "'m": "is",
}  # fmt: skip
_UNCHANGED = frozenset(
    """will would can could should must might may shall ought cannot can't won't wouldn't couldn't shouldn't mustn't didn't
    hasn't isn't wasn't doesn't hadn't is was did had has does used
    arose ate awoke became began bent bet bit bled blew bore bought bound bred broke brought built burnt burst came cast caught
    chose clung cost crept cut dealt dove dreamt drank drew drove dug fed fell felt fit fled flew flung forbade forgave forgot
    fought found froze gave got ground grew heard held hid hit hung hurt kept knelt knew laid lay led left lent let lit lost
    made meant met paid proved put quit ran rang read rode rose said sang sank sat saw sent set sewed shone shook shot shrank
    shut slept slid sought sold spent split spoke spread sprang stole stood stuck stung struck strode swam swept swore swung
    taught threw thought told took tore understood underwent upset went wept woke won wore wound wove wrote withdrew overcame
    overheard been done gone seen taken given known grown shown thrown written driven eaten fallen chosen broken spoken
    stolen""".split()
)
_ENDS_IN_ED_BUT_PRESENT = frozenset("need feed speed breed bleed exceed proceed succeed embed heed seed weed".split())
_NO_VERB = frozenset(
    """a an the this that these those my your his her its our their me you him us them it he she they we i and or but so because
    if when while as with without for from to of in on at by about into than too very not no yes please myself yourself all
    both each so much more what which who how why where there here then now guys home
    back up down out off over away through be""".split()
)
_ADVERBS = frozenset(
    """just also really always never still often sometimes even only already almost ever soon now actually basically kinda
    kind sort of both probably totally definitely usually recently finally absolutely certainly currently mostly mainly
    honestly truly literally simply especially occasionally rarely seldom hardly barely normally generally typically
    quickly constantly regularly easily fully quite pretty somewhat maybe perhaps once twice first then thus not too
    well""".split()
)
_PREFIX = re.compile(r"^(?:re|over|under|out|mis|un)(?=[a-z]{3})")  # "retook", "misunderstood"
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")


def is_adverb(word: str) -> bool:
    """Whether a word may stand between a subject and its verb."""
    return word in _ADVERBS or (
        len(word) > 4 and word.endswith("ly") and word not in ("apply", "reply", "rely", "supply", "multiply")
    )


def is_past(word: str) -> bool:
    """Whether a lower-case word is the past tense or the past participle of a verb."""
    return word in _UNCHANGED or (len(word) > 4 and word.endswith("ed") and word not in _ENDS_IN_ED_BUT_PRESENT)


def third_person(verb: str) -> str:
    """A verb form after "I" or "you", as it stands after a name; what is no present tense stays.

    >>> [third_person(verb) for verb in ("am", "try", "teach", "went", "loved", "need", "will")]
    ['is', 'tries', 'teaches', 'went', 'loved', 'needs', 'will']
    """
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if (
        lower in _UNCHANGED
        or lower in _NO_VERB
        or _PREFIX.sub("", lower) in _UNCHANGED
        or not lower.isascii()
        or not lower.isalpha()
    ):
        return verb
    if (lower.endswith("ed") and lower not in _ENDS_IN_ED_BUT_PRESENT) or lower.endswith("ing"):
        return {"bring": "brings", "sing": "sings", "swing": "swings", "cling": "clings", "ring": "rings"}.get(lower, verb)
    if lower.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es" if not lower.endswith("s") or lower.endswith("ss") else verb
    if lower.endswith("y") and lower[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def agree(after: str) -> str:
    """What follows a subject "I" or "you", with its first verb in the third person.

    >>> agree(" really want to go")
    ' really wants to go'
    """
    at = 0
    for _ in range(4):  # at most three adverbs stand before the verb
        word = _WORD.search(after, at)
        if word is None or after[at : word.start()].strip():  # punctuation between: no verb of this subject
            return after
        lower = word[0].lower()
        if is_adverb(lower):
            at = word.end()
            continue
        if lower in _NO_VERB:
            return after
        return after[: word.start()] + third_person(word[0]) + after[word.end() :]
    return after
