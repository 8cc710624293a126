"""What is remembered of written conversations: right in nine of ten of each class, by rules and by a model's answers.

Every failure is listed with its reason in ``failures.md``: a case that fails and is not there fails the test, and so
does one that is there and is right.
"""

import re

import pytest

from tests.cases.case import FOLDER, Case, cases
from tests.cases.runner import mistakes, shares

pytestmark = pytest.mark.slow

LEAST_SHARE = 0.9
LEAST_CASES = 200


def listed(way: str) -> set[str]:
    """The cases that ``failures.md`` lists for a way: lines like ``| names-07 | local | why |``."""
    text = (FOLDER / "failures.md").read_text(encoding="utf-8")
    return set(re.findall(rf"^\| (\S+) \| {way} \|", text, re.MULTILINE))


def check(found: list[tuple[Case, list[str]]], way: str) -> None:
    failed = {case.name: wrong for case, wrong in found if wrong}
    print(*(f"{name}: {'; '.join(wrong)}" for name, wrong in failed.items()), sep="\n")
    low = {kind: round(share, 3) for kind, share in shares(found).items() if share < LEAST_SHARE}
    assert not low, f"classes with too many failures: {low}"
    assert set(failed) == listed(way), f"failures.md does not list what fails by the {way} way"


def test_there_are_enough_cases_in_both_languages() -> None:
    assert len(cases()) >= LEAST_CASES
    assert sum(case.fields["language"] == "zh" for case in cases()) >= LEAST_CASES // 4


def test_by_rules_nine_of_ten_are_right_in_each_class() -> None:
    check([(case, mistakes(case)) for case in cases()], "local")


def test_with_the_answers_of_a_model_nine_of_ten_are_right_in_each_class() -> None:
    check([(case, mistakes(case, by_model=True)) for case in cases()], "model")
