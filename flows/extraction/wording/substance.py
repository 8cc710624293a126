"""What a sentence is worth: greetings, thanks and praise carry nothing to remember."""

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import chain
from string import digits

from mneme.caseless import Caseless
from mneme.guarded import words_of
from mneme.text import STOP_WORDS, Runs, has_cjk

_PHATIC = frozenset(
    """hey hi hello hiya yo wow whoa woah oh ooh aww aw ah haha hahaha lol omg yay yeah yep yup yes no nope nah ok okay sure
    thanks thank thankyou thx welcome congrats congratulations bye goodbye cheers please sorry hmm mhm uh um well
    great good nice cool awesome amazing wonderful fantastic excellent lovely beautiful gorgeous sweet fun funny incredible
    impressive inspiring inspirational perfect brilliant super stunning adorable cute neat rad epic dope sick lit fab
    bad tough hard rough true right exactly absolutely totally definitely agree agreed indeed course certainly
    really so very much lot lots bit pretty quite kinda sorta kind sort truly always never ever still
    glad happy proud excited stoked pumped thrilled jealous curious touched grateful thankful appreciate appreciated
    sound sounds sounded sounding look looks looking looked seem seems feel feels feeling like love loved loving
    know see hear heard hearing tell told telling talk talking talked chat chatting catch say said think thinking thought guess
    mean means meant hope hoping hopefully wish believe bet imagine
    going go goes gonna get gets getting got make makes making made take takes taking took keep keeping kept
    come comes coming give gives giving given let lets put do does doing did done try trying want wanna need
    have had having be been being is are was were am will would can could should may might must
    can't won't don't didn't doesn't isn't couldn't wouldn't gotta
    thing things stuff something anything everything nothing one ones way ways time times day days
    wait soon later long here there back up down out around off over away today
    how what when where why who which that this these those it you me i we they
    good-bye care luck best enjoy everyone guys guy girl buddy pal friend dude man mate folks
    idea point question choice call effort
    posted update updates forward safe stay inspired inspire inspires amaze amazed impressed
    received noted understood copy roger mmm catching happen happened happening also too even just actually maybe perhaps
    ya yall y'all u ur im ive id ill pic pics photo share sharing shared""".split()
)
_PRAISING = frozenset(
    """great good nice cool awesome amazing wonderful fantastic excellent lovely beautiful gorgeous sweet fun incredible
    proud impressive inspiring perfect brilliant super stunning adorable cute neat rad epic yum yummy tasty delicious
    happy encouraging motivating rewarding tough hard rough sad means welcome right true special powerful heartwarming
    important""".split()
)
_PHRASES = Caseless(
    r"\b(?:(?:great|good|nice|amazing|awesome|wonderful|fantastic|hard|exciting) "
    r"(?:job|work|news|start|to have|support)|let me know|good luck|see you|"
    r"talk (?:to you )?(?:soon|later)|catch you|keep (?:it|that) up|keep me posted|way to go|rock on|that rocks|"
    r"(?:glad|happy) (?:i|we) could|(?:here|there) (?:for|to support) you|congrats on|congratulations on|"
    r"sorry (?:to hear|about)|"
    r"work well together|great catching|awesome catching|proud of you|"
    r"can['’]?t wait|long time no|no (?:problem|worries)|my pleasure|any ?time|have (?:a )?(?:fun|good|great|nice|blast)|"
    r"take care|(?:glad|happy) (?:you|to (?:hear|help))|hope (?:you|to) (?:like|enjoy|see|hear)|"
    r"(?:good|great|nice) to (?:see|hear)|(?:thanks|thank you) for (?:asking|the|your)|appreciate (?:it|the|your)|"
    r"how(?:['’]s| is| are)|your support|"
    r"what['’]?s (?:up|new)|you['’]?(?:re| are) (?:welcome|right)|i['’]?m here for you|got your back)\b",
)
_PRAISE = Caseless(
    r"^(?:(?:wow|oh|aww?|yeah|mm+),? )?(?:that|those|your|you(?:['’]re)?|it|what an?|so|such an?|glad|good on|sounds?|looks?|"
    r"must (?:have|['’]ve) been|must['’]ve been|this is|happy)\b"
    r"(?!.*\b(?:i|i['’]\w+|my|me|we|our|was|were|did|had)\b)",
)
_PRAISE_LIMIT = 2  # words of content up to which a sentence about the other's things only praises them
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_RUNS = Runs("'-")
_ASCII_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")  # the same where a text has no other characters
_OPENING = Caseless(
    r"(?:(?:yeah|yea|yep|yup|yes|no|nope|nah|oh|ah|aww?|wow|whoa|woah|hey|hi|hello|thanks|thank you|thx|sure|well|ok|okay|haha|"
    r"hmm|lol|omg|totally|definitely|absolutely|by the way|btw|also|plus|best of all|anyway|actually|honestly|and|but|so|"
    r"on (?:another|a different|a side|that) note|in other news|guess what|you know what|speaking of which)\b"
    r"(?: so much| a lot| a bunch| thing)?"
    r"(?:,? ([^\W\d_]+))?\s*[,!.:;…-]+\s*|(?:so|but|and) (?=i\b|my\b|we\b))",
)
_EMOTICON = re.compile(r"<3+|[:;=8]-?[3)(DPp]")
_DIGIT = re.compile(r"\d")
_DIGITS = frozenset(digits)
_CHINESE_PHATIC = re.compile(
    "好的|好滴|好啊|好呀|好吧|好|谢谢|多谢|感谢|不客气|不用谢|是的|是啊|对的|对啊|对|没错|嗯+|哦+|噢|哈+|嘿+|哇+|呵+|收到|明白了?|"
    "了解|知道了|没问题|可以|行|太棒了|太好了|真棒|真好|真的|不错|厉害|加油|辛苦了?|大家|各位|早上|早安|早|晚上|晚安|下午|你好|您好|"
    "再见|拜拜|回头见|哎呀?|唉|呀|啊|吧|呢|吗|啦|了|的|我|你|您|也|就|那|都|很|非常"
)


