"""The subject of an episode: the nouns that it keeps coming back to, each in the phrase that shows it best.

Near RAKE (Rose et al. 2010: candidates are runs of content words), changed for conversations: a word counts once for each
message that uses it, so that one talkative message does not set the subject; words that follow a determiner or are
written like names count as nouns; words that fit every conversation ("people", "idea") count less.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from flows.extraction.substance import carries
from mneme.text import cjk_share

_TOKEN = re.compile(r"[^\W_]+(?:['’&+-][^\W_]+)*\+?|[^\w\s]")
_BEFORE_NOUNS = frozenset(
    """a an the my your our his her their its this that these those some any no of in for at with about on from into new
    first more many another each every favorite favourite""".split()
)
_BEFORE_VERBS = frozenset(
    """to i you we they he she it will would can could should might must may don't didn't doesn't won't can't i'll you'll we'll
    who let's not gonna wanna please""".split()
)
_FILLERS = frozenset(  # never part of a phrase
    """another many others now us bring brings brought exist young deep own several various such whole same different
    certain particular little big near""".split()
)
_COMMON = frozenset(
    """people person life world lot kind sort part place home help helping helped idea ideas problem problems plan plans
    issue issues hand mind word words moment moments experience experiences memory memories feeling feelings goal goals
    dream dreams chance reason reasons question questions story stories image photo picture pictures video post journey
    change changes challenge challenges difference connection joy peace happiness love passion inspiration motivation
    courage strength energy beauty kindness positivity side end beginning future past list number group everyone month
    week weekend year years months weeks hour hours minute minutes night morning afternoon evening today tomorrow
    yesterday monday tuesday wednesday thursday friday saturday sunday january february march april june july august
    september october november december good better best big small little new old next last long high different important
    special favorite favourite own real free full ready able sure hard easy amazing cool find finding found see seeing
    seen use using used learn learning learned show showing showed shown check checking checked working worked meet
    meeting met play playing played support supporting set bring bringing brought helps need needs needed spend spending
    spent run running live living lived call called ask asked asking create creating created focus remind reminds reminded
    reminder follow following hit turn turned move moving moved join joining joined read reading add adding added win won
    lose lost build building built write writing wrote written watch watching watched leave left stay staying stayed grow
    growing grew buy bought pick picked open opened hang reach pay paying paid deal handle push pushing pushed face facing
    faced become became decide decided remember enjoy enjoying enjoyed recently lately couple couple's recommend
    recommended suggest suggested suggestion suggestions definitely especially finally tonight means while might maybe
    stuff yourself myself himself herself themselves together must-see awesome anyone someone somebody nobody level talent
    talents impact effort efforts sense fan piece step steps tip tips us since towards toward currently greatly willing
    ton effect advice result results success progress growth act actions blast edge seat corner lives heart setback
    matters touch attitude wellbeing spark recommendations recommendation feedback break harder points exist starting""".split()
)
_LONGEST_PHRASE = 3
_PHRASES = 3


@dataclass
class _Uses:
    """Where a word or phrase is used, and how often as a noun."""

    messages: set[int] = field(default_factory=set)
    count: int = 0
    nominal: int = 0
    verbal: int = 0
    written: str = ""

    def add(self, message: int, nominal: bool, verbal: bool, written: str) -> None:
        self.messages.add(message)
        self.count += 1
        self.nominal += nominal
        self.verbal += verbal
        self.written = self.written or written


def subject_of(texts: Sequence[str], names: Collection[str]) -> str:
    """A readable subject from the messages of an episode: up to three phrases; empty when nothing stands out.

    Args:
        texts: the messages, in order.
        names: the participants' names, which say nothing about the subject.
    """
    if cjk_share(" ".join(texts)) > 0.3:
        return _chinese_subject(texts, names)
    words, phrases = _uses(texts, names)
    chosen: list[str] = []
    used: set[str] = set()
    for stem in sorted(words, key=lambda stem: (-_score(stem, words[stem]), min(words[stem].messages), stem)):
        if stem in used:
            continue
        phrase = _best_phrase(stem, phrases, used)
        chosen.append(phrases[phrase].written)
        used |= {_stem(word) for word in phrase}
        if len(chosen) == _PHRASES:
            break
    if not chosen:
        return ""
    subject = chosen[0] if len(chosen) == 1 else f"{', '.join(chosen[:-1])} and {chosen[-1]}"
    return subject[:1].upper() + subject[1:]


