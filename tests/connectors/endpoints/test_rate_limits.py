"""What goes out in a minute, by a clock that the test moves."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.endpoints.call_budget import MINUTE_SECONDS, RateLimit

Sent = list[tuple[float, int]]


def send(limit: RateLimit, amounts: list[int], pauses: list[float] | None = None) -> Sent:
    """Send amounts as early as the limit lets them go, after pauses; when each went out."""
    now, sent = 1000.0, []
    for amount, pause in zip(amounts, pauses or [0.0] * len(amounts), strict=True):
        now += pause
        for _ in range(1000):
            if not (wait := limit.wait(amount, now)):
                break
            now += wait
        limit.take(amount, now)
        sent.append((now, amount))
    return sent


def most_in_a_minute(sent: Sent) -> int:
    return max(sum(amount for at, amount in sent if start <= at < start + MINUTE_SECONDS - 1e-6) for start, _ in sent)


@given(st.integers(1, 300), st.lists(st.floats(0, 40), min_size=1, max_size=120))
def test_no_minute_has_more_requests_than_the_limit(per_minute: int, pauses: list[float]) -> None:
    sent = send(RateLimit(per_minute), [1] * len(pauses), pauses)
    assert most_in_a_minute(sent) <= per_minute


@given(st.integers(1000, 100_000), st.lists(st.integers(1, 100), min_size=1, max_size=60), st.data())
def test_no_minute_has_more_tokens_than_the_limit(per_minute: int, amounts: list[int], data: st.DataObject) -> None:
    pauses = data.draw(st.lists(st.floats(0, 30), min_size=len(amounts), max_size=len(amounts)))
    sent = send(RateLimit(per_minute), amounts, pauses)
    assert most_in_a_minute(sent) <= per_minute + 1


@pytest.mark.parametrize("per_minute", [1, 7, 60, 1000])
def test_nine_tenths_of_the_limit_can_be_used_for_ever(per_minute: int) -> None:
    sent = send(RateLimit(per_minute), [1] * (5 * per_minute))
    minutes = (sent[-1][0] - sent[0][0]) / MINUTE_SECONDS
    assert len(sent) >= 0.9 * per_minute * minutes
    assert minutes >= 4


def test_a_tenth_goes_at_once_and_the_rest_is_spread() -> None:
    times = [at - 1000 for at, _ in send(RateLimit(100), [1] * 30)]
    assert times[:10] == [0.0] * 10
    assert all(0.5 < later - earlier < 0.8 for earlier, later in pairwise(times[9:]))


def test_what_is_larger_than_the_bucket_goes_when_it_is_full_and_the_next_wait_for_it() -> None:
    times = [at - 1000 for at, _ in send(RateLimit(6000), [600, 5401, 1])]
    assert times == pytest.approx([0.0, 600 / 5401 * 60, 600 / 5401 * 60 + 4802 / 5401 * 60])


def test_what_was_not_used_is_given_back() -> None:
    limit = RateLimit(6000)
    limit.take(600, 0.0)
    assert limit.wait(300, 0.0) > 3
    limit.give_back(400, 0.0)
    assert limit.wait(300, 0.0) == 0
    limit.give_back(-700, 0.0)
    assert limit.wait(300, 0.0) > 3


def test_giving_back_never_makes_more_than_a_full_bucket() -> None:
    limit = RateLimit(6000)
    limit.give_back(5000, 0.0)
    limit.take(600, 0.0)
    assert limit.wait(1, 0.0) > 0


def test_without_a_limit_nothing_waits() -> None:
    assert {at for at, _ in send(RateLimit(0), list(accumulate(range(100))))} == {1000.0}
