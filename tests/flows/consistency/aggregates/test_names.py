"""Which names mean the same, and which stay apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.aggregates.names import FORMAL_OF, NICKNAMES_OF
from tests.flows.consistency.aggregates.meanings import merged_names

PERSONS = """Ann|Ann Miller|Ann Smith|Miller|Bob|Robert Jones|Mel|Melanie|Melanie Jones|Mr. Miller|Mrs. Miller|小明|王小明|
老王|小王|王先生""".replace("\n", "")


def persons(*names: str) -> list[tuple[str, str]]:
    return [(name, "person") for name in names]


@pytest.mark.parametrize(
    ("names", "merged"),
    [
        (persons("Ann", "Ann Miller"), {"Ann": "Ann Miller"}),
        (persons("ANN", "Ann  Miller"), {"ANN": "Ann  Miller"}),
        (persons("Miller", "Ann Miller"), {"Miller": "Ann Miller"}),
        (persons("Dr. Ann Miller", "Ann Miller"), {"Dr. Ann Miller": "Ann Miller"}),
        (persons("Ann", "Ann Miller", "Ann Miller Smith"), {"Ann": "Ann Miller Smith", "Ann Miller": "Ann Miller Smith"}),
        (persons("Mary Ann", "Mary Ann Cole"), {"Mary Ann": "Mary Ann Cole"}),
        (persons("Mr. Miller", "Bob Miller"), {"Mr. Miller": "Bob Miller"}),
        (persons("Mel", "Melanie"), {"Mel": "Melanie"}),
        (persons("Mel", "Melanie", "Melanie Jones"), {"Mel": "Melanie Jones", "Melanie": "Melanie Jones"}),
        (persons("Caro", "Caroline"), {"Caro": "Caroline"}),
        (persons("Fede", "Federica Rossi"), {"Fede": "Federica Rossi"}),
        (persons("Tom", "Tom Miller", "Tomato Jones"), {"Tom": "Tom Miller"}),
        (persons("Sam", "Sam Cole", "Samantha"), {"Sam": "Sam Cole"}),
        (persons("Bob Jones", "Robert Jones"), {"Bob Jones": "Robert Jones"}),
        (persons("Bob", "Robert Jones"), {"Bob": "Robert Jones"}),
        ([("Mel", "object"), ("Melanie", "person")], {"Mel": "Melanie"}),
        ([("Ann", ""), ("Ann Miller", "person")], {"Ann": "Ann Miller"}),
        (persons("小明", "王小明"), {"小明": "王小明"}),
        (persons("小明", "王明"), {"小明": "王明"}),
        (persons("老王", "王建国"), {"老王": "王建国"}),
        (persons("王先生", "王建国"), {"王先生": "王建国"}),
        (persons("王小明先生", "王小明"), {"王小明先生": "王小明"}),
        ([("Google Inc.", "organisation"), ("Google", "organisation")], {"Google Inc.": "Google"}),
        ([("Google LLC", "company"), ("Google", "object")], {"Google LLC": "Google"}),
        ([("the Red Cross", "organisation"), ("Red Cross", "organization")], {"the Red Cross": "Red Cross"}),
        ([("NYC", "city"), ("New York City", ""), ("New York", "place")], dict.fromkeys(("NYC", "New York City"), "New York")),
        ([("北京市", "location"), ("北京", "地点")], {"北京市": "北京"}),
    ],
)  # fmt: skip
def test_names_of_the_same_are_merged(names: list[tuple[str, str]], merged: dict[str, str]) -> None:
    assert merged_names(names) == merged


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([("Tom", "person"), ("tomato", "object")], id="tom is not in tomato"),
        pytest.param(persons("Tom", "Tomato Jones"), id="nor is it short for it"),
        pytest.param(persons("Fede", "Ann Federica"), id="only first names have short forms"),
        pytest.param(persons("Ann", "Ann Miller", "Ann Smith"), id="two Anns"),
        pytest.param(persons("Ann", "Ann Miller", "Mary Ann"), id="Ann as first and as second name"),
        pytest.param(persons("Miller", "Ann Miller", "Bob Miller"), id="a family"),
        pytest.param(persons("Ann", "Anna"), id="Anna is another name"),
        pytest.param(persons("Jean", "Jeanette"), id="Jean is a name of its own"),
        pytest.param(persons("Julia", "Julian"), id="Julian is another name"),
        pytest.param(persons("Mel", "Melanie", "Melissa"), id="two that Mel may be short for"),
        pytest.param(persons("Sam", "Samuel", "Samantha"), id="two that Sam may be short for"),
        pytest.param(persons("Li", "Li Wei"), id="a part of two letters"),
        pytest.param(persons("Mr. Miller", "Mrs. Miller"), id="a couple"),
        pytest.param(persons("Mr. Miller", "Mrs. Miller", "Ann Miller"), id="a couple, and which of them is Ann is unknown"),
        pytest.param([("Austin", "location"), ("Jane Austin", "person")], id="a place is no part of a person"),
        pytest.param([("Ford", "object"), ("Harrison Ford", "person")], id="a thing is named like a surname"),
        pytest.param([("Fede", "object"), ("Federica", "person")], id="a thing is named like the beginning of a name"),
        pytest.param([("Google", "organisation"), ("Google Maps", "organisation")], id="parts of organisations are others"),
        pytest.param([("Kansas", "location"), ("Kansas City", "location")], id="another city"),
        pytest.param([("Paris", "person"), ("paris.", "location")], id="a person and a place of one name"),
        pytest.param(persons("小明", "王小明", "李小明"), id="two called 小明"),
        pytest.param(persons("明", "王明"), id="one character is too little"),
        pytest.param(persons("老王", "小王", "王建国"), id="老王 and 小王 are two"),
        pytest.param(persons("王先生", "王女士", "王建国"), id="先生 and 女士 are two"),
        pytest.param(persons("老王", "王建国", "王小明"), id="two of the surname"),
    ],
)
def test_names_that_may_be_of_others_stay_apart(names: list[tuple[str, str]]) -> None:
    assert merged_names(names) == {}


@given(names=st.permutations(PERSONS.split("|")), many=st.integers(0, 16))
def test_the_order_of_names_makes_no_difference_and_nothing_is_merged_into_an_alias(names: list[str], many: int) -> None:
    merged = merged_names(persons(*names[:many]))
    assert merged == merged_names(persons(*sorted(names[:many])))
    assert not set(merged.values()) & set(merged)


def test_no_formal_name_is_a_nickname() -> None:
    assert not set(FORMAL_OF) & set(NICKNAMES_OF)


def test_somebodys_sister_is_somebody_else() -> None:
    assert merged_names([("Jason", "person"), ("Jason's sister", "person")]) == {}
