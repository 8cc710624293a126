"""Retries of bulk writes, against a server that is a function."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opensearchpy.exceptions import AuthorizationException, ConnectionError, TransportError

from connectors.opensearch.bulk import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, BulkWriter
from connectors.opensearch.client import refusal, store_error
from mneme.errors import StoreRejected, StoreUnavailable
from mneme.ports import Create, Outcome, Put, Remove
from mneme.settings import OpenSearch
from tests.cases.groups import group_of
from tests.contracts.rows import fact, message

TOO_MANY = (429, {"type": "rejected_execution_exception", "reason": "queue is full"})
UNAVAILABLE = (503, {"type": "unavailable_shards_exception", "reason": "primary shard is not active"})
READ_ONLY = (
    403,
    {
        "type": "cluster_block_exception",
        "reason": "index [x] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
    },
)
SHARD_LIMIT = (
    400,
    {
        "type": "validation_exception",
        "reason": "Validation Failed: 1: this action would add [2] total shards, but this cluster currently has "
        "[1000]/[1000] maximum shards open;",
    },
)
MAPPING = (
    400,
    {
        "type": "mapper_parsing_exception",
        "reason": "failed to parse field [vector]",
        "caused_by": {"type": "illegal_argument_exception", "reason": "Vector dimension mismatch"},
    },
)
CONFLICT = (409, {"type": "version_conflict_engine_exception", "reason": "version conflict"})
DENIED = (403, {"type": "security_exception", "reason": "no permissions for [indices:data/write/bulk]"})
NO_INDEX = (404, {"type": "index_not_found_exception", "reason": "no such index [mneme-facts]"})

Answer = tuple[int, dict[str, object] | None]
OK: Answer = (200, None)


class Server:
    """Answers each item of each request by ``decide(id, attempt)``, where an attempt counts from 1."""

    def __init__(self, decide: Callable[[str, int], Answer]) -> None:
        self.decide = decide
        self.attempts: dict[str, int] = {}
        self.requests: list[list[str]] = []
        self.applied: list[tuple[str, str, int | None]] = []

    def __call__(self, body: bytes) -> dict[str, object]:
        items, ids = [], []
        lines = iter(body.splitlines())
        for line in lines:
            ((action, target),) = json.loads(line).items()
            if action != "delete":
                next(lines)
            id = target["_id"].partition("|")[0]  # of a message its owner comes behind
            ids.append(id)
            self.attempts[id] = self.attempts.get(id, 0) + 1
            status, error = self.decide(id, self.attempts[id])
            if error is None:
                self.applied.append((action, id, target.get("version")))
            items.append({action: {"status": status, **({"error": error} if error else {})}})
        self.requests.append(ids)
        return {"items": items}


class Time:
    """A clock that moves by sleeping only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def writer(server: Callable[[bytes], object], time: Time | None = None, **settings: float) -> BulkWriter:
    time = time or Time()
    options = group_of(OpenSearch, **({"retry_seconds": 60.0} | settings))
    return BulkWriter(server, options, sleep=time.sleep, clock=lambda: time.now)


def outcomes(results) -> list[Outcome]:
    return [result.outcome for result in results]


@pytest.mark.parametrize("refusal", [TOO_MANY, UNAVAILABLE, READ_ONLY, SHARD_LIMIT], ids=lambda answer: answer[1]["type"])
def test_what_may_pass_later_is_sent_again_until_it_does(refusal):
    server, time = Server(lambda id, attempt: refusal if attempt <= 3 else OK), Time()
    assert outcomes(writer(server, time).write([Put(fact("f"))])) == [Outcome.DONE]
    assert server.requests == [["f"]] * 4
    assert len(time.pauses) == 3


def test_of_a_mixed_answer_only_what_was_refused_for_now_is_sent_again():
    answers = {"f7": MAPPING, "f42": TOO_MANY, "f50": CONFLICT}
    server = Server(lambda id, attempt: answers.get(id, OK) if attempt == 1 or id != "f42" else OK)
    results = writer(server).write([Put(fact(f"f{number}")) for number in range(100)])
    assert [number for number, result in enumerate(results) if result.outcome is not Outcome.DONE] == [7, 50]
    assert outcomes([results[7], results[50]]) == [Outcome.REJECTED, Outcome.NEWER_EXISTS]
    assert "failed to parse field [vector]" in results[7].reason
    assert "Vector dimension mismatch" in results[7].reason
    assert [len(request) for request in server.requests] == [100, 1]
    assert server.requests[1] == ["f42"]


def test_spent_retries_are_an_error_that_says_what_the_server_wanted():
    time = Time()
    with pytest.raises(StoreUnavailable, match=r"refused for .* s: .*free disk space"):
        writer(Server(lambda id, attempt: READ_ONLY), time, retry_seconds=20.0).write([Put(fact("f"))])
    assert time.now == pytest.approx(20.0)


def test_without_patience_the_first_refusal_is_final():
    server, time = Server(lambda id, attempt: TOO_MANY), Time()
    with pytest.raises(StoreUnavailable):
        writer(server, time, retry_seconds=0.0).write([Put(fact("f"))])
    assert (len(server.requests), time.pauses) == (1, [])


