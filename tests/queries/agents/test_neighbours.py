"""Context expansion: what was said around what was found."""

from datetime import timedelta

from tests.queries.world import HARBOUR, MAYA, START, conversation, filled, memories

MINE = {"user_id": "maya"}
LONG = [
    ("Maya", f"line {number} of the long talk about {word}")
    for number, word in enumerate(("tea", "oars", "rain", "wool", "salt"))
]


def around(query: str, count: int, **options) -> list[str]:
    index = filled(*conversation(MAYA, "long", "Long talk", LONG, day=9, first=50))
    found = memories(index).search(query, filters=MINE, top_k=1, expand_context=count, **options)
    return [each.text for each in found.raw_messages if each.rank is None]


def test_messages_before_and_after_are_shown_in_their_order_without_a_rank():
    assert around("the long talk about rain", 1) == [LONG[1][1], LONG[3][1]]


def test_more_are_shown_on_request():
    assert around("the long talk about rain", 2) == [LONG[at][1] for at in (0, 1, 3, 4)]


def test_nothing_is_shown_unless_asked_for():
    assert around("the long talk about rain", 0) == []


def test_the_border_of_an_episode_is_kept():
    assert set(around("my new boat is painted green", 9)) == {HARBOUR[0][1], HARBOUR[2][1]}


def test_they_do_not_hold_places():
    found = memories().search("my new boat is painted green", filters=MINE, top_k=1, expand_context=1)
    assert len(found.ranked()) == 1


def test_what_was_said_later_is_not_shown_to_a_question_about_the_past():
    index = filled(*conversation(MAYA, "long", "Long talk", LONG, day=9, first=50))
    then = START + timedelta(days=9, minutes=52, seconds=30)
    asked = MINE | {"as_of": then.isoformat()}
    found = memories(index).search("line of the long talk about rain", filters=asked, top_k=5, expand_context=3)
    assert found.raw_messages
    assert all(each.sent_at < then for each in found.raw_messages)
