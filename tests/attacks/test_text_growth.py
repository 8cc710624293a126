"""Texts that want to stall the program: whatever a text repeats, to read twice as much of it takes about twice as long.

Processor time is compared with processor time: twice the text may take 2.5 times as long, the best of five. What reads the
longest text tried here in a few milliseconds stalls nobody, whatever the ratio.
"""

import itertools
import json
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest

from connectors.dead_letters import safe_reason, without_secrets
from connectors.documents.blocks import join_lines
from connectors.documents.formats.text import parse_markdown
from connectors.documents.kinds import kind_of
from connectors.documents.local import Task
from connectors.embedders.hash_embedder import HashEmbedder
from evaluation.bench_stages import RowsInMemory, by_hand, opened
from flows.boundaries.cues import read, turning_words
from flows.cuts import embedding_text, one_line
from flows.decode import decode
from flows.extraction import LocalExtractor
from flows.extraction.artifacts import parts_of
from flows.extraction.grounding import is_grounded
from flows.extraction.sentences import sentence_spans
from flows.lanes.pending import Backlogs
from flows.reading.editions import chunk
from mneme.dates import certain_dates, resolve_dates
from mneme.errors import InputError
from mneme.events import LONGEST_TEXT
from mneme.languages import languages_of
from mneme.patterns import words_of
from mneme.ports import Incoming, ParsedDocument
from mneme.records import Position
from mneme.relations import attributes_asked, claims_in
from mneme.rows import row_of
from mneme.settings import Documents, Settings
from mneme.text import cjk_languages, cjk_share, estimate_tokens, index_tokens, tokenise
from queries.agents.decomposition import descriptions, split_question
from queries.answers.dates import asks_for_difference
from queries.answers.followup import complete_by_rules, has_unresolved_reference
from queries.answers.reply import Reply
from queries.answers.support import question_words
from queries.granularity.forms import forms_of
from queries.questions.types import asks_for_several, question_type
from queries.questions.understand import LONGEST_QUESTION, focus, understand
from tests.attacks.patterns_help import all_patterns, hostile_to
from tests.flows.driven_steps import DrivenSteps
from tests.flows.extraction.cuts import cut_of, document, message

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SENTENCE = 800  # characters that a rule sees at most (flows/extraction/sentences.py)
TWICE = 2.5  # times as long for twice the text
MEASURABLE = 0.005  # seconds of the processor; less is noise, and stalls nobody
UNITS = {
    "spaces": " ", "tabs": "\t", "tabs and spaces": " \t", "nbsp": "\u00a0", "ideographic spaces": "\u3000",
    "line separators": "\u2028", "newlines": "\n", "returns": "\r\n", "blank lines": " \n", "zero width": "\u200b",
    "joiners": "\u200d", "digits": "7", "full-width digits": "１", "numbers": "7 ", "thousands": "7,", "decimals": "7.",
    "ranges": "7-", "prices": "$5 ", "hours": "12:30 ", "dates": "1/1/2020 ", "ISO dates": "2020-01-01 ", "commas": ",",
    "full stops": ".", "colons": ":", "questions": "?", "exclamations": "! ", "ellipses": "…", "quotes": '"',
    "curly quotes": "“", "quoted": '"a" ', "apostrophes": "'", "round brackets": "(", "brackets": "(a) ",
    "square brackets": "[", "links": "[a](b) ", "tags": "<a>", "ticks": "`", "fences": "```\n", "hyphens": "-",
    "dashes": "—", "compounds": "a-b ", "underscores": "_", "snake": "a_", "stars": "*", "hashes": "#\n", "pipes": "| ",
    "bullets": "- a\n", "@": "@", "mentions": "@a ", "addresses": "a@b.c ", "URLs": "http://a.b/c ", "schemes": "://",
    "one letter": "a", "capitals": "A", "letters": "a ", "initials": "A.", "short words": "a.",
    "short sentences": "a. ", "Mr.": "Mr. ", "I'm": "I'm ", "names": "Ann ", "listed names": "Ann, ",
    "owners": "Ann's ", "and": "Ann and ", "long word": "q", "short lines": "a\n", "CJK": "我", "CJK commas": "我，",
    "CJK numbers": "二", "CJK dates": "3月", "not": "不是，", "Japanese": "私は", "Korean": "나는 ", "Hebrew": "א",
    "combining": "\u0301", "accents": "a\u0301", "dotted I": "İ", "emoji": "😀", "families": "👩‍👩‍👧",
    "surrogates": "\ud800", "NUL": "\x00", "adverbs": " really", "titles": ", Mrs Ann",
    "dates end to end": "on Monday ", "ranges of days": "from Monday to ", "plans": "I will fly to Rome on June 5. ",
    "Chinese plans": "我明天去北京。", "corrections": "no, I meant 5. ", "statements": "I like red tea. ",
}  # fmt: skip
NUMBERED = {  # no two alike, so that nothing remembered helps
    "unlike words": "word{} ", "unlike lines": "w{}\n", "unlike names": "Ann{}, ", "unlike days": "{} May. ",
    "unlike plans": "我明天去北京{}号。", "unlike meetings": "I met Hal{0} on 8 May 2017 in Town{0}. ",
    "unlike families": "My sister Ann{0} lives in Paris{0}. ", "unlike moves": "I moved to Town{} last Friday. ",
    "unlike questions": "Q{}? ", "unlike attachments": "[image: a{}] ",
}  # fmt: skip
SURROGATES = "surrogates"
CLASSES = (*UNITS, *NUMBERED)
NOTHING = ParsedDocument("", ())
PEOPLE = ("Ann Lee", "Bob", "王小明")


