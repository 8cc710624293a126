"""What is said in passing ends only by a change that is told, of the same thing, where one value stands."""

import pytest

from mneme.relations import OPEN, claims_in, told_to_change


def ended(old: str, *newer: str) -> bool:
    """Whether the last sentence ends what the first says in passing, with those between standing too."""
    standing: dict[str, list[str]] = {}
    for sentence in (old, *newer[:-1]):
        for claim in claims_in(sentence, "en", "Nora", sentence):
            if claim.attribute.startswith(OPEN) and not claim.ends:
                standing.setdefault(claim.attribute, []).append(claim.value)
    claims = [each for each in claims_in(newer[-1], "en", "Nora", newer[-1]) if each.attribute in standing]
    return any(
        told_to_change(standing[each.attribute], each.value, next((one.value for one in claims if not one.ends), ""))
        for each in claims
        if each.ends
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The stairs up to our flat in Deptford are killing me.",
            "The last box is unpacked, we've been in Lewisham since Friday.",
        ),
        ("Long shift at the hospital kitchen again.", "Handed in my notice at the hospital kitchen, finally."),
        ("My nephew Bo turns ten on 2 July.", "Oops, I looked it up: Bo's birthday is 4 July."),
        ("Finally booked the cabin in Småland for August.", "I had to cancel the cabin."),
        ("Typing this on my cracked Huawei.", "I treated myself to a Samsung, the Huawei is in the drawer."),
        ("Jan and I are celebrating our anniversary on Sunday.", "Jan and I have split up, it still hurts."),
        ("I found a cleaner, she takes 15 euros an hour.", "The cleaner wants 18 euros an hour now."),
        ("On Thursdays I've got pottery class at 6 pm.", "Pottery class is at 7 pm now."),
        ("My room costs 420 a month, with Wi-Fi.", "They've raised my rent to 455."),
    ],
)
def test_a_told_change_ends_what_was_said_in_passing(old: str, new: str) -> None:
    assert ended(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The swimming course is 85 euros.", "The pottery course has gone up to 98."),
        ("The swimming course is 85 euros.", "Jana's swimming course is 98 euros now."),
        ("The swimming course is 85 euros.", "The swimming course could go up to 98."),
        ("The swimming course is 85 euros.", "The swimming course is 85 euros now."),
        ("The swimming course is 85 euros.", "Has the swimming course gone up to 98?"),
        ("The book club meets at eight on Mondays.", "Tonight the book club starts at half past seven."),
        ("We pay 980 for the flat.", "My parents' rent is going up to 1,040 in May."),
        ("Our flat in Deptford is cold.", "Helped Ola move into her new place in Lewisham."),
        ("I use an old Pixel 3.", "Dad has got an iPhone 16."),
        ("I'm so in love with Felix.", "It's over between Ida and Paul."),
        ("In June we're taking the night train to Vienna.", "The opera in Vienna is cancelled."),
        ("We booked a week in Madeira.", "If the strike goes on, Madeira is off."),
    ],
)
def test_what_tells_of_another_or_of_no_change_ends_nothing(old: str, new: str) -> None:
    assert not ended(old, new)


def test_where_two_values_stand_none_ends() -> None:
    assert not ended("The swimming course is 85 euros.", "The dance course is 60 euros.", "The course has gone up to 98.")


def test_what_nobody_says_is_not_said_in_passing() -> None:
    assert not [each for each in claims_in("The course is 85 euros.", "en") if each.attribute.startswith(OPEN)]
