"""A claim changes, not a message: what became of the claims about one attribute follows from the statements that make them."""

from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.validity import End, ends, repetitions
from mneme.records import Corrected, Stated, Validity
from mneme.relations import UNREAD

DAY = datetime(2026, 3, 2, tzinfo=UTC)
HOME, LIKES, LAUNCH = "ann|home", "ann|likes", "launch|plan:launch"


def on(day: int) -> datetime:
    return DAY + timedelta(days=day)


def said(
    day: int, *values: str, over: str | None = None, event: int | None = None, message: str = "", model: bool = False
) -> Stated:
    return Stated(
        id=f"t/c{day}/e/f/0" if not message else f"t/{message}/e/f/{day}",
        said_at=on(day),
        event_at=None if event is None else on(event),
        message_ids=(message or f"m{day}",),
        values=values,
        ends=() if over is None else (over,),
        by_model=model,
    )


def standing(about: str, *statements: Stated) -> list[str]:
    """The values that hold in the end, in the order said."""
    ended = ends(about, statements)
    in_order = sorted(statements, key=lambda each: (each.said_at, each.id))
    return [value for each in in_order for value in each.values if value not in ended.get(each.id, {})]


def test_a_newer_value_ends_the_older_when_it_was_said_or_when_it_begins() -> None:
    assert ends(HOME, [said(1, "Berlin"), said(5, "Paris")]) == {"t/c1/e/f/0": {"Berlin": End(on(5), "t/c5/e/f/0")}}
    assert ends(HOME, [said(1, "Berlin"), said(5, "Paris", event=30)])["t/c1/e/f/0"]["Berlin"].at == on(30)
    assert ends(HOME, [said(1, "Berlin"), said(5, "Paris", event=3)])["t/c1/e/f/0"]["Berlin"].at == on(5)


def test_each_value_is_ended_by_the_next_and_what_holds_again_holds() -> None:
    ended = ends(HOME, [said(1, "Berlin"), said(2, "Paris"), said(3, "Berlin")])
    assert [end.by for each in ended.values() for end in each.values()] == ["t/c2/e/f/0", "t/c3/e/f/0"]


def test_one_has_several_likings_until_one_is_said_to_be_over() -> None:
    told = [said(1, "tea"), said(2, "coffee"), said(3, over="Tea")]
    assert standing(LIKES, *told) == ["coffee"]
    assert standing(LIKES, *told, said(4, "tea")) == ["coffee", "tea"]


def test_an_end_that_names_nothing_ends_all() -> None:
    assert standing(LIKES, said(1, "tea"), said(2, "coffee"), said(3, over="")) == []


def test_an_end_of_another_value_ends_nothing() -> None:
    assert standing("ann|employer", said(1, "Google"), said(2, over="Nokia")) == ["Google"]


def test_what_says_the_same_in_more_words_is_no_change() -> None:
    assert standing(HOME, said(1, "Lisbon"), said(2, "Lisbon, Portugal")) == ["Lisbon", "Lisbon, Portugal"]


def test_what_says_again_what_still_holds_changes_nothing() -> None:
    """She moves in May; in April she lives where she lives."""
    told = [said(1, "Berlin"), said(5, "Bonn", event=60), said(30, "Berlin")]
    ended = ends(HOME, told)
    assert standing(HOME, *told) == ["Bonn"]
    assert {end.at for each in ended.values() for end in each.values()} == {on(60)}


def test_a_change_that_is_called_off_before_it_comes_changed_nothing() -> None:
    assert standing(HOME, said(1, "Berlin"), said(5, "Bonn", event=60), said(9, over="Bonn")) == ["Berlin"]


def test_one_message_contradicts_itself_only_by_name() -> None:
    assert standing(HOME, said(1, "Berlin", message="m"), said(2, "Bonn", message="m")) == ["Berlin", "Bonn"]
    assert standing(LIKES, said(1, "tea", message="m"), said(2, over="", message="m")) == ["tea"]
    assert standing(LIKES, said(1, "tea", message="m"), said(2, over="tea", message="m")) == []


def test_a_statement_does_not_end_what_it_says_itself() -> None:
    moved = Stated(id="t/c5/e/f/0", said_at=on(5), message_ids=("m5",), values=("Friday",), ends=("",))
    assert standing(LAUNCH, said(1, "Thursday"), moved) == ["Friday"]


def test_what_began_long_before_it_was_told_ends_only_what_was_said_before_it_began() -> None:
    assert standing(HOME, said(1, "Berlin"), said(9, "Paris", event=-500)) == ["Berlin", "Paris"]
    assert standing(HOME, said(-600, "Rome"), said(9, "Paris", event=-500)) == ["Paris"]


