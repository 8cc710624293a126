"""Positions of events."""

import pytest

from mneme.records import Position


@pytest.mark.parametrize(
    ("one", "other", "beside"),
    [("a", "a", True), ("a", "b", False), ("", "b", True), ("a", "", True), ("", "", True)],
)
def test_positions_are_beside_each_other_unless_their_topics_are_known_to_differ(one: str, other: str, beside: bool):
    first, second = (Position(topic="t", partition=0, offset=3, topic_id=each) for each in (one, other))
    assert first.is_beside(second) is beside
    assert not first.is_beside(second.model_copy(update={"partition": 1}))
