"""What a message corrects of an earlier one: the corrected statement is told once, with the right value, by both messages.

    Ann: The concert is on Thursday.      ->  The concert is on Friday.
    Ann: Sorry, I meant Friday.           ->

Text for text, before anything is told of the messages, so that facts, names and plans are all made from what was meant:
1. Find a sentence that corrects: one that says so ("sorry, I meant 15", "不对，是周二") and holds little more than a value.
2. Find what it corrects: the nearest earlier sentence with a value of that sort, or with the old one where it is named
   ("15, not 50"). Another's question is not corrected but answered.
3. Put the new value there, and leave the correcting sentence out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from flows.cuts import ExtractedFact, Utterance
from flows.extraction.corrections.correction_patterns import Correction, correction_in, may_correct, only_announces, repair_in
from flows.extraction.corrections.correction_values import Sort, Value, replaced, values_in
from flows.extraction.wording.retelling import zone_of
from flows.extraction.wording.sentences import is_question, split_sentences
from mneme.caseless import Caseless
from mneme.records import StoredMessage
from mneme.text import has_cjk

_REACH = 6  # messages back
_REACH_WITHIN = 20  # sentences back in one of them
_MOST = 20  # sentences of one message that are tried: a text full of corrections must not cost its square
_REACH_TO_OTHERS = 2  # messages back to what another said, unless the old value is named
_LONGEST_OF_OTHERS = 200  # characters of what another said: in a long list anything can be found
_FILLERS = frozenset(
    """it's it its it’s that's that’s that this is was are were be been being in on at by for from to of the a an actually
    sorry one called named name his her their my your our i we you he she they meant mean say should would will i'm we're
    just oh am there have has had got so and please right yes""".split()
)
_CHINESE_FILLERS = "是在的个人"
_STANDS_FOR_A_NAME = Caseless(r"\b(?:it|that|his|her|its|their|name|called)\b|['’]s\b|^(?:at|in|on|to|from)\b")
_WORD = re.compile(r"[\w'’]+")
_PREPOSITIONS = Caseless(r"^(?:(?:at|on|in|to|from|the|a|an|for|by|with|called|i mean(?:t)?|it['’]s|it (?:is|was))\s+)+")
_ALIKE = 3  # words with which a sentence begins like the one that it takes the place of
_NEW_WORDS = 4  # of what stands for an old value that is no day, number or name
_CHINESE_PLACED = re.compile("在|去|到|住|从|叫|往|搬到")
_CHINESE_NAME = range(2, 5)  # characters


@dataclass(frozen=True, slots=True)
class Meant:
    """Utterances with what was meant; ``by`` names for the place of a corrected message those that corrected it."""

    utterances: tuple[Utterance, ...]
    by: dict[int, tuple[int, ...]]

    def cite(self, sources: tuple[int, ...]) -> tuple[int, ...]:
        """Sources, and the messages that corrected them."""
        return tuple(dict.fromkeys((*sources, *(each for at in sources for each in self.by.get(at, ())))))

    def facts(self, facts: Iterable[ExtractedFact]) -> Iterator[ExtractedFact]:
        """Facts that cite what corrected them. One of a changed message is no longer its text, whose vector serves no more."""
        for fact in facts:
            cited = self.cite(fact.sources)
            yield replace(fact, sources=cited, same_as_source=False) if cited != fact.sources else fact


def corrected(utterances: Sequence[Utterance]) -> Meant:
    """The utterances with what was meant, and which message corrected which."""
    talk = _Talk([one.message for one in utterances])
    for at, one in enumerate(utterances):
        if one.message.role == "user":
            talk.correct_with(at)
    return Meant(tuple(talk.meant(at, one) for at, one in enumerate(utterances)), talk.by)


class _Talk:
    """The sentences of a conversation, changed as corrections are found."""

    def __init__(self, messages: Sequence[StoredMessage]) -> None:
        self._messages = messages
        self._sentences = [split_sentences(one.text) for one in messages]
        self._changed: set[int] = set()
        self._participants = {part.lower() for one in messages for part in _WORD.findall(one.sender_name)}
        self.by: dict[int, tuple[int, ...]] = {}

    def meant(self, at: int, said: Utterance) -> Utterance:
        """An utterance as it is now."""
        if at not in self._changed:
            return said
        text = "\n".join(sentence for sentence in self._sentences[at] if sentence)
        return replace(said, message=said.message.model_copy(update={"text": text}))

    def correct_with(self, at: int) -> None:
        """Apply what the sentences of one message correct."""
        announced, tried = False, 0
        for number, sentence in enumerate(self._sentences[at]):
            if not announced and not may_correct(sentence):
                continue
            repair = repair_in(sentence)
            repaired = self._meant(repair.before, Correction(repair.new), at) if repair else None
            if repair and repaired:
                self._put(at, number, repaired + repair.after)
                continue
            if only_announces(sentence):
                announced = True
                continue
            correction = correction_in(sentence, announced) if tried < _MOST else None
            tried += correction is not None
            if correction is not None and self._apply(correction, at, number):
                self._put(at, number, "")
                if announced:
                    self._put(at, number - 1, "")
            announced = False

    def _apply(self, correction: Correction, at: int, number: int) -> bool:
        """Put the new value where the old one was said; whether the correcting sentence is used up by that."""
        if correction.agrees and not self._was_asked(correction.rest, at):
            return False
        for target, place, sentence in self._earlier(at, number, correction):
            meant = _realigned(sentence, correction.rest) if correction.retracts else self._meant(sentence, correction, target)
            if correction.retracts and meant is None:
                self._put(target, place, "")
                return not correction.rest  # what is said instead stands where it was said
            if meant is not None:
                self._put(target, place, meant)
                if target != at:
                    self.by[target] = (*self.by.get(target, ()), at)
                return True
        return False

    def _was_asked(self, rest: str, at: int) -> bool:
        """Whether another has just said what a message says yes to."""
        if not at or self._messages[at - 1].sender_id == self._messages[at].sender_id:
            return False
        said = self._messages[at - 1].text.lower()
        if len(said) > _LONGEST_OF_OTHERS:
            return False
        values = values_in(_in_context(rest), self._messages[at].sent_at, zone_of(self._messages[at]))
        parts = [part for value in values for part in re.findall(r"\d+(?:[.:]\d+)?|[^\W\d]+", value.text.lower())]
        return any(part in said for part in parts)

    def _earlier(self, at: int, number: int, correction: Correction) -> Iterator[tuple[int, int, str]]:
        """The sentences that can be meant, the nearest first: their message, their place in it, and themselves."""
        for target in range(at, max(-1, at - _REACH - 1), -1):
            message = self._messages[target]
            own = message.sender_id == self._messages[at].sender_id
            far = not own and (
                correction.agrees or correction.retracts or (not correction.old and target < at - _REACH_TO_OTHERS)
            )
            if far or message.role != "user":
                continue
            places = range((number if target == at else len(self._sentences[target])) - 1, -1, -1)
            for place in places[:_REACH_WITHIN]:
                sentence = self._sentences[target][place]
                if sentence and (own or (not is_question(sentence) and len(sentence) <= _LONGEST_OF_OTHERS)):
                    yield target, place, sentence

    def _meant(self, sentence: str, correction: Correction, at: int) -> str | None:
        """The sentence with what a correction puts into it; None where the correction is not of this sentence."""
        message = self._messages[at]
        said_at, zone = message.sent_at, zone_of(message)
        context = _in_context(correction.rest)
        found = values_in(context, said_at, zone)
        if correction.old:
            sorts = {value.sort for value in values_in(_in_context(correction.old), said_at, zone)}
            new = next((value.text for value in found if value.sort in sorts), correction.rest)
            return _with_new(sentence, _without_prepositions(correction.old), _without_prepositions(new))
        if any(each.sort is Sort.NAME and self._is_no_other_name(each, correction) for each in found):
            return None
        if len(found) == 1 and _says_only(correction.rest, found[0].text, sentence):
            return replaced(sentence, found[0], context, said_at, zone)
        return _with_chinese_name(sentence, correction.rest) if has_cjk(sentence) and not found else None

    def _is_no_other_name(self, name: Value, correction: Correction) -> bool:
        """Whether somebody is only called by name ("Oh no, Jon!"), or a weak cue stands before a mere word."""
        called = name.text.lower() in self._participants
        return called or (correction.weak and not _STANDS_FOR_A_NAME.search(correction.rest))

    def _put(self, at: int, number: int, sentence: str) -> None:
        self._sentences[at][number] = sentence
        self._changed.add(at)


def _in_context(words: str) -> str:
    """Words as part of a sentence: what begins one looks like a name."""
    return words if has_cjk(words) else f"it is {words}"


def _says_only(rest: str, value: str, sentence: str) -> bool:
    """Whether a correction says nothing but its value: its other words are fillers, or words of what it corrects."""
    said = {word.lower() for word in _WORD.findall(sentence)}
    beside = rest.replace(value, " ", 1)
    if has_cjk(rest):
        return all(each in sentence or each in _CHINESE_FILLERS for each in beside if each.isalnum())
    return all(word.lower() in _FILLERS or word.lower() in said for word in _WORD.findall(beside))


def _with_new(sentence: str, old: str, new: str) -> str | None:
    """The sentence with the new words for the old; what both share stands once ("two kids" for the "three" of three kids)."""
    pattern = re.escape(old) if has_cjk(old) else rf"(?<!\w){re.escape(old)}(?!\w)"
    places = list(re.finditer(pattern, sentence, re.I))
    if not places or (not has_cjk(new) and len(_WORD.findall(new)) > _NEW_WORDS):
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
    return _PREPOSITIONS.sub("", words.strip(" .!"))


def _with_chinese_name(sentence: str, new: str) -> str | None:
    """The sentence with a name of as many characters: 住三亚的酒店 with 海口的酒店, 在南京读 with 南昌."""
    name, particle, tail = new.partition("的")
    if len(name) not in _CHINESE_NAME:
        return None
    if particle:
        at = sentence.find(particle + tail)
        return sentence[: at - len(name)] + name + sentence[at:] if at >= len(name) else None
    placed = list(_CHINESE_PLACED.finditer(sentence))
    start = placed[-1].end() if placed else len(sentence)
    return sentence[:start] + name + sentence[start + len(name) :] if start + len(name) < len(sentence) else None
