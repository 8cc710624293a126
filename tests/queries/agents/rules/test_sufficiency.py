"""Whether what was found answers a question: by scores and by the question's words."""

from queries.agents.evidence import Evidence
from queries.agents.rule_planner import coverage
from tests.queries.agents.made import message, response

QUESTION = "Which violin did Maya buy in Cremona?"


def found(*texts: str, score: float | None = None) -> Evidence:
    evidence = Evidence()
    answer = response(*(message(f"m{at}", text) for at, text in enumerate(texts)))
    if score is not None:
        answer = answer.model_copy(
            update={"raw_messages": tuple(each.model_copy(update={"score": score}) for each in answer.raw_messages)}
        )
    evidence.add(QUESTION, answer)
    return evidence


def test_all_words_and_a_good_score_are_sufficient() -> None:
    covered = coverage(QUESTION, found("I bought a violin", "it was made in Cremona and I had to buy it"))
    assert covered.sufficient
    assert covered.confidence == 1.0
    assert covered.missing == ()


def test_words_that_nothing_has_are_missing() -> None:
    covered = coverage(QUESTION, found("my violin is old"))
    assert covered.missing == ("buy", "Cremona")
    assert covered.confidence < 1.0


def test_a_low_score_is_not_sufficient_whatever_the_words() -> None:
    assert not coverage(QUESTION, found("I bought a violin in Cremona to buy time", score=0.01)).sufficient


def test_a_score_without_a_word_is_not_sufficient() -> None:
    assert not coverage(QUESTION, found("it rains")).sufficient


def test_nothing_found_is_not_sufficient() -> None:
    assert coverage(QUESTION, found()).confidence == 0.0


def test_the_name_of_who_speaks_need_not_be_said() -> None:
    assert "Maya" not in coverage(QUESTION, found("a violin")).missing
