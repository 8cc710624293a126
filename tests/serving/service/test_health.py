"""Health is told in time, whatever what is asked does."""

import threading
from collections.abc import Iterator

import pytest

from mneme.ports import Lag
from serving.service.health import Health, HealthMonitor

GREEN = Health("green", (), Lag({}))


class RequestModel:
    """An index that answers when it may."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.looks = 0

    def look(self) -> Health:
        self.looks += 1
        assert self.may_answer.wait(60)
        return GREEN


@pytest.fixture
def asked() -> Iterator[RequestModel]:
    asked = RequestModel()
    yield asked
    asked.may_answer.set()


def test_what_is_known_in_time_is_told(asked: RequestModel):
    asked.may_answer.set()
    pulse = HealthMonitor(asked.look, answer_seconds=60)
    assert [pulse.health(), pulse.health()] == [GREEN, GREEN]
    assert asked.looks == 2, "nothing old is told while there is something new"


def test_before_the_first_answer_it_is_red_and_says_that_it_starts(asked: RequestModel):
    pulse = HealthMonitor(asked.look, answer_seconds=0)
    for _ in range(3):
        told = pulse.health()
        assert told.status == "red"
        assert told.problems[0].startswith("starting: ")
    assert asked.looks == 1, "all wait for one look"


@pytest.mark.parametrize(("patience_seconds", "status"), [(60.0, "green"), (0.0, "red")])
def test_the_last_answer_holds_for_a_while_where_one_takes_long(asked: RequestModel, patience_seconds: float, status: str):
    asked.may_answer.set()
    pulse = HealthMonitor(asked.look, answer_seconds=0.001, patience_seconds=patience_seconds)
    while pulse.health() != GREEN:
        pass
    asked.may_answer.clear()
    told = pulse.health()
    while told.lag is not None and patience_seconds == 0:  # a look that was over in time, before the index fell silent
        told = pulse.health()
    assert told.status == status
    assert (status == "green") or "have not answered" in told.problems[0]


def test_what_goes_wrong_in_a_look_is_raised_where_it_was_asked_for():
    def fail() -> Health:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        HealthMonitor(fail, answer_seconds=60).health()