def test_a_plan_that_is_moved_is_void_at_once_and_one_whose_day_was_over_is_history() -> None:
    assert ends(LAUNCH, [said(1, "20 April", event=49), said(5, "11 May", event=70)])["t/c1/e/f/0"]["20 April"].at == on(5)
    assert standing(LAUNCH, said(1, "20 April", event=49), said(60, "11 May", event=70)) == ["20 April", "11 May"]


def test_where_a_model_judges_its_own_statements_end_only_what_was_quoted() -> None:
    told = [said(1, "Berlin", model=True), said(2, "Bonn"), said(3, "Rome", model=True)]
    ended = ends(HOME, told, judged=True)
    assert {identity: each for identity, of in ended.items() for each in of} == {"t/c1/e/f/0": "Berlin", "t/c2/e/f/0": "Bonn"}
    assert standing(HOME, *(each.model_copy(update={"by_model": True}) for each in told)) == ["Rome"]
    assert ends(HOME, [each.model_copy(update={"by_model": True}) for each in told], judged=True) == {}


def test_the_tenth_statement_of_an_episode_comes_after_the_ninth() -> None:
    at = {"said_at": on(1), "message_ids": ("m",)}
    ninth = Stated(id="t/c/e/f/9", values=("tea",), **at)
    tenth = Stated(id="t/c/e/f/10", ends=("tea",), **at)
    assert standing(LIKES, ninth, tenth) == []


def test_a_change_that_is_told_again_ends_nothing_that_came_of_it() -> None:
    """She moves to Bonn; two weeks later she is still unpacking. A move in the autumn is another."""
    moved = said(5, "Bonn", over="")
    assert standing(HOME, said(1, "Berlin"), moved, said(20, over="")) == ["Bonn"]
    assert standing(HOME, said(1, "Berlin"), said(5, over=""), said(6, "Bonn"), said(20, over="")) == ["Bonn"]
    assert standing(HOME, said(1, "Berlin"), moved, said(200, over="")) == []


def test_what_happened_before_a_state_was_told_ends_nothing_of_it() -> None:
    assert standing(HOME, said(10, "Bonn"), said(20, over="", event=3)) == ["Bonn"]
    assert standing(HOME, said(10, "Bonn"), said(10, over="", message="n")) == ["Bonn"]


def test_a_state_without_a_value_takes_no_other_s_place_and_ends_with_the_next_change() -> None:
    assert standing(HOME, said(1, "Berlin"), said(5, UNREAD)) == ["Berlin", UNREAD]
    assert standing(HOME, said(1, UNREAD), said(5, "Bonn")) == [UNREAD, "Bonn"]
    assert standing(HOME, said(1, UNREAD), said(5, "Bonn", over="")) == ["Bonn"]


def test_a_change_between_two_states_that_are_not_read_ends_the_first() -> None:
    """ "I rent a room" and "First night in our new flat!" tell no place, and are still not the same home."""
    moved = said(50, UNREAD, over="")
    assert ends(HOME, [said(1, UNREAD), moved]) == {"t/c1/e/f/0": {UNREAD: End(on(50), moved.id)}}


def test_a_class_is_not_over_with_its_day_and_a_meeting_is() -> None:
    for about, left in (("yoga class|plan:yoga class", ["Friday"]), ("lunch|plan:lunch", ["Tuesday", "Friday"])):
        assert standing(about, said(1, "Tuesday", event=3), said(30, "Friday", over="")) == left


def test_an_end_of_the_trip_ends_the_only_one_there_is() -> None:
    assert standing("trip|plan:trip", said(1, "Lisbon"), said(9, over="")) == []
    assert standing("trip|plan:trip", said(1, "Lisbon"), said(3, "Porto"), said(9, over="")) == ["Lisbon", "Porto"]
    assert standing("trip|plan:trip", said(1, "Lisbon"), said(3, "Porto"), said(9, over="Lisbon")) == ["Porto"]


ABOUT = st.sampled_from([HOME, LIKES, LAUNCH])
statements = st.lists(
    st.builds(
        said,
        st.integers(0, 40),
        st.sampled_from(["Berlin", "Paris", "Rome"]),
        over=st.sampled_from([None, None, "", "Berlin"]),
        event=st.none() | st.integers(-500, 60),
        message=st.sampled_from(["", "m", "n"]),
    ),
    max_size=12,
    unique_by=lambda each: each.id,
)


@given(ABOUT, statements, st.randoms())
def test_the_order_of_arrival_makes_no_difference(about: str, given: list[Stated], random: object) -> None:
    shuffled = list(given)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ends(about, shuffled) == ends(about, given)


@given(ABOUT, statements)
def test_whatever_ended_was_ended_by_what_was_said_later(about: str, given: list[Stated]) -> None:
    by_id = {each.id: each for each in given}
    for identity, each in ends(about, given).items():
        for value, end in each.items():
            assert end.at >= by_id[end.by].said_at
            assert end.by != identity
            claimed_again = value in by_id[identity].ends and value.casefold() in map(str.casefold, by_id[end.by].values)
            assert about != LIKES or by_id[end.by].ends or claimed_again