def _uses(texts: Sequence[str], names: Collection[str]) -> tuple[dict[str, _Uses], dict[tuple[str, ...], _Uses]]:
    """Words of content by stem, and the runs of such words of up to three that end in them."""
    apart = {part.lower() for name in names for part in re.findall(r"\w+", name)}
    words: dict[str, _Uses] = defaultdict(_Uses)
    phrases: dict[tuple[str, ...], _Uses] = defaultdict(_Uses)
    for index, text in enumerate(texts):
        before, run = "", list[str]()
        for token in [*_TOKEN.findall(text), "."]:
            plain = token.removesuffix("'s").removesuffix("’s")
            word = plain.lower().replace("’", "'")
            if word[0].isalpha() and carries(word) and word not in _FILLERS and not _names_someone(word, apart):
                run.append(plain)
                continue
            for end in range(1, len(run) + 1):
                for start in range(max(0, end - _LONGEST_PHRASE), end):
                    piece = run[start:end]
                    named = _is_name(piece, start, before)
                    nominal = named or (before in _BEFORE_NOUNS and end == len(run))
                    verbal = start == 0 and before in _BEFORE_VERBS
                    key = tuple(word.lower() for word in piece)
                    phrases[key].add(index, nominal, verbal, " ".join(piece) if named else " ".join(key))
                    if len(piece) == 1:
                        words[_stem(key[0])].add(index, nominal, verbal, key[0])
            run, before = [], token.lower()
    return words, phrases


def _names_someone(word: str, names: Collection[str]) -> bool:
    """Whether a word is a participant's name or a short form of it."""
    return word in names or (len(word) > 2 and any(name.startswith(word) for name in names))


def _is_name(piece: Sequence[str], start: int, before: str) -> bool:
    """Whether a run is written like a name: in capitals, and not only because a sentence begins there."""
    return all(word[:1].isupper() for word in piece) and (
        start > 0 or before.isalpha() or any(word[1:] != word[1:].lower() for word in piece)
    )


def _score(stem: str, uses: _Uses) -> float:
    noun = (
        1.0 if uses.nominal else 0.3 if uses.verbal or stem.endswith(("ly", "ing", "ed", "ful", "ous", "ive", "able")) else 0.5
    )
    common = 0.3 if _COMMON & {stem, uses.written} else 1.0
    return (len(uses.messages) + 0.25 * (uses.count - len(uses.messages))) * noun * common


def _best_phrase(stem: str, phrases: dict[tuple[str, ...], _Uses], used: set[str]) -> tuple[str, ...]:
    """How to show a word: the phrase around it that is used most as a noun, the longer of equals."""
    around = [phrase for phrase in phrases if any(_stem(word) == stem for word in phrase)]
    fresh = [phrase for phrase in around if not used & {_stem(word) for word in phrase} and phrase[-1] not in _COMMON] or around

    most = max(len(phrases[phrase].messages) for phrase in around)

    def fit(phrase: tuple[str, ...]) -> tuple[float, int, int, tuple[str, ...]]:
        uses = phrases[phrase]
        ends_with_it = _stem(phrase[-1]) == stem
        plain = sum(word in _COMMON or word.endswith(("ly", "ing", "ed")) for word in phrase)
        usual = len(uses.messages) >= 0.5 * most  # "dance" is mostly said in "dance studio"
        longer = (len(phrase) - 1) * (0.6 if uses.nominal and (ends_with_it or usual) else 0) + most * usual * (len(phrase) > 1)
        return len(uses.messages) + longer - 0.7 * plain, uses.nominal, -min(uses.messages), phrase

    return max(fresh, key=fit)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    for ending in ("ies", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


# --- Chinese ---------------------------------------------------------------------------------------------------------

_RUN = re.compile(r"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z0-9_+-]*")
_FUNCTION = re.compile(
    "[的了是在和与也就都而及吗呢吧啊嘛呀着过我你他她它们这那有不很到说要去会可以来把被让给还没又再最更太对好大家一个上下中里么什怎为因所但如果]"
)
_LONGEST_CHINESE = 6


def _chinese_subject(texts: Sequence[str], names: Collection[str]) -> str:
    """The runs of two to six characters, free of function words, that most messages share; else the first whole runs."""
    apart = {name.lower() for name in names}
    messages: dict[str, set[int]] = defaultdict(set)
    whole: dict[str, None] = {}
    for index, text in enumerate(texts):
        for run in _RUN.findall(text):
            if run.isascii():
                if run.lower() not in apart and len(run) > 1:
                    messages[run].add(index)
                continue
            for piece in _FUNCTION.split(run):
                if 2 <= len(piece) <= _LONGEST_CHINESE and piece not in apart:
                    whole[piece] = None
                for length in range(2, min(_LONGEST_CHINESE, len(piece)) + 1):
                    for start in range(len(piece) - length + 1):
                        messages[piece[start : start + length]].add(index)
    shared = [term for term in messages if len(messages[term]) > 1]
    shared.sort(key=lambda term: (-len(messages[term]) * (len(term) - 1) ** 0.5, min(messages[term]), term))
    chosen: list[str] = []
    for term in [*shared, *sorted(whole, key=len, reverse=True)]:
        if not any(set(term) & set(other) for other in chosen):
            chosen.append(term)
        if len(chosen) == _PHRASES:
            break
    return "、".join(chosen)
