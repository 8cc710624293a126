"""Who is meant by a name, and which texts name them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.entities.naming import naming
from tests.queries.world import entity, mention


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("Tom", "Tom eats", True),
        ("Tom", "a tomato", False),
        ("Tom", "Tom's boat", True),
        ("Tom", "tom-toms and Tommy", False),
        ("Mei-Lin", "Mei-Lin sails", True),
        ("晓雨", "林晓雨去了杭州", True),
        ("May", "she may come", False),
        ("New York", "in new york", True),
        ("C++", "we write C++ at night", True),
    ],
)
def test_a_name_is_found_as_a_whole(name, text, named):
    assert naming(name, [entity(name, type="thing")]).is_in(text) is named


@given(st.text(min_size=1, max_size=12).filter(str.strip))
def test_any_name_can_be_asked_for(name):
    assert naming(name, []).is_in(f"so: {' '.join(name.split())} !")


def test_all_names_of_the_same_are_one():
    who = naming("annie", [entity("Ann Miller", "Annie"), entity("Bob Miller")])
    assert who.entity is not None
    assert who.entity.name == "Ann Miller"
    assert who.is_in("Annie sails")
    assert who.is_in("Ann sails")
    assert who.is_called("ANN MILLER")


def test_a_part_of_a_name_that_others_share_names_nobody():
    who = naming("Ann Miller", [entity("Ann Miller"), entity("Bob Miller")])
    assert who.parts == ("Ann",)
    assert not who.is_in("Miller sails")


def test_a_part_means_the_only_one_who_has_it():
    assert naming("miller", [entity("Ann Miller"), entity("Bob Stone")]).names == ("Ann Miller",)
    assert naming("晓雨", [entity("林晓雨"), entity("王浩然")]).names == ("林晓雨",)


def test_a_part_that_several_have_is_searched_for_as_it_is():
    who = naming("Miller", [entity("Ann Miller"), entity("Bob Miller")])
    assert (who.entity, who.names, who.others) == (None, ("Miller",), ("Ann Miller", "Bob Miller"))


@pytest.mark.parametrize("asked", ["Li", "an", "雨"])
def test_a_part_of_two_letters_means_nobody(asked):
    assert naming(asked, [entity("Li Wei"), entity("Ann an der Heide"), entity("林晓雨")]).entity is None


def test_parts_are_for_persons():
    assert not naming("New York", [entity("New York", type="location")]).is_in("a new day, a New start")


def test_of_two_with_the_same_name_the_one_spoken_of_more_is_meant_and_the_other_named():
    who = naming("Paris", [entity("Paris", "Paris, Texas"), entity("Paris Jones", "Paris", mentions=[mention()] * 3)])
    assert who.entity is not None
    assert (who.entity.name, who.others) == ("Paris Jones", ("Paris",))