@pytest.mark.parametrize("about", [HOME, LIKES, LAUNCH])
def test_the_work_grows_with_the_statements_and_not_with_their_pairs(about: str) -> None:
    """Ten thousand changes of one attribute: in pairs these would take minutes."""
    told = [said(day, f"City{day}", over=f"City{day - 3}" if day % 7 == 0 else None) for day in range(10_000)]
    started = process_time()
    ends(about, told)
    assert process_time() - started < 10


def test_the_end_of_a_kind_of_what_one_likes_is_not_that_of_all_of_it() -> None:
    assert standing(LIKES, said(1, "coffee"), said(2, over="cold coffee")) == ["coffee"]
    assert standing(LIKES, said(1, "cold coffee"), said(2, over="coffee")) == []


def test_a_plan_without_a_day_ends_when_it_is_called_off_and_not_when_it_is_moved() -> None:
    told = [said(1, "planned"), said(2, "3 May")]
    assert standing(LAUNCH, *told) == ["planned", "3 May"]
    assert standing(LAUNCH, *told, said(3, "10 May", over="")) == ["planned", "10 May"]
    assert standing(LAUNCH, *told, said(3, over="")) == []


def test_what_is_corrected_ends_when_it_is_corrected_whenever_it_happens() -> None:
    for event in (-800, 90):
        ended = ends("ann|said", [said(1, "It is on Monday."), said(2, over="It is on Monday.", event=event)])
        assert ended["t/c1/e/f/0"]["It is on Monday."].at == on(2)


# --- the same words said again are one statement with several sources, as long as it holds ----------------------------


def in_words(day: int, kind: str = "f", until: int | None = None, repeats: bool = True, platform: str = "") -> Stated:
    return Stated(
        id=f"t/c{day:03}/e/{kind}/0",
        said_at=DAY + timedelta(days=day),
        message_ids=(f"m{day}",),
        metadata={"platform": (platform,)} if platform else {},
        repeats=repeats,
        holds_until=None if until is None else DAY + timedelta(days=until),
    )


def test_the_same_said_ten_times_is_one_statement_with_ten_sources() -> None:
    found = repetitions([in_words(day) for day in range(10)])
    original = found["t/c000/e/f/0"]
    assert original.repeated_by == tuple(f"t/c{day:03}/e/f/0" for day in range(1, 10))
    assert original.also_said_in == tuple(f"m{day}" for day in range(1, 10))
    assert all(found[each] == Validity(merged_into="t/c000/e/f/0") for each in original.repeated_by)


def test_the_original_has_the_metadata_of_its_repetitions() -> None:
    found = repetitions([in_words(1, platform="a"), in_words(2, platform="b"), in_words(3, platform="c")])
    assert found["t/c001/e/f/0"].also_metadata == {"platform": ("b", "c")}


def test_what_is_said_again_after_it_ended_is_news_which_later_ones_repeat() -> None:
    found = repetitions([in_words(1, until=3), in_words(2, until=3), in_words(4), in_words(5)])
    assert {identity: each.merged_into for identity, each in found.items() if each.merged_into} == {
        "t/c002/e/f/0": "t/c001/e/f/0",
        "t/c005/e/f/0": "t/c004/e/f/0",
    }


def test_a_foresight_stands_for_no_fact_and_news_of_an_end_for_nothing() -> None:
    assert repetitions([in_words(1), in_words(2, "s"), in_words(3, repeats=False)]) == {}


def test_the_statement_that_stands_for_many_names_the_newest_of_them() -> None:
    found = repetitions([in_words(day) for day in range(300)])
    assert len(found["t/c000/e/f/0"].repeated_by) == 200
    assert found["t/c000/e/f/0"].repeated_by[-1] == "t/c299/e/f/0"
    assert all(found[f"t/c{day:03}/e/f/0"].merged_into for day in range(1, 300))


def test_a_correction_ends_the_same_words_of_everybody_before_it_and_none_behind_it() -> None:
    right = Corrected(at=on(5), by="t/right/e/f/0")
    told = [same_words(day) for day in (1, 3, 7)]
    told[1] = told[1].model_copy(update={"corrected": right})
    found = repetitions(told)
    assert (found["t/c1/e/f/0"].valid_to, found["t/c1/e/f/0"].superseded_by) == (on(5), "t/right/e/f/0")
    assert found["t/c1/e/f/0"].repeated_by == ("t/c3/e/f/0",)
    assert found["t/c3/e/f/0"].merged_into == "t/c1/e/f/0"
    assert "t/c7/e/f/0" not in found, "what is said again is news"
    assert repetitions(told[::-1]) == found


def same_words(day: int) -> Stated:
    return said(day).model_copy(update={"repeats": True})