def text_of(name: str, length: int, lead: str = "x ") -> str:
    """A text of so many characters; the ``lead``, also its end, makes unlike texts that nothing remembers, nor their words."""
    if name in UNITS:
        pieces = UNITS[name] * (length // len(UNITS[name]) + 1)
    else:
        pieces = "".join(NUMBERED[name].format(number) for number in range(length // len(NUMBERED[name].format(0)) + 1))
    end = lead.strip()
    return (lead + pieces)[: length - len(end)] + end


# --- what reads texts ------------------------------------------------------------------------------------------------


def incoming(text: str, number: int = 0) -> Incoming:
    """An event of a message, as a source gives it."""
    event = {
        "event": "message", "tenant_id": "t", "user_id": "u", "conversation_id": "c", "message_id": f"m{number}",
        "sender_id": f"s{number % 2}", "sender_name": "Ann", "role": "user", "sent_at": f"2026-03-0{number + 1}T09:00:00Z",
        "content": text,
    }  # fmt: skip
    return Incoming(json.dumps(event).encode(), Position(topic="t", partition=0, offset=number), NOW)


def decoded(text: str) -> object:
    return list(decode(incoming(text), 8))


def replied(text: str) -> object:
    """A model's answer, as it comes."""
    reply = Reply(3)
    pieces = [text[at : at + 40] for at in range(0, min(len(text), 2_000), 40)]
    return [*map(reply.read, [*pieces, text[2_000:]]), reply.end(), reply.reasoning]


def kind(text: str) -> object:
    """What a file is, by its content; in the service's process, before a parser of its own process opens it."""
    with suppress(InputError):
        return kind_of(text.encode(errors="replace"), "notes.txt", None)
    return None


def markdown(text: str) -> object:
    return parse_markdown(text.encode(errors="replace"), Task("notes.md", None, Documents(), nested=lambda *_: NOTHING))


def extracted(text: str) -> object:
    return LocalExtractor().extract(cut_of([message("Bob", "I like tea."), message("Ann", text, 1)]))


def asked(text: str) -> object:
    question = understand(text, HashEmbedder(), 5, asked_at=NOW, owner="u")
    return question.names(PEOPLE), focus(question, PEOPLE, HashEmbedder())


_IN_CHAT = 20_000  # characters of what is not read whole, and of rules for sentences
READERS: dict[str, tuple[Callable[[str], object], int]] = {  # and the longest text that each gets here
    "decode": (decoded, 50_000),
    "estimate_tokens": (estimate_tokens, 50_000),
    "tokenise": (tokenise, 50_000),
    "index_tokens": (lambda text: index_tokens([(text, 2)]), 50_000),
    "scripts": (lambda text: (cjk_share(text), cjk_languages(text)), 50_000),
    "row_of": (lambda text: row_of(message("Ann", text)), 50_000),
    "embedding_text": (lambda text: embedding_text(message("Ann", text)), 50_000),
    "cues": (lambda text: (read(text), turning_words(text)), 50_000),
    "one_line": (lambda text: one_line(text, 500), 50_000),
    "sentences": (lambda text: (sentence_spans(text, "en"), sentence_spans(text, "zh")), 50_000),
    "languages": (lambda text: languages_of([text]), 50_000),
    "artifacts": (lambda text: parts_of(text, "user"), 50_000),
    "words_of": (words_of, 50_000),
    "extract": (extracted, _IN_CHAT),
    "extract a document": (lambda text: LocalExtractor().extract(document(text)), 1_600),
    "resolve_dates": (lambda text: resolve_dates(text, NOW, UTC), 800),
    "certain_dates": (lambda text: certain_dates(text, NOW, UTC, "en"), 800),
    "claims": (lambda text: (claims_in(text, "en", "Ann"), claims_in(text, "zh", "Ann")), 800),
    "asked attributes": (attributes_asked, LONGEST_QUESTION),
    "is_grounded": (lambda text: is_grounded(text[:300], [message("Ann", text)]), _IN_CHAT),
    "chunk": (partial(chunk, size=1_600, overlap=320), 50_000),
    "join_lines": (lambda text: join_lines(text.split("\n")), _IN_CHAT),
    "parse_markdown": (markdown, _IN_CHAT),
    "kind_of": (kind, _IN_CHAT),
    "without_secrets": (without_secrets, _IN_CHAT),
    "safe_reason": (safe_reason, _IN_CHAT),
    "ask": (asked, LONGEST_QUESTION // 2),
    "rules of a question": (
        lambda text: (
            split_question(text),
            list(descriptions(text, with_asked=True)),
            question_type(text),
            asks_for_several(text),
        ),
        LONGEST_QUESTION,
    ),
    "follow-up": (
        lambda text: (
            has_unresolved_reference(text),
            complete_by_rules(text, [("user", "Who is Ann?"), ("assistant", text)]),
            asks_for_difference(text),
        ),
        LONGEST_QUESTION,
    ),
    "words of a question": (lambda text: (question_words(text, PEOPLE), forms_of(text)), LONGEST_QUESTION),
    "a model's answer": (replied, LONGEST_QUESTION),
}
NO_SURROGATES = ("ask", "decode")  # refuse them


class TooLong(BaseException):
    """More processor time than any such text may take; no handler of errors keeps it."""


@contextmanager
def at_most(limit: float) -> Iterator[None]:
    """Stop what has used so many seconds of the processor, which a pattern might use for days."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(reader: Callable[[str], object], text: str) -> float:
    """Of this thread: while the timer of ``at_most`` runs, the clock of the process has ticks of four milliseconds."""
    began = time.thread_time()
    reader(text)
    return time.thread_time() - began


LEADS = (f"x{number} " for number in itertools.count())  # what another reader has read may be remembered


def growth(reader: Callable[[str], object], name: str, longest: int) -> float:
    """How many times as long twice the text takes, the best of five; 0 for what is quick at the longest."""
    length = min(1_000, longest)
    while (once := seconds(reader, text_of(name, length, next(LEADS)))) < MEASURABLE:
        if length == longest:
            return 0
        length = min((int(MEASURABLE / max(once, 1e-6)) + 1) * length, longest)
    ratios = []
    for _ in range(5):
        ratios.append(seconds(reader, text_of(name, 2 * length, next(LEADS))) / once)
        if ratios[-1] <= TWICE:
            break
        once = max(once, seconds(reader, text_of(name, length, next(LEADS))))
    return min(ratios)


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_takes_about_twice_as_long(reader, tried, is_long):
    function, longest = READERS[reader]
    longest = longest if longest <= LONGEST_QUESTION or not is_long else LONGEST_TEXT
    grown = {}
    for name in tried([each for each in CLASSES if not (each == SURROGATES and reader in NO_SURROGATES)]):
        with at_most(5):
            grown[name] = growth(function, name, longest)
    assert {name: ratio for name, ratio in grown.items() if ratio > TWICE} == {}


# --- the whole message -----------------------------------------------------------------------------------------------

EVERYDAY = "On my way home I told {} about garden{}, before the rain, and she laughed about it for a while. "
WORST = ("CJK dates", "unlike lines", "unlike families", "unlike plans", "spaces")


@pytest.fixture(scope="module")
def everyday() -> float:
    """What 190,000 characters of everyday sentences cost on their whole way: .55 s of a quiet machine."""
    return min(cost(everyday_text(turn)) for turn in range(2))


def everyday_text(turn: int) -> str:
    """No two sentences are alike, and none is in the text of another turn."""
    return "".join(EVERYDAY.format(name, f"{turn}n{at}") for at, name in enumerate(950 * ["Ann", "him"]))


def cost(text: str, whole: bool = True) -> float:
    """Processor time of a message on its whole way through the flow, without that of an embedder and a server.

    Not ``whole``: of what is done on the thread that takes in the messages of all tenants, with nothing done in the pool.
    """
    index, embedder = RowsInMemory(Settings().opensearch), HashEmbedder()
    said = ["Hello, I like tea.", text, "Thanks, see you."]
    events = [incoming(each, number) for number, each in enumerate(said if whole else [text])]
    with opened(Settings(), index, embedder, Backlogs()) as (engine, writer):
        services = by_hand(engine, embedder)
        steps = DrivenSteps(services if whole else replace(services, submit=lambda call: Future()), writer)
        began = time.process_time()
        steps.feed(events)
        if whole:
            steps.end()
        return time.process_time() - began


@pytest.mark.parametrize(("whole", "dearer"), [(True, 5.0), (False, 0.8)], ids=["in all", "on the thread of all tenants"])
def test_the_longest_message_costs_little_more_than_an_everyday_one(whole, dearer, everyday, tried, is_long):
    """Three seconds in all, half a second on the thread of all tenants, where an everyday one costs .55; the best of five."""
    ratios = {}
    for name in tried([each for each in CLASSES if each != SURROGATES] if is_long else WORST):
        usual = everyday
        for turn in range(5):
            with at_most(60):
                ratios[name] = cost(text_of(name, LONGEST_TEXT, f"x{turn}{whole} "), whole) / usual
            if ratios[name] <= dearer:
                break
            usual = max(usual, cost(everyday_text(2 + turn)))  # the machine may be slower than it was
    assert {name: ratio for name, ratio in ratios.items() if ratio > dearer} == {}


def test_a_message_that_names_thousands_of_plans_and_people_becomes_a_bounded_number_of_rows(tried):
    for name in tried(("unlike plans", "unlike families")):
        said = LocalExtractor().extract(cut_of([message("Bob", "Hello."), message("Ann", text_of(name, LONGEST_TEXT // 4), 1)]))
        assert len(said.foresights) <= 100
        assert len(said.entities) <= 1_000
        assert len(said.relationships) <= 300
        assert len(said.facts) <= 400


def test_behind_two_thousand_sentences_the_text_comes_in_pieces_and_none_of_it_is_lost():
    text = "".join(f"Ann has seen {number} stars. " for number in range(5_000))
    sentences = [span.of(text) for span in sentence_spans(text, "en")]
    assert sentences[1_999] == "Ann has seen 1999 stars."
    assert " ".join(sentences) == text.strip()
    assert len(sentences) < 2_300
    assert max(map(len, sentences)) <= SENTENCE


# --- every pattern ---------------------------------------------------------------------------------------------------


def test_no_pattern_has_so_many_ways_to_read_a_sentence_that_it_never_ends(tried, is_long):
    """Each part of each pattern is repeated, behind what leads to it: with two ways to read a word, 40 would take days."""
    endless = {}
    for found in tried(all_patterns()):
        for text in hostile_to(found.pattern, SENTENCE, 400 if is_long else 40):
            for use in found.uses():
                try:
                    with at_most(1):
                        use(text)
                except TooLong:
                    endless[found.where] = text
    assert endless == {}
