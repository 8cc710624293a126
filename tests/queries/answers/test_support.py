"""Whether quotes tell what is asked: by words, by everyday matters, by the kind of words, and by who said them."""

from typing import Any

import pytest

from mneme.records import Citation, Claim, Quote
from mneme.text import estimate_tokens
from queries.answers.context import context_of
from queries.answers.features import FEATURES, matters_of
from queries.answers.support import support_of
from queries.responses import FoundEpisode, FoundFact
from tests.queries.answers.found import ASKED_AT, at, episode, fact, found

SAID_AT = at("2026-03-02")
SPEAKERS = episode("talk", "They talked.", rank=None)  # names who speaks: Maya and Jonas


def quote(
    identity: str, speaker: str, words: str, rank: int = 1, score: float = 0.4, reading: float | None = None
) -> FoundFact:
    said = Quote(speaker=speaker, words=words)
    return fact(identity, f"{speaker}: {words}", rank=rank, score=score, reading=reading, quote=said)


def told_by(question: str, *quotes: FoundFact | FoundEpisode) -> list[str]:
    """The texts that fit, best first; none where what is asked is not told."""
    response = found(question, SPEAKERS, *quotes)
    context = context_of(response, ASKED_AT, 4000, estimate_tokens)
    support = support_of([each for each in context.memories if each.rank], response, ASKED_AT)
    return [each.text for each in support.fitting] if support.answered else []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is Jonas's salary?", "I earn 2900 a month at the shipyard."),
        ("Wie viel Gehalt bekommt Jonas?", "Ich verdiene 2900 im Monat."),
        ("¿Dónde trabaja Jonas?", "Tengo un puesto en el astillero de Bilbao."),
        ("Где работает Jonas?", "Я устроился на верфь в Казани."),
    ],
)
def test_another_word_of_the_same_matter_answers(question: str, words: str) -> None:
    assert told_by(question, quote("a", "Jonas", words))


@pytest.mark.parametrize("answering", ["a", "b"])
def test_of_two_that_fit_alike_the_one_that_reads_as_the_answer_leads(answering: str) -> None:
    quotes = [
        quote(each, "Jonas", f"My salary at the {place} is 2900.", reading=4.0 if each == answering else -4.0)
        for each, place in (("a", "shipyard"), ("b", "club"))
    ]
    [leading] = [each.atomic_fact for each in quotes if each.id == answering]
    assert leading in told_by("What is Jonas's salary?", *quotes)[0]


def test_what_somebody_else_said_does_not_answer() -> None:
    assert not told_by("What is Jonas's salary?", quote("a", "Maya", "My salary is 2900 a month."))


@pytest.mark.parametrize("quoted", [True, False], ids=["quoted", "written by a model"])
@pytest.mark.parametrize(
    ("question", "words", "is_told"),
    [
        ("What is Jonas's salary?", "The salary is 2900 a month.", False),
        ("What is Jonas's salary?", "The salary of Jonas is 2900 a month.", True),
        ("What is my salary?", "The salary is 2900 a month.", True),
    ],
)
def test_a_document_that_names_nobody_tells_only_of_whose_it_is(question: str, words: str, is_told: bool, quoted: bool) -> None:
    citation = Citation(document_id="scale", name="scale.pdf", section="Pay")
    place: dict[str, Any] = {"document_id": "scale", "section": "Pay", "conversation_id": None, "citation": citation}
    said = Quote(speaker="scale.pdf", words=words) if quoted else None
    told = fact("a", f"scale.pdf, Pay: {words}", parent_episode_id="e", citation=citation, quote=said, score=0.9)
    assert bool(told_by(question, episode("e", "", rank=None, participants=(), **place), told)) is is_told


def test_what_shares_nothing_does_not_answer_however_well_it_is_placed() -> None:
    assert not told_by("When is Jonas's birthday?", quote("a", "Jonas", "On Monday the 3rd the boat comes out.", score=0.95))


HOME = Claim(subject="Maya", attribute="home", value="Bergen", evidence="I moved to Bergen")


@pytest.mark.parametrize("question", ["Where do I live?", "Where does Maya live?", "我住在哪里？"])
def test_a_claim_of_what_is_asked_for_that_holds_answers_however_low_it_is_scored(question: str) -> None:
    moved = quote("a", "Maya", "guess what, I moved to Bergen", 1, 0.02, reading=-6.0)
    assert told_by(question, moved.model_copy(update={"claims": (HOME,)}))
    ended = HOME.model_copy(update={"valid_to": SAID_AT})
    assert not told_by(question, moved.model_copy(update={"claims": (ended,)}))