def test_pauses_double_up_to_the_longest_with_chance():
    server, time = Server(lambda id, attempt: TOO_MANY if attempt <= 12 else OK), Time()
    writer(server, time, retry_seconds=1000.0).write([Put(fact("f"))])
    for number, pause in enumerate(time.pauses):
        longest = min(FIRST_PAUSE_SECONDS * 2**number, LONGEST_PAUSE_SECONDS)
        assert longest / 2 <= pause <= longest


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("N/A", "refused", OSError("refused")),
        TransportError(
            429, "circuit_breaking_exception", {"error": {"type": "circuit_breaking_exception", "reason": "memory"}}
        ),
        TransportError(503, "Service Unavailable", "no node"),
        AuthorizationException(403, READ_ONLY[1]["type"], {"error": READ_ONLY[1]}),
    ],
    ids=lambda error: f"{type(error).__name__}-{error.status_code}",
)
def test_a_request_that_fails_whole_is_sent_again(error):
    attempts = []
    server = Server(lambda id, attempt: OK)

    def send(body):
        attempts.append(body)
        if len(attempts) < 3:
            raise store_error(error, "http://127.0.0.1:9200")
        return server(body)

    assert outcomes(writer(send).write([Put(fact("f")), Create(message("m"))])) == [Outcome.DONE] * 2
    assert len(set(attempts)) == 1


def test_refused_credentials_stop_at_once_and_name_the_settings():
    for answer in (DENIED, (401, {"type": "security_exception", "reason": "Unauthorized"})):
        server, time = Server(lambda id, attempt, answer=answer: answer), Time()
        with pytest.raises(StoreRejected, match=r"MNEME_OPENSEARCH__USERNAME"):
            writer(server, time).write([Put(fact("f"))])
        assert time.pauses == []

    def send(body):
        raise refusal(403, "security_exception", DENIED[1]["reason"], "http://127.0.0.1:9200")

    with pytest.raises(StoreRejected, match="MNEME_OPENSEARCH__API_KEY"):
        writer(send).write([Put(fact("f"))])


def test_a_missing_index_is_no_fault_of_the_row():
    with pytest.raises(StoreRejected, match="no such index"):
        writer(Server(lambda id, attempt: NO_INDEX)).write([Put(fact("f"))])


def test_a_delete_that_finds_nothing_is_done():
    assert outcomes(writer(Server(lambda id, attempt: (404, None))).write([Remove(fact("f").key, 3)])) == [Outcome.DONE]


def test_a_write_that_waits_is_not_overtaken_by_a_later_one_of_its_row():
    server = Server(lambda id, attempt: TOO_MANY if (id, attempt) == ("m", 1) else OK)
    row = message("m")
    writes = [
        Remove(row.key, 2),
        Put(fact("f", version=5)),
        Create(row),
        Put(fact("f", version=6)),
        Put(message("m", version=4)),
    ]
    assert outcomes(writer(server).write(writes)) == [Outcome.DONE] * 5
    assert [action for action, id, _ in server.applied if id == "m"] == ["delete", "create", "index"]
    assert [version for _, id, version in server.applied if id == "f"] == [5, 6]


def test_rows_of_the_same_id_elsewhere_do_not_wait_for_each_other():
    server = Server(lambda id, attempt: OK)
    writer(server).write([Put(fact("same")), Put(message("same"))])
    assert len(server.requests) == 1


@given(sizes=st.lists(st.integers(0, 4000), max_size=30))
def test_requests_stay_below_the_limit_and_lose_nothing(sizes):
    bodies = []
    server = Server(lambda id, attempt: OK)

    def send(body):
        bodies.append(body)
        return server(body)

    writes = [Put(fact(f"f{number}", "x" * size)) for number, size in enumerate(sizes)]
    assert outcomes(writer(send, bulk_bytes=10_000).write(writes)) == [Outcome.DONE] * len(sizes)
    assert [id for request in server.requests for id in request] == [f"f{number}" for number in range(len(sizes))]
    for body, request in zip(bodies, server.requests, strict=True):
        assert len(body) <= 10_000 or len(request) == 1


@pytest.mark.parametrize("status", [400, 413])
def test_when_a_whole_request_is_refused_the_row_to_blame_is_found(status):
    server = Server(lambda id, attempt: OK)

    def send(body):
        if b'"bad"' in body:
            raise refusal(status, "too bad", "of the request", "http://127.0.0.1:9200")
        return server(body)

    results = writer(send).write([Put(fact(id)) for id in ("a", "b", "bad", "c", "d")])
    assert outcomes(results) == [Outcome.DONE, Outcome.DONE, Outcome.REJECTED, Outcome.DONE, Outcome.DONE]
    assert "of the request" in results[2].reason


def test_a_shard_limit_for_the_whole_request_is_waited_out():
    failures = iter([refusal(400, "validation_exception", SHARD_LIMIT[1]["reason"], "http://127.0.0.1:9200")])
    server = Server(lambda id, attempt: OK)

    def send(body):
        for failure in failures:
            raise failure
        return server(body)

    assert outcomes(writer(send).write([Put(fact("f"))])) == [Outcome.DONE]


@pytest.mark.parametrize(
    ("write", "named"),
    [
        (Put(fact("é" * 257)), "id"),
        (Put(fact("")), "id"),
        (Put(fact("f", version=-1)), "version"),
        (Remove(fact("f").key, -1), "version"),
        (Put(fact("f", version=2**63)), "version"),
    ],
)
def test_what_would_fail_a_whole_request_is_rejected_before_it_is_sent(write, named):
    server = Server(lambda id, attempt: OK)
    results = writer(server).write([Put(fact("a")), write, Put(fact("b"))])
    assert outcomes(results) == [Outcome.DONE, Outcome.REJECTED, Outcome.DONE]
    assert results[1].reason.startswith(f"{named}: ")
    assert server.requests == [["a", "b"]]


def test_nothing_to_write_sends_nothing():
    server = Server(lambda id, attempt: OK)
    assert writer(server).write([]) == []
    assert server.requests == []