@lru_cache(maxsize=8_192)  # a sentence is weighed several times
def content_words(sentence: str) -> tuple[str, ...]:
    """The lower-case words that carry a sentence: neither stop words nor words of greeting, praise or filling."""
    if sentence.isascii():
        return tuple(chain.from_iterable(map(_content_of, _RUNS.of(sentence))))
    return tuple([word for written in _WORD.findall(sentence) if carries(word := written.lower().replace("’", "'"))])


@lru_cache(maxsize=8_192)
def _content_of(run: str) -> tuple[str, ...]:
    """The words of content in a run of lower-case ASCII letters, apostrophes and hyphens: mostly one."""
    return tuple(filter(carries, _ASCII_WORD.findall(run)))


@lru_cache(maxsize=8_192)
def carries(word: str) -> bool:
    """Whether a lower-case word is one of content."""
    return len(word) > 1 and word not in STOP_WORDS and word.removesuffix("'s") not in _PHATIC


def is_informative(sentence: str, names: Collection[str] = ()) -> bool:
    """Whether a sentence says anything: a number, or a word of content besides the ``names`` (lower case) present.

    A set phrase of politeness ("good luck with ...") and praise ("that garden looks great") must bring more of them.
    """
    if has_digit(sentence) and has_digit(_EMOTICON.sub("", sentence)):
        return True
    if has_cjk(sentence):
        rest = _CHINESE_PHATIC.sub("", sentence)
        return sum(character.isalnum() for character in rest) >= 2
    called = beginnings(names)
    words = {word for word in content_words(sentence) if (plain := word.removesuffix("'s")) not in called or len(plain) < 2}
    if len(words) > _PRAISE_LIMIT:
        return True
    if praises(sentence) and _PRAISE.search(sentence):
        return False
    return len(words) > (1 if _PHRASES.search(sentence) else 0)


def has_digit(sentence: str) -> bool:
    """Whether a sentence has a decimal digit."""
    return not _DIGITS.isdisjoint(words_of(sentence))


def praises(sentence: str) -> bool:
    """Whether a sentence has a word of praise or pity."""
    if _PRAISING.isdisjoint(words_of(sentence)):
        return False
    return any(word.lower() in _PRAISING for word in _WORD.findall(sentence))


def without_opening(sentence: str, names: Collection[str] = ()) -> str:
    """The sentence without an interjection, thanks or address in front: "Yeah, Mel! I ..." is "I ..."."""
    return _without_opening(sentence, frozenset(names))


@lru_cache(maxsize=1_024)  # what is told of a sentence, and whether it is worth it, both ask for this
def _without_opening(sentence: str, names: frozenset[str]) -> str:
    rest = sentence
    while True:
        opening = _OPENING.match(rest)
        if opening and opening.end() < len(rest) and (opening[1] is None or _is_called(opening[1].lower(), names)):
            rest = rest[opening.end() :]
        else:
            return rest


def weight(sentence: str) -> float:
    """How much a sentence says: its words of content; three Chinese characters count as one."""
    if has_cjk(sentence):
        return sum(character.isalnum() for character in _CHINESE_PHATIC.sub("", sentence)) / 3
    return len(content_words(sentence)) + len(_DIGIT.findall(sentence)) / 2


def beginnings(names: Collection[str], shortest: int = 0) -> frozenset[str]:
    """Names and their short forms of at least so many letters: "mel" for "melanie"."""
    return _beginnings(frozenset(names), shortest)


@lru_cache(maxsize=256)  # the names of an episode are asked for with each of its words
def _beginnings(names: frozenset[str], shortest: int) -> frozenset[str]:
    return names | {name[:length] for name in names for length in range(shortest, len(name))}


def _is_called(word: str, names: Collection[str]) -> bool:
    """Whether a word is a participant's name or a short form of it: "Mel" for Melanie."""
    return len(word) > 1 and word in beginnings(names)
