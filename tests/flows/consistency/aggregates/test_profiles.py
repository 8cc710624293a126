"""Portraits are composed again from all evidence."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.aggregates.profiles import portrayed, profile_of
from mneme.records import Claim, Mention, Owner, Profile, ProfileItem
from mneme.settings import Profiles

OWNER = Owner(tenant_id="t", type="user", id="ann")
DAY = datetime(2026, 3, 2, tzinfo=UTC)
ROOM = Profiles()


def line(day: int, statement: str, *, shown: bool = False, about: str = "Ann", over: bool = False) -> ProfileItem:
    """ "Ann loves tea" and "Ann really loves tea" claim the same, "Ann lives in Rome" another home than "Ann lives in Oslo"."""
    attribute = "home" if "lives" in statement else "likes"
    claim = Claim(subject=about, attribute=attribute, value=statement.split()[-1], ends=over)
    mention = Mention(episode_id=f"e{day}", text=statement, at=DAY + timedelta(days=day), message_ids=(f"m{day}",), claim=claim)
    return ProfileItem(about=about, statement=statement, category="preference", implicit=shown, evidence=(mention,))


def drawn(evidence: Sequence[ProfileItem], limits: Profiles = ROOM) -> Profile:
    profile = Profile(id="p", owner=OWNER, created_at=DAY, version=0, explicit=(), evidence=tuple(evidence))
    return portrayed(profile, limits)


def test_what_is_said_again_joins_its_evidence_and_the_newest_wording_stands() -> None:
    portrait = drawn([line(1, "Ann loves tea"), line(5, "Ann really loves tea")])
    assert [item.statement for item in portrait.explicit] == ["Ann really loves tea"]
    assert [mention.episode_id for mention in portrait.explicit[0].evidence] == ["e1", "e5"]


def test_what_is_replaced_leaves_the_portrait_and_stays_in_the_evidence() -> None:
    evidence = [line(1, "Ann lives in Rome"), line(5, "Ann lives in Oslo")]
    profile = profile_of("p", OWNER, None, {"e"}, evidence)
    assert profile is not None
    profile = portrayed(profile, ROOM)
    assert [item.statement for item in profile.explicit] == ["Ann lives in Oslo"]
    assert [item.statement for item in profile.evidence] == ["Ann lives in Rome", "Ann lives in Oslo"]


def test_a_line_that_is_said_to_be_over_leaves_and_the_end_is_no_line() -> None:
    evidence = [line(1, "Ann loves tea"), line(2, "Ann loves chess"), line(5, "Ann is through with tea", over=True)]
    assert [item.statement for item in drawn(evidence).explicit] == ["Ann loves chess"]


def test_lines_that_claim_nothing_are_one_where_their_words_are() -> None:
    bare = [line(day, text) for day, text in enumerate(["Ann is tall", "ann is tall.", "Ann is loud"])]
    evidence = [each.model_copy(update={"evidence": (each.evidence[0].model_copy(update={"claim": None}),)}) for each in bare]
    assert [(item.statement, len(item.evidence)) for item in drawn(evidence).explicit] == [
        ("ann is tall.", 2),
        ("Ann is loud", 1),
    ]


def test_a_person_whose_name_was_written_in_two_cases_is_one() -> None:
    explicit = drawn([line(1, "sam: I love tea", about="sam"), line(2, "Sam: I love chess", about="Sam")]).explicit
    assert [(item.about, item.statement) for item in explicit] == [("Sam", "Sam: I love tea"), ("Sam", "Sam: I love chess")]


def test_one_sentence_with_two_claims_is_shown_once() -> None:
    role = line(1, "Ann cooks at Initech")
    of_employer = role.evidence[0].model_copy(update={"claim": Claim(subject="Ann", attribute="employer", value="Initech")})
    portrait = drawn([role, role.model_copy(update={"evidence": (of_employer,)})])
    assert [item.statement for item in portrait.explicit] == ["Ann cooks at Initech"]


def test_two_claims_of_one_sentence_are_two_lines_of_which_one_can_end() -> None:
    both = [line(1, "Ann lives in Rome"), line(1, "Ann lives in Rome")]
    mention = both[1].evidence[0].model_copy(update={"claim": Claim(subject="Ann", attribute="likes", value="Rome")})
    both[1] = both[1].model_copy(update={"evidence": (mention,)})
    profile = profile_of("p", OWNER, None, {"e"}, both)
    assert isinstance(profile, Profile)
    portrait = drawn([*profile.evidence, line(5, "Ann lives in Oslo")])
    assert [item.statement for item in portrait.explicit] == ["Ann lives in Rome (Rome: until 2026-03-07)", "Ann lives in Oslo"]


def test_a_relative_is_shown_by_no_sentence_of_which_something_has_ended() -> None:
    home = line(1, "Ann lives in Rome")
    brother = home.evidence[0].model_copy(update={"claim": Claim(subject="Bo", attribute="sibling", value="Ann")})
    family = home.model_copy(update={"about": "Bo", "category": "family", "evidence": (brother,)})
    assert {item.category for item in drawn([home, family]).explicit} == {"preference", "family"}
    later = line(5, "Ann lives in Oslo")
    assert [item.statement for item in drawn([home, family, later]).explicit] == ["Ann lives in Oslo"]


def test_what_was_replaced_and_is_said_again_stands_in_the_place_of_what_replaced_it() -> None:
    portrait = drawn([line(1, "Ann lives in Rome"), line(5, "Ann lives in Oslo"), line(9, "Ann lives in Rome")])
    assert [(item.statement, [each.episode_id for each in item.evidence]) for item in portrait.explicit] == [
        ("Ann lives in Rome", ["e9"])
    ]


def test_a_trait_that_was_shown_once_is_evidence_and_no_line_yet() -> None:
    portrait = drawn([line(1, "Ann drinks tea", shown=True)])
    assert (portrait.explicit, portrait.implicit) == ((), ())


def test_a_trait_shown_in_a_second_episode_is_a_line_with_both() -> None:
    portrait = drawn([line(1, "Ann drinks tea", shown=True), line(2, "Ann makes tea", shown=True)])
    assert [(item.statement, len(item.evidence)) for item in portrait.implicit] == [("Ann makes tea", 2)]


def test_a_trait_shown_twice_in_one_episode_was_shown_once() -> None:
    assert drawn([line(1, "Ann drinks tea", shown=True), line(1, "Ann makes tea", shown=True)]).implicit == ()


def test_a_trait_that_is_then_said_is_explicit() -> None:
    portrait = drawn([line(1, "Ann drinks tea", shown=True), line(2, "Ann loves tea"), line(3, "Ann makes tea", shown=True)])
    assert [(item.statement, len(item.evidence)) for item in portrait.explicit] == [("Ann loves tea", 3)]
    assert portrait.implicit == ()


def test_each_person_has_room_for_so_many_lines_and_what_is_newest_or_said_most_often_stays() -> None:
    often = [line(day, "Ann loves tea") for day in (1, 8, 15)]
    once = [line(2, "Ann reads books"), line(3, "Ann owns cats"), line(20, "Ann plays chess")]
    other = [line(4, "Bob likes bikes", about="Bob")]
    portrait = drawn([*often, *once, *other], Profiles().model_copy(update={"explicit": 2}))
    assert [item.statement for item in portrait.explicit] == ["Ann loves tea", "Bob likes bikes", "Ann plays chess"]


def test_a_revision_of_an_episode_replaces_its_evidence_and_a_withdrawal_leaves_no_trace() -> None:
    profile = profile_of("p", OWNER, None, {"e1"}, [line(1, "Ann loves tea")])
    with_second = profile_of("p", OWNER, profile, {"e2"}, [line(2, "Ann owns cats")])
    revised = profile_of("p", OWNER, with_second, {"e2"}, [line(2, "Ann owns dogs")])
    assert isinstance(revised, Profile)
    assert [item.statement for item in revised.evidence] == ["Ann loves tea", "Ann owns dogs"]
    assert profile_of("p", OWNER, revised, {"e2"}, []) == profile
    assert profile_of("p", OWNER, profile, {"e1"}, []) is None


def test_the_evidence_of_a_profile_is_bounded() -> None:
    profile = profile_of("p", OWNER, None, {"e"}, [line(day, f"Ann loves drink{day}") for day in range(700)])
    assert isinstance(profile, Profile)
    assert len(profile.evidence) == 600
    assert len(portrayed(profile, ROOM).explicit) == ROOM.explicit
    assert profile.evidence[-1].statement == "Ann loves drink699"


drinks = st.tuples(
    st.integers(0, 9),
    st.sampled_from(["Ann loves tea", "Ann makes tea", "Ann lives in Rome", "Ann lives in Oslo"]),
    st.booleans(),
)


@given(said=st.lists(drinks, max_size=10), data=st.data())
def test_the_order_of_arrival_makes_no_difference(said: list[tuple[int, str, bool]], data: st.DataObject) -> None:
    episodes: dict[int, list[ProfileItem]] = {}
    for day, statement, shown in said:
        episodes.setdefault(day, []).append(line(day, statement, shown=shown))
    profiles = []
    for order in (sorted(episodes), data.draw(st.permutations(sorted(episodes)))):
        profile = None
        for day in order:
            profile = profile_of("p", OWNER, profile, {f"e{day}"}, episodes[day])
        profiles.append(profile)
    assert profiles[0] == profiles[1]
    if profiles[0] is not None:
        forwards, backwards = drawn(profiles[0].evidence), drawn(profiles[0].evidence[::-1])
        assert (forwards.explicit, forwards.implicit) == (backwards.explicit, backwards.implicit)
