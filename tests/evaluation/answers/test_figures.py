"""The figures of a run, where they are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.answers.figures import ALL, ANSWERABLE, Judged, cost_rows, has_all_words, rows_of, wilson
from evaluation.answers.records import ABSTENTION, GivenAnswer, Gold, JudgeKind
from evaluation.retrieval.question_set import Question
from mneme.ports import Role, Usage


def judged(
    number: int,
    category: str,
    answer: str = "a kayak",
    right: bool | None = None,
    abstained: bool = False,
    evidence: float | None = None,
    costs: dict[Role, Usage] | None = None,
) -> Judged:
    kind = JudgeKind.ABSTENTION if category == ABSTENTION else JudgeKind.DEFAULT
    gold = Gold(kind, trap="a violin") if category == ABSTENTION else Gold(kind, "a yellow kayak")
    question = Question(f"q{number}", f"talk-{number % 2}", {"group_id": "g"}, "What is it?", category, frozenset())
    given = GivenAnswer(
        answer=answer,
        abstained=abstained,
        extractive=False,
        evidence=evidence,
        costs=costs or {},
    )
    return Judged(question, gold, given, right)


def rows(some: list[Judged]) -> dict[str, dict[str, float]]:
    return {str(row["category"]): dict(row) for row in rows_of(some, [each.question for each in some])}  # type: ignore[arg-type]


def test_accuracy_is_the_share_of_right_answers_with_its_interval() -> None:
    found = rows([judged(n, "single-hop", right=n < 6) for n in range(10)])
    assert found[ALL]["accuracy"] == 0.6
    assert (found[ALL]["accuracy_low"], found[ALL]["accuracy_high"]) == pytest.approx((0.3127, 0.8318), abs=1e-4)
    assert found[ALL]["cluster_low"] <= 0.6 <= found[ALL]["cluster_high"]
    assert found["single-hop"] == {**found[ALL], "category": "single-hop"}
    assert ANSWERABLE not in found, "there is nothing else"


def test_words_are_counted_only_where_there_is_an_answer() -> None:
    found = rows(
        [
            judged(1, "single-hop", "It was a yellow kayak"),
            judged(2, "single-hop", "a kayak"),
            judged(3, ABSTENTION, "nothing is known", abstained=True),
        ]
    )
    assert found[ALL]["contained"] == found[ANSWERABLE]["contained"] == 0.5
    assert "contained" not in found[ABSTENTION]
    assert "accuracy" not in found[ALL], "nobody judged"


def test_abstention_is_told_apart_where_it_is_right_and_where_it_is_false() -> None:
    some = [judged(n, ABSTENTION, abstained=n < 3) for n in range(4)]
    some += [judged(n, "single-hop", abstained=n == 4) for n in range(4, 9)]
    found = rows(some)
    assert found[ABSTENTION]["abstained"] == 0.75
    assert found[ANSWERABLE]["abstained"] == pytest.approx(0.2)


def test_an_answer_that_abstains_tells_nothing_whatever_words_it_has() -> None:
    some = [
        judged(1, "single-hop", "It is not remembered whether it was a yellow kayak", abstained=True),
        judged(2, ABSTENTION),
    ]
    found = rows(some)
    assert found[ANSWERABLE]["contained"] == 0.0


def test_questions_without_an_answer_yet_are_counted_and_not_measured() -> None:
    some = [judged(n, "single-hop", right=True) for n in range(3)]
    asked = [each.question for each in some]
    [whole, *_] = rows_of(some[:2], asked)
    assert (whole["questions"], whole["answered"], whole["accuracy"]) == (3, 2, 1.0)
    [nothing, *_] = rows_of([], asked)
    assert nothing == {"category": ALL, "questions": 3, "answered": 0}


def test_an_answer_that_is_not_judged_counts_for_words_and_not_for_accuracy() -> None:
    found = rows([judged(1, "single-hop", "yellow kayak", right=True), judged(2, "single-hop", "yellow kayak", right=None)])
    assert (found[ALL]["judged"], found[ALL]["accuracy"], found[ALL]["contained"]) == (1, 1.0, 1.0)


def test_the_share_of_evidence_is_told_where_the_set_names_some() -> None:
    assert rows([judged(1, "single-hop", evidence=0.5), judged(2, "single-hop")])[ALL]["evidence"] == 0.5


def test_cost_adds_up_by_role() -> None:
    answers = [
        judged(n, "single-hop", costs={Role.ANSWER: Usage(calls=1, input_tokens=1000, output_tokens=50)}).answer
        for n in range(4)
    ]
    judging = [Usage(calls=2, input_tokens=300, output_tokens=20)]
    ingestion = {Role.EXTRACTION: Usage(calls=7, input_tokens=70)}
    assert cost_rows(answers, judging, ingestion) == [
        {"role": "extraction", "calls": 7, "input_tokens": 70, "output_tokens": 0},
        {"role": "answer", "calls": 4, "input_tokens": 4000, "output_tokens": 200},
        {"role": "judge", "calls": 2, "input_tokens": 300, "output_tokens": 20},
    ]


@pytest.mark.parametrize(
    ("answer", "gold", "has_all"),
    [
        ("Two dogs, running", "the two dogs run", True),
        ("In May she was running with two dogs", "dogs ran; two", False),
        ("red", "red red", False),
        ("", "dogs", False),
        ("anything", "the and of", None),
    ],
)
def test_words_agree_whatever_their_form_and_order(answer: str, gold: str, has_all: bool | None) -> None:
    assert has_all_words(answer, gold) is has_all


def test_the_number_of_a_cited_memory_is_no_word_of_the_answer() -> None:
    each = judged(1, "single-hop", "It was blue [1][12]")
    counting = Judged(each.question, Gold(JudgeKind.DEFAULT, "12"), each.answer)
    assert rows([counting])[ALL]["contained"] == 0.0


@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] <= high <= 1
    assert low < high


def test_the_interval_of_wilson_is_the_published_one() -> None:
    # 81 of 263, from Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
