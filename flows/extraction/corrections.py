"""Corrections: a sentence corrects an earlier one, and the meaning is the earlier sentence with the right value.

    Ann: The concert is on Thursday.
    Ann: Sorry, I meant Friday.           ->  The concert is on Friday.

1. Find a sentence that corrects: one that says so ("sorry, I meant 15", "不对，是周二") and holds little more than a value.
2. Find what it corrects: the nearest earlier sentence with a value of that sort, or with the old one where it is named
   ("15, not 50"). Another's question is not corrected but answered.
3. Put the new value there. The words stay as said: what was meant gives dates and claims alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import takewhile

from flows.extraction.corrected_values import Value, replaced, values_in
from flows.extraction.sentences import Sentence
from mneme.patterns import Patterns, needed_words, words_of
from mneme.text import has_cjk

# --- the cues of a correction -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Correction:
    """A correcting sentence without its cue: the new value with some words, and the old one where it is named.

    ``retracts``: what was said last is withdrawn. ``weak``: the cue ("no", "actually") is said of much else too.
    ``sure``: it says that something was wrong, or what it is, and is no mere courtesy ("抱歉").
    ``agrees``: it says yes to what another said, which is then the new value ("Right, 60k.").
    """

    rest: str
    old: str = ""
    retracts: bool = False
    weak: bool = False
    agrees: bool = False
    sure: bool = True


def correction_in(sentence: str, announced: bool) -> Correction | None:
    """Read a correction; None for a sentence without one.

    >>> correction_in("Sorry, I meant 15, not 50.", announced=False)
    Correction(rest='15', old='50', retracts=False, weak=False, agrees=False, sure=True)

    Args:
        sentence: as it was said.
        announced: the one before said that something was wrong ("Wait, no.").
    """
    return _chinese_correction_in(sentence, announced) if has_cjk(sentence) else _english_correction_in(sentence, announced)


def only_announces(sentence: str) -> bool:
    """Tell whether a sentence says that something was wrong, and no more."""
    return (_EN.alone.match(sentence) or _ZH.alone.match(sentence)) is not None


def may_correct(sentence: str) -> bool:
    """Tell whether a sentence has a word with which one corrects; without one it neither announces a correction nor is one."""
    return not _needed().isdisjoint(words_of(sentence))


@cache
def _needed() -> frozenset[str]:
    english = _EN.cues, _EN.agrees, _EN.reason, _EN.trailing, _EN.old, _EN.not_first, _EN.retracts, _EN.within
    chinese = _ZH.corrects, _ZH.alone, _ZH.old, _ZH.old_after, _ZH.agrees, _ZH.within
    return frozenset("*").union(*(needed_words(each.pattern) for each in (*english, *chinese)))


def repair_in(sentence: str) -> re.Match[str] | None:
    """Match a sentence that corrects itself ("on Thursday, sorry, Friday"): ``before`` the cue, ``new`` value, ``after`` it."""
    return _EN.within.match(sentence) or _ZH.within.match(sentence)


# --- English ---------------------------------------------------------------------------------------------------------

_EN = Patterns(__file__, "english")
_ZH = Patterns(__file__, "chinese")
_LONGEST_OLD, _LONGEST_NEW = 3, 8  # words of a pair


def _english_correction_in(sentence: str, announced: bool) -> Correction | None:
    if (retracts := _EN.retracts.match(sentence)) is not None:
        return Correction(retracts["rest"], retracts=True)
    match = _EN.corrects.match(sentence)
    rest = (match["rest"] or match["star"] or "") if match else sentence
    for shape in (_EN.not_first, _EN.old):
        if (pair := shape.match(rest)) is not None and _is_pair(pair["rest"], pair["old"], match is not None or announced):
            return Correction(pair["rest"], pair["old"])
    if match is None and (agreed := _EN.agrees.match(sentence)) is not None:
        return Correction(agreed["rest"].strip(" .!"), agrees=True)
    if match is None:
        trailing = _EN.trailing.match(sentence) or _EN.reason.match(sentence)
        if trailing is None and not announced:
            return None
        rest = trailing["rest"] if trailing else sentence
    rest, weak = rest.strip(" .!"), _EN.weak.search(sentence) is not None
    return None if not rest or (weak and _EN.no_correction.search(rest)) else Correction(rest, weak=weak)


def _is_pair(new: str, old: str, announced: bool) -> bool:
    """Tell whether "Anna, not Anne" names a new value and the old one; without a cue both must look like values."""
    few = len(_EN.word.findall(old)) <= _LONGEST_OLD and len(_EN.word.findall(new)) <= _LONGEST_NEW
    return few and all(_EN.a_value.search(each) for each in ([old] if announced else [old, new]))


# --- Chinese ---------------------------------------------------------------------------------------------------------


def _chinese_correction_in(sentence: str, announced: bool) -> Correction | None:
    match = _ZH.corrects.match(sentence)
    rest = (match["rest"] or match["should"] or "") if match else sentence
    if (pair := _ZH.old.match(rest) or _ZH.old_after.match(rest)) is not None:
        return Correction(pair["rest"], pair["old"])
    if match is None and (agreed := _ZH.agrees.match(sentence)) is not None:
        return Correction(_ZH.is_.sub("", agreed["rest"]), agrees=True)
    if (match is None and not announced) or not rest:
        return None
    sure, strong = (announced or pattern.search(sentence) is not None for pattern in (_ZH.sure, _ZH.strong))
    return Correction(_ZH.is_.sub("", rest.strip("。！!，, ")), weak=not strong, sure=sure)


# --- what is corrected -------------------------------------------------------------------------------------------------


_REACH = 6  # messages back
_LONG_AGO = timedelta(days=1)  # afterwards one names what was wrong
_REACH_WITHIN = 20  # sentences back in one of them
_MOST = 20  # sentences of one message that are tried: a text full of corrections must not cost its square
_REACH_TO_OTHERS = 2  # messages back to what another said, unless the old value is named
_LONGEST = 400  # characters of a sentence that is corrected or corrects
_LONGEST_OF_OTHERS = 200  # characters of what another said: in a long list anything can be found
_FILLERS = _EN.words("fillers")
_CHINESE_FILLERS = "是在的个人"
_ALIKE = 3  # words with which a sentence begins like the one that it takes the place of
_NEW_WORDS = 4  # of what stands for an old value that is no day, number or name
_CHINESE_NAME = range(2, 5)  # characters

Place = tuple[int, int]
"""A message and a sentence in it."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A sentence that corrects, and what was meant; empty where something is only withdrawn.

    ``target`` is the sentence that it corrects; itself where it corrects what it begins with.
    """

    at: Place
    target: Place
    meant: str


def corrections_of(messages: Sequence[Sequence[Sentence]]) -> list[Corrected]:
    """Find the corrections of a conversation, in the order said.

    Args:
        messages: the sentences of each.
    """
    talk = _Talk(messages)
    return [each for at in range(len(messages)) for each in talk.corrections_by(at)]


class _Talk:
    """The sentences of a conversation; ``_meant`` are those that were corrected, as they were meant."""

    def __init__(self, messages: Sequence[Sequence[Sentence]]) -> None:
        self._messages = messages
        self._meant: dict[Place, str] = {}
        self._participants = {part.lower() for one in messages for part in _EN.word.findall(one[0].speaker if one else "")}

    def corrections_by(self, at: int) -> Iterator[Corrected]:
        """Yield the corrections that one message makes."""
        announced, tried = False, 0
        for number, one in enumerate(self._messages[at]):
            sentence, said = one.text, announced
            announced = False
            asks_or_quotes = one.role != "user" or one.artifact or one.is_question
            if asks_or_quotes or len(sentence) > _LONGEST or not (said or may_correct(sentence)):
                continue
            repair = repair_in(sentence) if tried < _MOST else None
            tried += repair is not None
            repaired = self._with(repair["before"], Correction(repair["new"]), one) if repair else None
            if repair and repaired:
                self._meant[at, number] = repaired + repair["after"]
                yield Corrected((at, number), (at, number), repaired + repair["after"])
            elif only_announces(sentence):
                announced = True
            elif tried < _MOST and (correction := correction_in(sentence, said)) is not None:
                tried += 1
                yield from self._applied(correction, at, number)

    def _applied(self, correction: Correction, at: int, number: int) -> Iterator[Corrected]:
        """Apply a correction to the nearest sentence that it fits, or to none."""
        asked = self._was_asked(correction.rest, at)
        if not asked and (correction.agrees or (correction.weak and self._answers(at))):
            return
        for target, sentence in self._earlier(at, number, correction):
            if correction.retracts:
                meant = _realigned(sentence, correction.rest) or ""
            else:
                found = self._with(sentence, correction, self._at(target))
                if found is None:
                    continue
                meant = found
            self._meant[target] = self._meant[at, number] = meant
            yield Corrected((at, number), target, meant)
            return

    def _answers(self, at: int) -> bool:
        """Tell whether another has just asked, with or without a mark: a "no" is of the question then."""
        before = self._messages[at - 1] if at else ()
        asks = any(one.is_question or _EN.asks.match(one.text) for one in before)
        return asks and before[0].speaker != self._messages[at][0].speaker

    def _was_asked(self, rest: str, at: int) -> bool:
        """Tell whether another has just said what a message says yes to."""
        before = self._messages[at - 1] if at else ()
        if not before or before[0].speaker == self._messages[at][0].speaker:
            return False
        said = " ".join(one.text for one in before).lower()
        if len(said) > _LONGEST_OF_OTHERS:
            return False
        own = self._messages[at][0]
        values = values_in(_in_context(rest), own.said_at, own.zone)
        parts = [part for value in values for part in re.findall(r"\d+(?:[.:]\d+)?|[^\W\d]+", value.text.lower())]
        return any(part in said for part in parts)

    def _earlier(self, at: int, number: int, correction: Correction) -> Iterator[tuple[Place, str]]:
        """The sentences that can be meant, the nearest first, as they were meant."""
        speaker = self._messages[at][number].speaker
        of_oneself = _EN.of_oneself.search(correction.rest) is not None  # what another says of himself corrects nobody
        for target in range(at, max(-1, at - _REACH - 1), -1):
            message = self._messages[target]
            if not message or message[0].role != "user":
                continue
            if not correction.old and self._messages[at][number].said_at - message[0].said_at > _LONG_AGO:
                return
            own = message[0].speaker == speaker
            if not own and (
                of_oneself
                or correction.agrees
                or correction.retracts
                or (not correction.old and target < at - _REACH_TO_OTHERS)
            ):
                continue
            last = number if target == at else len(message)
            for place in range(last - 1, max(-1, last - 1 - _REACH_WITHIN), -1):
                one = message[place]
                sentence = self._meant.get((target, place), one.text)
                longest = _LONGEST if own else _LONGEST_OF_OTHERS
                if sentence and not one.artifact and len(sentence) <= longest and (own or not one.is_question):
                    yield (target, place), sentence

    def _at(self, place: Place) -> Sentence:
        return self._messages[place[0]][place[1]]

    def _with(self, sentence: str, correction: Correction, said: Sentence) -> str | None:
        """A sentence with what a correction puts into it; None where the correction is not of this sentence."""
        context = _in_context(correction.rest)
        values = values_in(context, said.said_at, said.zone)
        if correction.old:
            sorts = {value.sort for value in values_in(_in_context(correction.old), said.said_at, said.zone)}
            new = next((value.text for value in values if value.sort in sorts), correction.rest)
            if not _says_only(correction.rest, new, sentence):
                return None
            return _with_new(sentence, _without_prepositions(correction.old), _without_prepositions(new))
        if any(each.sort == "name" and self._is_no_other_name(each, correction) for each in values):
            return None
        if len(values) == 1 and _says_only(correction.rest, values[0].text, sentence):
            return replaced(sentence, values[0], context, said.said_at, said.zone)
        named = has_cjk(sentence) and not values and correction.sure
        return _with_chinese_name(sentence, correction.rest) if named else None

    def _is_no_other_name(self, name: Value, correction: Correction) -> bool:
        """Tell whether somebody is only called by name ("Oh no, Jon!"), or a weak cue stands before a mere word."""
        called = name.text.lower() in self._participants
        return called or (
            correction.weak and not has_cjk(correction.rest) and not _EN.stands_for_a_name.search(correction.rest)
        )


def _in_context(words: str) -> str:
    """Words as part of a sentence: what begins one looks like a name."""
    return words if has_cjk(words) else f"it is {words}"


def _says_only(rest: str, value: str, sentence: str) -> bool:
    """Tell whether a correction says nothing but its value: its other words are fillers, or words of what it corrects."""
    said = {word.lower() for word in _EN.word.findall(sentence)}
    beside = rest.replace(value, " ", 1)
    if has_cjk(rest):
        return all(each in sentence or each in _CHINESE_FILLERS for each in beside if each.isalnum())
    return all(word.lower() in _FILLERS or word.lower() in said for word in _EN.word.findall(beside))


def _with_new(sentence: str, old: str, new: str) -> str | None:
    """The sentence with the new words for the old; what both share stands once ("two kids" for the "three" of three kids)."""
    pattern = re.escape(old) if has_cjk(old) else rf"(?<!\w){re.escape(old)}(?!\w)"
    places = list(re.finditer(pattern, sentence, re.I))
    if not places or (not has_cjk(new) and len(_EN.word.findall(new)) > _NEW_WORDS):
        return None
    before, after = sentence[: places[-1].start()], sentence[places[-1].end() :]
    shared = re.match(r"\s*([\w'’]+)", after)
    if shared and re.search(rf"\s{re.escape(shared[1])}$", new, re.I):
        new = new[: -len(shared[1])].rstrip()
    return before + new + after


def _realigned(sentence: str, new: str) -> str | None:
    """The sentence with what another that begins alike says instead: "let's meet at the library" keeps its "on Saturday"."""
    old_words, new_words = sentence.split(), new.strip(" .!").split()
    same = len(list(takewhile(lambda pair: pair[0].lower() == pair[1].lower(), zip(old_words, new_words, strict=False))))
    other = new_words[same:]
    if same < _ALIKE or not 0 < len(other) < _ALIKE or len(old_words) < same + len(other):
        return None
    end = re.sub(r".*\w", "", old_words[same + len(other) - 1])  # the full stop
    return " ".join([*old_words[:same], *other[:-1], other[-1] + end, *old_words[same + len(other) :]])


def _without_prepositions(words: str) -> str:
    return _EN.prepositions.sub("", words.strip(" .!"))


def _with_chinese_name(sentence: str, new: str) -> str | None:
    """The sentence with a name of as many characters: 住三亚的酒店 with 海口的酒店, 在南京读 with 南昌."""
    name, particle, tail = new.partition("的")
    if len(name) not in _CHINESE_NAME:
        return None
    if particle:
        at = sentence.find(particle + tail)
        return sentence[: at - len(name)] + name + sentence[at:] if at >= len(name) else None
    placed = list(_ZH.placed.finditer(sentence))
    start = placed[-1].end() if placed else len(sentence)
    return sentence[:start] + name + sentence[start + len(name) :] if start + len(name) < len(sentence) else None
