"""Texts that want to stall the stream: no message may take more than a few seconds, whatever it repeats.

Each unit was found to take minutes, or for ever, in some rule: by repeating every part of every pattern, and by hand.
"""

import time

import pytest

from flows.boundaries.semantic import SemanticDetector
from flows.cuts import Utterance
from flows.extraction import LocalExtractor
from mneme.events import LONGEST_TEXT
from mneme.rows import row_of
from mneme.settings import Boundaries
from mneme.text import estimate_tokens, tokenise
from tests.flows.extraction.cuts import cut_of, document, message

PLAIN = [
    "a",
    "A",
    "(",
    "()",
    "7",
    "1,",
    "1.",
    " ",
    "\t",
    "\n",
    "\u00a0",
    "\u3000",
    "-",
    "—",
    ".",
    "…",
    '"',
    "'",
    "*",
    "_",
    "@a ",
    "#\n",
]
PLAIN += [
    "😀",
    "👩‍👩‍👧",
    "我",
    "二",
    "我，",
    "私は",
    "나는 ",
    "א",
    "a\u0301",
    "１",
    "http://",
    "http://a.b/c ",
    "[",
    "{",
    "<a>",
    "`",
    "```\n",
]
SENTENCES = [
    "a. ",
    "a\n",
    "why? ",
    "I like red tea. ",
    "My sister Ann lives in Paris. ",
    "我明天去北京。",
    "这是我的书。",
    "This is my cat. ",
]
SENTENCES += [
    "Ann is married to Bob and ",
    "Mr. ",
    "on Monday ",
    "from Monday to ",
    "1/1/2020 ",
    "ten years ago ",
    "I am ",
    "Ann's ",
]
CORRECTIONS = [
    "no, I meant ",
    "actually ",
    "wait no ",
    "no, 5. ",
    "Sorry, I meant 15, not 50. ",
    "5, no, 6. ",
    "不",
    "不对，",
    "不是，",
    "说错了，是5。",
]
LONG_WITHIN = {
    "it can be" + " really" * 100 + " x. ": "_IMPERSONAL: two ways to read each adverb",
    "9" * 780 + "x. ": "_NUMBER: each digit begins a number that is none",
    "0" * 780 + "x. ": "_NUMBERING: digits in groups of digits",
    "oh, no, sorry, haha you’re right, ugh, and, nope-" * 15 + "x. ": "_ALONE: a row of cues, divided in all ways",
    "a,b,a111 " + ";" * 780 + ". ": "_WITHIN: each sign may end what is before",
    "between" + " \t" * 380 + "x. ": "dates: blanks between all words of a pattern",
}


def seconds(text: str) -> float:
    """Processor time of everything that a step without a model does with a message."""
    began = time.process_time()
    hostile, harmless = message("Ann", text), message("Bob", "I like tea.", 1)
    detector = SemanticDetector(Boundaries())
    detector.judge([Utterance(harmless, None)], [Utterance(hostile, None)], [Utterance(harmless, None)])
    estimate_tokens(text)
    row_of(hostile)
    extractor = LocalExtractor()
    extractor.extract(cut_of([hostile, harmless]))
    extractor.extract(document(text[:1_600]))
    return time.process_time() - began


def repeated(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


@pytest.mark.parametrize("unit", [*PLAIN, *SENTENCES, *CORRECTIONS])
def test_no_text_of_one_repeated_piece_takes_the_square_of_its_length(unit):
    """A tenth of the longest message: the slowest took 0.5 s, what grows with the square took minutes."""
    assert seconds(repeated(unit, LONGEST_TEXT // 10)) < 5


@pytest.mark.parametrize("sentence", LONG_WITHIN, ids=LONG_WITHIN.values())
def test_no_sentence_takes_for_ever(sentence):
    assert seconds(repeated(sentence, LONGEST_TEXT // 10)) < 5


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a", "7", "我明天去北京。", "no, 5. "])
def test_the_longest_message_takes_seconds(unit):
    """13 s for the slowest, 28,000 Chinese sentences, each with a date: in the pool, not on the worker."""
    assert seconds(repeated(unit, LONGEST_TEXT)) < 60


def test_a_hundred_thousand_characters_of_a_query_are_tokenised_at_once():
    began = time.process_time()
    for unit in PLAIN:
        tokenise(repeated(unit, 100_000))
    assert time.process_time() - began < 20
