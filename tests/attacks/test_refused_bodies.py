"""Whatever body a route refuses, refusing it costs little: neither the memory nor the time of everybody else."""

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx
import pytest

from tests.serving.service_process import ServiceProcess, serving

pytestmark = pytest.mark.slow

API = "/api/v1"
LIMIT = 16_000_000  # of JSON
MOST_MEMORY = 300_000_000
MOST_TIMES = 25  # what refusing may cost, of what it costs to refuse one text of as many bytes
SHORTEST_SECONDS = 0.04  # of processor time: four ticks of the clock that counts it
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

Body = Callable[[int], bytes]


def filled(unit: bytes, begin: bytes = b'{"messages":[', end: bytes = b"1]}") -> Body:
    return lambda size: begin + unit * ((size - len(begin) - len(end)) // len(unit)) + end


def keys(begin: bytes = b"", end: bytes = b"", value: bytes = b"1") -> Body:
    def made(size: int) -> bytes:
        count = (size - len(begin) - len(end)) // (14 + len(value))
        return begin + b"{" + b",".join(b'"k%09d":%s' % (number, value) for number in range(count)) + b"}" + end

    return made


FILTERED = b'{"query":"x","question":"x","filters":'
MESSAGES = b'{"messages":['
MESSAGE = MESSAGES + b'{"conversation_id":"c","user_id":"u","content":'
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":'
SHAPES: dict[str, Body] = {
    "numbers": filled(b"1,"),
    "negative and fractional numbers": filled(b"-1.5e300,"),
    "the longest numbers": filled(b"1" * 4300 + b","),
    "a number without end": filled(b"1", b'{"top_k":', b"}"),
    "not numbers": filled(b"NaN,", b'{"query":"x","filters":{"metadata":{"a":[', b"1]}}}"),
    "truth": filled(b"true,"),
    "empty texts": filled(b'"",'),
    "empty objects": filled(b"{},"),
    "empty lists": filled(b"[],"),
    "lists in lists": filled(b"[" * 20 + b"]" * 20 + b","),
    "nested without end": filled(b"[", b"", b""),
    "objects without end": filled(b'{"a":', b"", b""),
    "unknown fields": keys(),
    "unknown filters": keys(FILTERED, b"}"),
    "metadata": keys(FILTERED + b'{"user_id":"u","metadata":', b"}}"),
    "turns": filled(b'["a","b"],', b'{"question":"x","filters":{"user_id":"u"},"history":[', b"1]}"),
    "a turn": filled(b'"a",', b'{"question":"x","filters":{"user_id":"u"},"history":[[', b"1]]}"),
    "the same field": filled(b'"query":1,', b"{", b'"query":1}'),
    "messages of unknown fields": filled(b'{"a":1,"b":[],"c":{}},', MESSAGES, b"{}]}"),
    "parts": filled(b'{"type":"text"},', MESSAGE + b"[", b"1]}]}"),
    "tool calls": filled(b'{"a":1},', MESSAGE + b'"x","tool_calls":[', b"1]}]}"),
    "a text": filled(b"a", b'{"query":"', b'","filters":{}}'),
    "a kind that is a text": filled(b"a", b'{"method":"', b'"}'),
    "an event that is a text": filled(b"a", b'{"events":[{"event":"', b'"}]}'),
    "a name of a field": filled(b"a", b'{"', b'":1}'),
    "emoji": filled("😀".encode(), b'{"query":"', b'","filters":{}}'),
    "escapes": filled(rb"\u00e9", b'{"query":"', b'","filters":{}}'),
    "quotes": filled(b'\\"', b'{"query":"', b'","filters":{}}'),
    "backslashes": filled(b"\\", b'{"query":"', b""),
    "half a text": filled(b"a", b'{"query":"', b""),
    "no UTF-8": filled(b"\xff", b'{"query":"', b'"}'),
    "zeros": filled(b"\0", b"", b""),
    "blanks": filled(b" ", b"", b"x"),
    "JSON-RPC": filled(b"1,", CALL + b'{"query":[', b"1]}}}"),
    "arguments": keys(CALL, b"}}"),
    "a batch": filled(b'{"jsonrpc":"2.0","id":1,"method":"ping"},', b"[", b"1]"),
    "a method": filled(b"a", b'{"jsonrpc":"2.0","id":1,"method":"', b'"}'),
}  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    settings = {"SERVICE__INTAKE": "none", "SERVICE__REQUESTS_PER_MINUTE": "0", "SERVICE__CONSOLE": "false"}
    with serving(tmp_path_factory.mktemp("refused"), **settings) as service:
        yield service


@pytest.fixture(scope="module")
def described(service: ServiceProcess) -> dict[str, Any]:
    told: dict[str, Any] = httpx.get(f"{service.url}/openapi.json").json()
    return told


def routes_with_a_body(described: dict[str, Any]) -> list[tuple[str, str]]:
    """Every route that may be sent a body, whether it takes one or not, and MCP's."""
    methods = ((method.upper(), path) for path, told in described["paths"].items() for method in told)
    places = [(method, path.replace("{id}", "x")) for method, path in methods if method != "GET"]
    return [*places, ("POST", "/mcp?user_id=u")]


def fields_of(described: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Every field of every JSON body, by its route."""
    fields = []
    for path, operations in described["paths"].items():
        for method, told in operations.items():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                name = content["schema"]["$ref"].rsplit("/", 1)[-1]
                names = described["components"]["schemas"][name]["properties"]
                fields += [(method.upper(), path.replace("{id}", "x"), field) for field in names]
    return fields


def seconds_of(service: ServiceProcess) -> float:
    used = service.process.cpu_times()
    return float(used.user + used.system)


def refuse(service: ServiceProcess, method: str, path: str, body: bytes) -> tuple[float, httpx.Response]:
    """The processor time that a request took, and its answer."""
    began = seconds_of(service)
    answer = httpx.request(method, service.url + path, content=body, headers=JSON, timeout=120)
    return seconds_of(service) - began, answer


def check_cheap(service: ServiceProcess, requests: Sequence[tuple[str, str, str]], size: int) -> None:
    """Whether each of the requests (method, path, shape) is refused at little cost."""
    text = SHAPES["a text"](size)
    usual = max(min(refuse(service, "POST", f"{API}/ask", text)[0] for _ in range(3)), SHORTEST_SECONDS)
    before = service.memory
    with service.watched() as watch:
        for method, path, shape in requests:
            body = SHAPES[shape](size)
            seconds, answer = refuse(service, method, path, body)
            if seconds > MOST_TIMES * usual:  # again: the machine does other things
                seconds = min(refuse(service, method, path, body)[0] for _ in range(4))
            assert seconds <= MOST_TIMES * usual, (method, path, shape)
            assert answer.status_code < 500, (method, path, shape, answer.text[:300])
            assert len(answer.content) < 10_000, (method, path, shape)
            if answer.headers["content-type"] == "application/problem+json":
                assert len(answer.json().get("errors", ())) <= 10
    assert watch.most - before < MOST_MEMORY


def test_a_refused_body_costs_little_on_every_route(
    service: ServiceProcess, described: dict[str, Any], tried: Callable[[Sequence[Any]], Sequence[Any]], is_long: bool
) -> None:
    routes = routes_with_a_body(described)
    assert len(routes) > 10
    requests = [(method, path, shape) for method, path in routes for shape in SHAPES]
    if not is_long:  # each shape on its share of the routes, and so each route with its share of the shapes
        requests = requests[::8]
    check_cheap(service, tried(requests), LIMIT if is_long else 500_000)


UNITS = b"1,", b'["a"],'


@pytest.mark.parametrize("unit", UNITS)
def test_a_field_that_is_a_long_list_costs_little(
    service: ServiceProcess,
    described: dict[str, Any],
    tried: Callable[[Sequence[Any]], Sequence[Any]],
    is_long: bool,
    unit: bytes,
) -> None:
    requests = []
    for method, path, field in fields_of(described):
        shape = f"{unit.decode()} in {field}"
        SHAPES[shape] = filled(unit, b'{"%s":[' % field.encode())
        requests.append((method, path, shape))
    if not is_long:  # to each field one of the two
        requests = requests[UNITS.index(unit) :: len(UNITS)]
    try:
        check_cheap(service, tried(requests), LIMIT if is_long else 600_000)
    finally:
        for field in {field for _, _, field in fields_of(described)}:
            SHAPES.pop(f"{unit.decode()} in {field}")


def test_the_largest_body_costs_little(service: ServiceProcess, tried: Callable[[Sequence[Any]], Sequence[Any]]) -> None:
    shapes = ("numbers", "empty texts", "unknown fields", "lists in lists", "a text", "emoji", "JSON-RPC", "parts")
    requests = [("POST", "/mcp?user_id=u" if shape == "JSON-RPC" else f"{API}/memories", shape) for shape in shapes]
    check_cheap(service, tried(requests), LIMIT)


def test_every_list_of_every_body_is_cut_before_its_entries_are_looked_at(
    service: ServiceProcess, described: dict[str, Any], tried: Callable[[Sequence[Any]], Sequence[Any]]
) -> None:
    for method, path, field in tried(fields_of(described)):
        for value in ([1] * 1001, {f"k{number}": 1 for number in range(1001)}):
            answer = httpx.request(method, service.url + path, json={field: value}, params={"user_id": "u"}).json()
            places = [each["field"] for each in answer["errors"]]
            assert places == [field], (method, path, field, answer)
            assert "entries" in answer["detail"]


def test_every_list_that_is_sent_says_its_largest_length(described: dict[str, Any]) -> None:
    schemas, seen, lengths = described["components"]["schemas"], set(), []

    def look(schema: Any, place: str) -> None:
        if isinstance(schema, list):
            for each in schema:
                look(each, place)
        elif isinstance(schema, dict):
            if schema.get("type") == "array":
                lengths.append((place, schema.get("maxItems")))
            reference = str(schema.get("$ref", "")).rsplit("/", 1)[-1]
            if reference and reference not in seen:
                seen.add(reference)
                look(schemas[reference], reference)
            for name, each in schema.items():
                look(each, f"{place}.{name}")

    for path, operations in described["paths"].items():
        for told in operations.values():
            look(told.get("requestBody"), path)
            look(told.get("parameters"), path)
    assert len(lengths) > 10
    assert {length for _, length in lengths} - {2, 8} <= {100, 1000}, lengths
    assert {place.split(".")[0] for place, length in lengths if length == 1000} == {"MessagesRequest", "EventsRequest"}


def test_a_form_of_many_parts_is_refused_at_little_cost(service: ServiceProcess) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="user_id"\r\n\r\nu\r\n'
    headers = b"".join(b"X-%d: 1\r\n" % number for number in range(10_000))
    bodies = (
        part * 100_000 + b"--x--\r\n",
        part.replace(b'"user_id"', b'"f"; filename="a"') * 100_000 + b"--x--\r\n",
        b"--x\r\n" + headers + part[5:] + b"--x--\r\n",
        b"--x\r\nContent-Disposition: form-data; name=" + b"a" * 5_000_000,
        b"-" * 5_000_000,
        b"--x" * 1_000_000,
    )
    text = refuse(service, "POST", f"{API}/ask", SHAPES["a text"](5_000_000))[0]
    with service.watched() as watch:
        for body in bodies:
            began = seconds_of(service)
            form = {"Content-Type": "multipart/form-data; boundary=x"}
            answer = httpx.post(f"{service.url}{API}/documents", content=body, headers=form, timeout=120)
            assert 400 <= answer.status_code < 500
            assert seconds_of(service) - began <= MOST_TIMES * max(text, SHORTEST_SECONDS)
    assert watch.grown < MOST_MEMORY


def test_the_longest_query_string_is_refused_at_little_cost(service: ServiceProcess) -> None:
    for query in ("&".join(["conversation_id="] * 3500), "&".join(f"k{n}=1" for n in range(8000)), "user_id=" + "a" * 60_000):
        answer = httpx.get(f"{service.url}{API}/memories?{query}")
        assert answer.status_code == 422
        assert len(answer.content) < 10_000
        assert len(answer.json()["errors"]) <= 10


@pytest.mark.parametrize("where", ["name", "value", "path"])
def test_a_header_of_any_size_is_not_kept(service: ServiceProcess, where: str) -> None:
    sent = {"name": b"GET /health/live HTTP/1.1\r\nX-", "value": b"GET /health/live HTTP/1.1\r\nX: ", "path": b"GET /"}[where]
    before = service.memory
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as client:
        client.sendall(sent)
        try:
            for _ in range(2000):
                client.sendall(b"a" * 65_536)
            answer = client.recv(100)
        except ConnectionError:
            answer = b""
    assert answer[:12] in (b"", b"HTTP/1.1 431", b"HTTP/1.1 400")
    assert service.memory - before < 50_000_000


def test_a_body_without_a_length_that_is_too_large_is_told_so_by_every_client(service: ServiceProcess) -> None:
    """urllib asks for the connection to be closed, and reads nothing before it has sent everything."""
    for path in (f"{API}/memories", "/mcp?user_id=u", f"{API}/documents"):
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        chunks = (form if not number else b"a" * 1_000_000 for number in range(60))
        kind = "multipart/form-data; boundary=x" if path.endswith("documents") else "application/json"
        request = Request(service.url + path, data=chunks, headers={"Content-Type": kind}, method="POST")
        with pytest.raises(HTTPError) as refused:
            urlopen(request, timeout=60)
        with refused.value as answer:
            assert answer.code == 413
            assert json.loads(answer.read())["type"] == "urn:mneme:problem:too-large"
