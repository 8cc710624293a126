"""Places and minutes, shared by the process, first come, first served."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from connectors.endpoints.call_budget import MINUTE_SECONDS, CallBudget, Purpose, purpose_of, share_of
from mneme.errors import ModelTimeout
from mneme.ports import Role
from tests.waiting import wait_until

INGESTION, QUERIES = Purpose.INGESTION, Purpose.QUERIES
GENEROUS = 30.0  # seconds, for a machine that is busy: what is tested is that nothing waits for a minute of the clock


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of 0.6 seconds."""
    monkeypatch.setattr("connectors.endpoints.call_budget.MINUTE_SECONDS", 0.6)
    monkeypatch.setattr("connectors.endpoints.call_budget._process", {})
    assert MINUTE_SECONDS == 60.0


def waiting(budget: CallBudget, purpose: Purpose = INGESTION) -> int:
    return len(budget._own[purpose]._waiting)


def test_places_are_given_in_the_order_of_asking() -> None:
    budget, order = CallBudget(1, 4), []

    def ask(number: int) -> None:
        with budget.call(INGESTION, 1, 5):
            order.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    with budget.call(INGESTION, 1, 5):
        for number, thread in enumerate(threads):
            thread.start()
            wait_until(lambda number=number: waiting(budget) == number + 1)  # type: ignore[misc]
    for thread in threads:
        thread.join()
    assert order == list(range(12))


def test_who_gives_up_leaves_the_line_to_the_next() -> None:
    budget = CallBudget(1, 4)
    with ThreadPoolExecutor(2) as pool:

        def ask(patience: float) -> bool:
            with budget.call(INGESTION, 1, patience):
                return True

        with budget.call(INGESTION, 1, 5):
            impatient = pool.submit(ask, 0.05)
            wait_until(lambda: waiting(budget) == 1)
            patient = pool.submit(ask, 5)
            with pytest.raises(ModelTimeout, match="MNEME_MODELS__CALLS_IN_FLIGHT"):
                impatient.result()
            assert waiting(budget) == 1
        assert patient.result()


@pytest.mark.usefixtures("minute")
def test_requests_of_a_minute_are_shared_by_all_clients_of_the_process() -> None:
    started = time.monotonic()
    for _ in range(21):
        budget = CallBudget(5, 300, requests_per_minute=28)  # 21 for ingestion, 2 of them at once
        with budget.call(INGESTION, 1, 5) as call:
            call.attempt(0)
    assert 0.6 * 19 / 20 - 0.01 < time.monotonic() - started < GENEROUS


@pytest.mark.usefixtures("minute")
def test_queries_do_not_wait_for_the_minute_of_ingestion() -> None:
    budget = CallBudget(5, 300, requests_per_minute=4)
    with budget.call(INGESTION, 1, 0):
        pass
    with pytest.raises(ModelTimeout, match="REQUESTS_PER_MINUTE"), budget.call(INGESTION, 1, 0.01):
        pass
    with budget.call(QUERIES, 1, 0):
        pass


@pytest.mark.usefixtures("minute")
def test_every_further_attempt_counts_as_a_request() -> None:
    budget = CallBudget(5, 300, requests_per_minute=8)  # 6 for ingestion, one every tenth of a second
    with budget.call(INGESTION, 1, 0) as call:
        call.attempt(0)
        with pytest.raises(ModelTimeout):
            call.attempt(0.01)
        started = time.monotonic()
        call.attempt(1)
        assert 0.05 < time.monotonic() - started < GENEROUS


@pytest.mark.usefixtures("minute")
def test_tokens_are_put_right_by_what_was_used() -> None:
    budget = CallBudget(5, 300, tokens_per_minute=4000)  # 3000 for ingestion, 300 of them at once
    with budget.call(INGESTION, 300, 0) as call:
        call.attempt(0)
        call.used(10)
    with budget.call(INGESTION, 250, 0.01) as call:
        call.attempt(0)
        call.used(1700)
    with pytest.raises(ModelTimeout, match="TOKENS_PER_MINUTE"), budget.call(INGESTION, 250, 0.2):
        pass
    with budget.call(INGESTION, 250, 1):
        pass


@pytest.mark.usefixtures("minute")
def test_a_call_that_waits_for_its_minute_is_woken_when_tokens_come_back() -> None:
    budget = CallBudget(5, 300, tokens_per_minute=8)
    with ThreadPoolExecutor(1) as pool, budget.call(INGESTION, 5000, 0) as large:  # ten minutes' worth

        def ask() -> float:
            with budget.call(INGESTION, 1, 30):
                return time.monotonic()

        asked = pool.submit(ask)
        wait_until(lambda: len(budget._shared[INGESTION][1]._waiting) == 1)
        freed = time.monotonic()
        large.used(0)
        assert asked.result() - freed < GENEROUS


@pytest.mark.parametrize(("whole", "queries", "ingestion"), [(0, 0, 0), (1, 1, 1), (2, 1, 1), (5, 1, 4), (300, 75, 225)])
def test_queries_have_a_quarter(whole: int, queries: int, ingestion: int) -> None:
    assert (share_of(QUERIES, whole), share_of(INGESTION, whole)) == (queries, ingestion)


def test_many_threads_share_few_places() -> None:
    budget, inside, most = CallBudget(3, 300), 0, 0
    lock, three = threading.Lock(), threading.Barrier(3, timeout=120)

    def ask(number: int) -> None:
        nonlocal inside, most
        with budget.call(INGESTION, 1, 20):
            with lock:
                inside += 1
                most = max(most, inside)
            three.wait()
            with lock:
                inside -= 1

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(ask, range(600)))
    assert most == 3


def test_what_reads_events_counts_as_ingestion_and_what_answers_people_as_queries() -> None:
    ingestion = {role for role in Role if purpose_of(role) is Purpose.INGESTION}
    assert ingestion == {Role.BOUNDARY, Role.EXTRACTION, Role.RECONCILE, Role.VISION}
