"""What stands before the routes: keys, hosts, limits, names of requests."""

import gzip
import json
import logging
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mneme.errors import DiskFull, ModelRateLimited, SettingsError, StoreRejected, StoreUnavailable
from mneme.settings import Settings
from queries import Memories
from serving.service.flow_process import FlowProcess
from tests.serving.rest.conftest import HERE, WHOSE, client_of, with_service

SEARCH = "/api/v1/memories/search"
ASKED = {"query": "deadline", "filters": WHOSE}
OPERATOR, DEFAULT, OTHER = "operator-0123456789", "default-0123456789", "other-0123456789"
KEYS = {OPERATOR: "*", f"sha256:{sha256(DEFAULT.encode()).hexdigest()}": "default", OTHER: "other"}


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def locked(memory_settings: Settings) -> Iterator[TestClient]:
    """A client of a service with keys, elsewhere."""
    settings = with_service(memory_settings, keys=KEYS, host="0.0.0.0")
    with client_of(settings, base_url="https://mneme.example") as client:
        yield client


class TestKeys:
    def test_without_a_key_there_is_no_answer(self, locked: TestClient) -> None:
        refused = locked.post(SEARCH, json=ASKED)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == 'Bearer realm="mneme"'
        assert refused.json()["type"] == "urn:mneme:problem:unauthenticated"

    @pytest.mark.parametrize(
        "headers", [bearer("wrong-0123456789"), {"X-API-Key": "schlüssel".encode()}, bearer(f"{DEFAULT}x")]
    )
    def test_a_wrong_key_is_told_as_one(self, locked: TestClient, headers: dict[str, Any]) -> None:
        refused = locked.post(SEARCH, json=ASKED, headers=headers)
        assert refused.status_code == 401
        assert "invalid_token" in refused.headers["www-authenticate"]

    @pytest.mark.parametrize("headers", [bearer(DEFAULT), {"X-API-Key": DEFAULT}, {"Authorization": f"bearer {DEFAULT}"}])
    def test_a_key_may_be_given_in_both_ways(self, locked: TestClient, headers: dict[str, str]) -> None:
        assert locked.post(SEARCH, json=ASKED, headers=headers).json()["episodes"]

    def test_two_keys_in_one_request_are_refused(self, locked: TestClient) -> None:
        own = ("Authorization", f"Bearer {DEFAULT}")
        for other in (("Authorization", f"Bearer {OTHER}"), ("X-API-Key", OTHER)):
            refused = locked.post(SEARCH, json=ASKED, headers=[own, other])
            assert (refused.status_code, "several keys" in refused.text) == (400, True)
        assert locked.post(SEARCH, json=ASKED, headers=[own, ("X-API-Key", DEFAULT)]).json()["episodes"]

    def test_without_a_tenant_that_of_the_key_is_meant(self, locked: TestClient) -> None:
        told = locked.post(SEARCH, json=ASKED, headers=bearer(OTHER)).json()
        assert told["query"]["filters_applied"]["tenant_id"] == "other"
        assert not told["episodes"]

    @pytest.mark.parametrize("path", ["/api/v1/owners?tenant_id=default", "/metrics"])
    def test_what_is_another_tenants_or_the_operators_is_forbidden(self, locked: TestClient, path: str) -> None:
        """Of every operation tests/attacks/test_tenants_rest.py looks at it."""
        refused = locked.get(path, headers=bearer(OTHER))
        assert refused.status_code == 403, refused.text
        assert refused.json()["type"] == "urn:mneme:problem:forbidden"

    def test_the_operator_sees_every_tenant(self, locked: TestClient) -> None:
        for tenant in ("default", "other"):
            assert locked.get(f"/api/v1/owners?tenant_id={tenant}", headers=bearer(OPERATOR)).status_code == 200
        assert locked.get("/metrics", headers=bearer(OPERATOR)).status_code == 200

    @pytest.mark.parametrize("path", ["/health/live", "/openapi.json"])
    def test_what_tells_nothing_of_anybody_needs_no_key(self, locked: TestClient, path: str) -> None:
        assert locked.get(path).status_code == 200

    def test_health_tells_who_has_no_key_the_status_only(self, locked: TestClient) -> None:
        while locked.get("/health", headers=bearer(OPERATOR)).json()["status"] != "green":
            pass  # the index is opened by the first who asks
        assert locked.get("/health").json() == {"status": "green", "problems": [], "lag": None}
        assert locked.get("/health", headers=bearer(OPERATOR)).json()["lag"] is not None

    def test_no_key_is_told_in_what_is_answered_or_logged(
        self, locked: TestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(Memories, "search", lambda *_, **__: 1 / 0)
        with caplog.at_level(logging.DEBUG):
            answers = [locked.post(SEARCH, json=ASKED, headers=bearer(key)) for key in (DEFAULT, OTHER, f"{OTHER}x")]
        for told in (*(each.text for each in answers), caplog.text):
            assert OTHER not in told
            assert DEFAULT not in told

    @pytest.mark.parametrize(
        "keys", [{"short": "default"}, {"sha256:12": "default"}, {OPERATOR: " "}, {"with space 0123456789": "x"}]
    )
    def test_keys_that_are_none_stop_the_service(self, memory_settings: Settings, keys: dict[str, str]) -> None:
        with pytest.raises(SettingsError, match="MNEME_SERVICE__KEYS"), client_of(with_service(memory_settings, keys=keys)):
            pass


class TestHosts:
    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8765", "[::1]:8765", "LOCALHOST:1"])
    def test_without_keys_this_machine_is_answered(self, client: TestClient, host: str) -> None:
        assert client.get("/health/live", headers={"Host": host}).status_code == 200

    def test_without_keys_a_page_of_another_site_is_told_why_it_is_refused(self, client: TestClient) -> None:
        assert client.post(SEARCH, json=ASKED, headers={"Origin": "null"}).json()["detail"].startswith("Origin")
        assert client.post(SEARCH, json=ASKED, headers={"Origin": HERE}).status_code == 200


class TestLimits:
    def test_over_the_limit_is_told_with_how_long_to_wait(self, memory_settings: Settings) -> None:
        with client_of(with_service(memory_settings, requests_per_minute=3)) as client:
            answers = [client.get("/api/v1/owners") for _ in range(4)]
            assert [each.status_code for each in answers] == [200, 200, 200, 429]
            assert 1 <= int(answers[3].headers["retry-after"]) <= 60
            assert answers[3].json()["type"] == "urn:mneme:problem:rate-limited"
            assert client.get("/health/live").status_code == 200

    def test_each_key_has_a_limit_of_its_own(self, memory_settings: Settings) -> None:
        with client_of(with_service(memory_settings, requests_per_minute=1, keys=KEYS)) as client:
            statuses = [client.get("/api/v1/owners", headers=bearer(key)).status_code for key in (DEFAULT, OTHER, DEFAULT)]
        assert statuses == [200, 200, 429]

    def test_a_body_is_read_to_its_limit_whatever_it_says_of_its_length(self, memory_settings: Settings) -> None:
        largest = 10_000
        read: list[int] = []

        def chunks() -> Iterator[bytes]:
            for number in range(1000):
                read.append(number)
                yield b" " * 1000

        with client_of(with_service(memory_settings, largest_request_bytes=largest)) as client:
            fits = json.dumps(ASKED).encode().ljust(largest)
            headers = {"Content-Type": "application/json"}
            assert client.post(SEARCH, content=fits, headers=headers).status_code == 200
            assert client.post(SEARCH, content=fits + b" ", headers=headers).status_code == 413
            refused = client.post(SEARCH, content=chunks(), headers=headers)
            assert refused.status_code == 413
            assert "split it" in refused.json()["detail"]

    def test_an_upload_is_read_to_a_limit_of_its_own(self, memory_settings: Settings) -> None:
        documents = memory_settings.documents.model_copy(update={"largest_bytes": 1000})
        settings = memory_settings.model_copy(update={"documents": documents})
        with client_of(settings) as client:
            refused = client.post("/api/v1/documents", files={"file": ("a.txt", b"x" * 1_100_000)}, data=WHOSE)
            assert refused.status_code == 413
            assert "MNEME_DOCUMENTS__LARGEST_BYTES" in refused.json()["detail"]
            refused = client.post("/api/v1/documents", files={"file": ("a.txt", b"x" * 1001)}, data=WHOSE)
            assert refused.status_code == 422
            assert refused.json()["detail"].startswith("content: over 1000 bytes")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
    def test_json_that_is_not_utf_8_is_refused_before_it_is_parsed(self, client: TestClient, encoding: str) -> None:
        """Limits on depth and number look at bytes: they saw nothing of it."""
        deep = '{"x":"\\"","messages":' + "[" * 900 + "]" * 900 + "}"
        response = client.post(SEARCH, content=deep.encode(encoding), headers={"Content-Type": "application/json"})
        assert (response.status_code, "send UTF-8 JSON" in response.text) == (415, True)

    def test_a_body_that_is_packed_is_refused(self, client: TestClient) -> None:
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        response = client.post(SEARCH, content=gzip.compress(b"{}"), headers=headers)
        assert (response.status_code, "send it unpacked" in response.text) == (415, True)

    def test_json_that_is_nested_too_deeply_is_refused(self, client: TestClient) -> None:
        deep = '{"query": "x", "filters": {"metadata": ' + '{"a":' * 40 + "1" + "}" * 40 + "}}"
        refused = client.post(SEARCH, content=deep, headers={"Content-Type": "application/json"})
        assert refused.status_code == 400
        assert "nested deeper" in refused.json()["detail"]

    @pytest.mark.parametrize(("cut", "character"), [('{"query": "x"', 13), ("{bad", 1), ('{"query": ["x"}', 14)])
    def test_json_that_ends_too_soon_is_refused_where_it_does(self, client: TestClient, cut: str, character: int) -> None:
        refused = client.post(SEARCH, content=cut, headers={"Content-Type": "application/json"})
        assert refused.status_code == 400
        assert f"not JSON at character {character};" in refused.json()["detail"]


class TestProblems:
    @pytest.mark.parametrize(
        ("error", "status", "kind"),
        [
            (StoreUnavailable("the index is away; start it"), 503, "store-unavailable"),
            (DiskFull("no room"), 503, "disk-full"),
            (StoreRejected("another embedder"), 409, "store-rejected"),
            (SettingsError("no model"), 503, "settings"),
            (ModelRateLimited("429"), 429, "model-rate-limited"),
        ],
    )
    def test_an_error_is_told_with_its_kind_and_its_remedy(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, kind: str
    ) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise error

        monkeypatch.setattr(Memories, "search", fail)
        told = client.post(SEARCH, json=ASKED)
        assert told.status_code == status == told.json()["status"]
        assert told.json()["type"] == f"urn:mneme:problem:{kind}"
        assert told.json()["detail"] == str(error)
        assert ("retry-after" in told.headers) == (kind in ("store-unavailable", "disk-full", "model-rate-limited"))

    def test_while_the_flow_of_the_service_starts_a_search_is_told_to_come_again(
        self, memory_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(FlowProcess, "_keep", lambda _: None)  # it is under way, and gets no further
        settings = memory_settings.model_copy(update={"data": tmp_path})
        with client_of(with_service(settings, intake="inbox")) as client:
            told = client.post(SEARCH, json=ASKED)
        assert (told.status_code, told.headers["retry-after"]) == (503, "2")
        assert told.json()["detail"] == "starting: the flow has still to make the index; ask again in some seconds"

    def test_what_nobody_expects_tells_nothing_of_the_inside(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        memory = "Jason's birthday"

        def fail(*_: Any, **__: Any) -> None:
            raise RuntimeError(memory)

        monkeypatch.setattr(Memories, "search", fail)
        told = client.post(SEARCH, json=ASKED, headers={"X-Request-ID": "mine-1"})
        assert told.status_code == 500
        assert told.headers["content-type"] == "application/problem+json"
        assert memory not in told.text + caplog.text
        assert "mine-1" in caplog.text
        assert "RuntimeError" in caplog.text

    @pytest.mark.parametrize(
        ("method", "path", "headers", "content", "status"),
        [
            ("GET", "/nowhere", {}, b"", 404),
            ("GET", SEARCH + "/", {}, b"", 422),  # an id of a memory, of nobody
            ("PUT", SEARCH, {}, b"", 405),
            ("POST", SEARCH, {"Content-Type": "application/json"}, b"{", 400),
            ("POST", SEARCH, {"Content-Type": "application/json"}, b"\xff", 400),
            ("POST", SEARCH, {"Content-Type": "application/json"}, b'{"query": ' + b"1" * 5000 + b"}", 400),
            ("POST", SEARCH, {"Content-Type": "application/json"}, b"[]", 422),
            ("POST", SEARCH, {"Content-Type": "text/plain"}, json.dumps(ASKED).encode(), 415),
            ("POST", SEARCH, {}, json.dumps(ASKED).encode(), 415),
            ("POST", "/api/v1/documents", {"Content-Type": "multipart/form-data"}, b"x", 400),
        ],
    )
    def test_what_is_no_request_is_a_problem_too(
        self, client: TestClient, method: str, path: str, headers: dict[str, str], content: bytes, status: int
    ) -> None:
        told = client.request(method, path, headers=headers, content=content)
        assert told.status_code == status, told.text
        assert told.headers["content-type"] == "application/problem+json"
        assert told.json()["status"] == status
        assert told.json()["detail"]

    @pytest.mark.parametrize("content", ['{"query": "ü"}'.encode("latin-1"), b'{"top_k": ' + b"9" * 5_000 + b"}"])
    def test_bytes_that_are_no_json_of_ours_are_told_with_a_remedy(self, client: TestClient, content: bytes) -> None:
        told = client.post(SEARCH, headers={"Content-Type": "application/json"}, content=content)
        assert told.status_code == 400
        assert "send one JSON object in UTF-8" in told.json()["detail"]

    def test_an_id_of_a_request_is_given_back_or_made(self, client: TestClient) -> None:
        assert client.get("/health/live", headers={"X-Request-ID": "a-1"}).headers["x-request-id"] == "a-1"
        made = client.get("/health/live", headers={"X-Request-ID": "a b\tc"}).headers["x-request-id"]
        assert len(made) == 32