@pytest.mark.parametrize("question", ["Where do I live besides Bergen?", "Besides Bergen and Rome, where do I live?"])
def test_what_the_question_excepts_does_not_answer(question: str) -> None:
    bergen, turku = (
        quote(city, "Maya", f"I live in {city}").model_copy(update={"claims": (HOME.model_copy(update={"value": city}),)})
        for city in ("Bergen", "Turku")
    )
    assert not told_by(question, bergen)
    assert told_by(question, bergen, turku) == ["Maya: I live in Turku"]


def test_a_claim_answers_from_behind_what_shares_nothing_with_the_question() -> None:
    others = [quote(f"o{place}", "Maya", f"The soup number {place} is ready.", place, 0.03, -5.0) for place in range(1, 7)]
    moved = quote("a", "Maya", "guess what, I moved to Bergen", 7, 0.02, -6.0).model_copy(update={"claims": (HOME,)})
    assert told_by("Where do I live?", *others, moved)[0].endswith("Bergen")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where does Jonas live?", "I might move to Oslo next year."),
        ("Where does Jonas live?", "The dog is fine. I might move to Oslo, my lease ends in May."),
        ("Where does Jonas live?", "If I had money I would live in Rome."),
        ("Where does Jonas work?", "In the novel, Emma works at the court."),
        ("Wo arbeitet Jonas?", "In dem Buch arbeitet Emma am Hof."),
        ("Wo wohnt Jonas?", "Wenn ich reich wäre, würde ich in Wien wohnen."),
        ("Jonas住在哪里？", "要是我有钱，我就住在巴黎"),
        ("Jonas在哪里上班？", "小说里哈利在魔法部上班"),
    ],
)
def test_a_state_is_not_told_by_a_condition_a_wish_or_a_novel(question: str, words: str) -> None:
    assert not told_by(question, quote("a", "Jonas", words, 1, 0.9, reading=3.0))


def test_what_is_possible_is_told_where_it_is_asked_for() -> None:
    assert told_by("Where might Jonas move?", quote("a", "Jonas", "I might move to Oslo next year.", 1, 0.9, reading=3.0))


def test_what_is_real_beside_a_wish_tells_a_state() -> None:
    words = "I live in Bergen, by the harbour. I might get a cat."
    assert told_by("Where does Jonas live?", quote("a", "Jonas", words, 1, 0.9, reading=3.0))


@pytest.mark.parametrize(
    ("question", "words", "is_told"),
    [
        ("What is my rent?", "The rent is 925 a month.", True),
        ("Can I have pets?", "No pets without written consent.", True),
        ("How much is my rent?", "The rent is due on Monday.", False),
        ("What is Jonas's rent?", "The rent is 925 a month.", False),
    ],
)
def test_a_document_of_who_asks_tells_what_it_has_all_words_of(question: str, words: str, is_told: bool) -> None:
    citation = Citation(document_id="lease", name="lease.md", section="Rent")
    place: dict[str, Any] = {"document_id": "lease", "section": "Rent", "conversation_id": None, "citation": citation}
    section = episode("e", "", rank=None, participants=("Flat at the harbour",), **place)
    told = fact(
        "a",
        f"lease.md, Flat at the harbour: {words}",
        parent_episode_id="e",
        citation=citation,
        quote=Quote(speaker="lease.md", words=words),
        score=0.2,
        reading=-4.0,
    )
    assert bool(told_by(question, section, told, quote("b", "Maya", "The boss is friendly.", 2, 0.1, 0.0))) is is_told


def test_asked_when_what_names_a_time_comes_before_what_names_none() -> None:
    moves = quote("a", "Maya", "The release moves to Friday.", 1, 0.49, reading=-1.6)
    tests = quote("b", "Jonas", "Jonas tests the release.", 2, 0.48, reading=0.3)
    assert told_by("When is the release?", moves, tests)[0].endswith("Friday.")


def test_who_asks_is_meant_by_german_words_too() -> None:
    assert not told_by("Wo wohne ich?", quote("a", "Jonas", "Ich wohne in Bonn.", 1, 0.9, reading=3.0))
    assert told_by("Wo wohne ich?", quote("a", "Maya", "Ich wohne in Kiel.", 1, 0.9, reading=3.0))


def test_the_kind_of_words_that_is_asked_for_leads() -> None:
    rent = quote("a", "Jonas", "The rent went up, I am fed up.", 1, 0.4)
    sum_of_it = quote("b", "Jonas", "My rent is 940 now.", 2, 0.38)
    assert told_by("How much is Jonas's rent?", rent, sum_of_it)[0].endswith("940 now.")


def test_matters_are_found_in_every_language() -> None:
    for text in (
        "I work here",
        "Ich arbeite hier",
        "Trabajo aquí",
        "Mon travail",
        "Она работает",
        "在花店上班",
        "図書館で働く",
    ):
        assert "#work" in matters_of(text), text


def test_every_feature_has_a_name_of_its_own() -> None:
    assert len(set(FEATURES)) == len(FEATURES)
