"""A model endpoint for tests: speaks the OpenAI protocol over HTTP, answers from the text, fails on demand.

    with ModelServer() as server:
        server.script(RATE_LIMITED, None, Fault("hang"))       # the next three requests
        chat = OpenAiChat(Models(provider="openai", base_url=server.url))

Paths: /v1/chat/completions (``json_schema``, ``json_object`` or plain; also as a stream; also with pictures), /v1/embeddings,
/v1/rerank, and /v1/audio/transcriptions. What it answers is decided in model_answers.py and model_senses.py.
"""

import json
import random
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import pytest

from mneme.text import estimate_tokens
from tests.servers.model_answers import embedding, fill, relevance
from tests.servers.model_faults import RATE_LIMITED, SERVER_ERROR, Fault, Received
from tests.servers.model_http import ModelHttpServer, error_body
from tests.servers.model_senses import PICTURE_TOKENS, Heard, Viewed, hear, pictures_of, text_of, transcript, view

__all__ = ["RATE_LIMITED", "SERVER_ERROR", "Fault", "Heard", "ModelServer", "Received", "Viewed", "model_server"]


_CHAT = "/v1/chat/completions"


class ModelServer:
    """The running server; use it as a context manager. Its fields may be changed while it runs."""

    def __init__(
        self,
        latency: float = 0.0,
        script: Sequence[Fault | None] = (),
        fault_rate: float = 0.0,
        fault_kinds: Sequence[Fault] = (RATE_LIMITED, SERVER_ERROR),
        seed: int = 0,
        dimension: int = 64,
        formats: Sequence[str] = ("json_schema", "json_object", "text"),
        api_key: str | None = None,
        port: int = 0,
    ) -> None:
        """Prepare.

        Args:
            latency: seconds before each answer.
            script: faults of the next requests, in order; None for a good answer. Then ``meets``, ``shares``, or
                ``fault_rate`` decide.
            fault_rate: the share of requests that fail, with one of ``fault_kinds``, drawn with ``seed``.
            fault_kinds: see ``fault_rate``.
            seed: see ``fault_rate``.
            dimension: of embeddings, when the request names none.
            formats: the response formats that it knows; others are refused with 400.
            api_key: the only key that is let in; None lets all in.
            port: where it listens; 0 for any that is free.
        """
        self.latency, self.fault_rate, self.fault_kinds = latency, fault_rate, tuple(fault_kinds)
        self.dimension, self.formats, self.api_key = dimension, tuple(formats), api_key
        self.answer: Callable[[dict[str, Any], str], Any] = fill  # from schema and user text; a test may set its own
        self.write: Callable[[str], str] = "You said: {}".format  # plain text from user text; as above
        self.sounds: dict[str, Sequence[Heard]] = {}  # what is heard in a recording, by its SHA-256
        self.pictures: dict[str, Viewed] = {}  # what is seen in a picture, by its SHA-256
        self.transcript_formats: Sequence[str] = ("verbose_json", "json")  # others are refused with 400
        self.names_speakers = False  # of transcripts
        self.shares: dict[Fault, float] = {}  # of chat requests that meet each fault; a test may set it, also while it runs
        self.meets: Callable[[str, dict[str, Any]], Fault | None] | None = None  # what a request (path, body) meets; as above
        self.requests: list[Received] = []
        self.keeps_requests, self.received = True, 0
        self.prompt_tokens: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self._script = deque(script)
        self._seed, self._asked = seed, Counter[str]()
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._http = ModelHttpServer(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="model-server")

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *faults: Fault | None) -> None:
        """What happens to the next requests, after what is scripted already."""
        with self._lock:
            self._script.extend(faults)

    def calls(self, path: str = _CHAT) -> int:
        """How many requests of a path have come in."""
        with self._lock:
            return sum(request.path == path for request in self.requests)

    def reset(self) -> None:
        """Forget requests, counts and faults to come."""
        with self._lock:
            self.requests.clear()
            self.prompt_tokens.clear()
            self._script.clear()
            self.shares, self.meets = {}, None
            self.fault_rate, self.latency, self.most_in_flight = 0.0, 0.0, self.in_flight

    def hang(self, seconds: float) -> None:
        """Wait so long, or until requests meet something else, or the server stops."""
        rule, end = self.meets, time.monotonic() + seconds
        while self.meets is rule and time.monotonic() < end and not self.stopping.wait(0.1):
            pass

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()  # wakes what hangs
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()  # joins the threads of the connections

    def receive(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Fault | None:
        """Note a request; what shall go wrong with it."""
        with self._lock:
            if self._script:
                fault = self._script.popleft()
            elif self.meets is not None:
                fault = self.meets(path, body)
            elif self.shares:
                fault = self._drawn(body) if path == _CHAT else None
            else:
                fault = self._random.choice(self.fault_kinds) if self._random.random() < self.fault_rate else None
            if self.keeps_requests:
                self.requests.append(Received(path, body, headers, fault))
            self.received += 1
            return fault

    def _drawn(self, body: dict[str, Any]) -> Fault | None:
        """The fault of a chat request by ``shares``: the same for a question and how often it was asked, in whatever order."""
        question = str(body["messages"][1]["content"])
        self._asked[question] += 1
        left = random.Random(f"{self._seed}/{question}/{self._asked[question]}").random()
        for fault, share in self.shares.items():
            left -= share
            if left < 0:
                return fault
        return None

    def enter(self, by: int) -> None:
        """Count what is under way."""
        with self._lock:
            self.in_flight += by
            self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def respond(self, path: str, body: dict[str, Any], fault: Fault | None) -> tuple[int, Any]:
        """Status and JSON of a request that is answered."""
        match path:
            case "/v1/chat/completions":
                return self._chat(body, fault)
            case "/v1/embeddings":
                return self._embeddings(body, fault)
            case "/v1/rerank":
                return self._rerank(body)
            case "/v1/audio/transcriptions":
                return self._transcription(body, fault)
        return 404, error_body(f"no such path: {path}")

    def _chat(self, body: dict[str, Any], fault: Fault | None) -> tuple[int, dict[str, Any]]:
        wanted = body.get("response_format", {"type": "text"})
        if wanted["type"] not in self.formats:
            return 400, error_body(f"response_format: {wanted['type']} is not supported")
        system = "\n".join(message["content"] for message in body["messages"] if message["role"] == "system")
        content = next(message["content"] for message in body["messages"] if message["role"] == "user")
        user = text_of(content)
        try:
            pictures = pictures_of(content)
        except ValueError as error:
            return 400, error_body(str(error))
        schema = wanted["json_schema"]["schema"] if wanted["type"] == "json_schema" else _last_object(system)
        answer = vars(view(pictures[0], self.pictures)) if pictures else self.answer(schema, user) if schema else None
        text = json.dumps(answer, ensure_ascii=False) if schema else self.write(user)
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        match fault.kind if fault else None:
            case "malformed":
                message["content"] = "I would rather talk about the weather."
            case "truncated":
                message["content"] = text[: len(text) // 2]
            case "wrong_schema":
                message["content"] = json.dumps({"weather": "fine"})
            case "empty":
                message["content"] = ""
            case "refusal":
                message |= {"content": None, "refusal": "I cannot help with that."}
        asked = _tokens_asked(body)
        answered = estimate_tokens(message["content"] or "")
        with self._lock:
            self.prompt_tokens[body["model"]] += asked
        usage = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
        choice = {"index": 0, "message": message, "finish_reason": "length" if message["content"] != text else "stop"}
        return 200, {"id": "chat", "object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}

    def _transcription(self, body: dict[str, Any], fault: Fault | None) -> tuple[int, Any]:
        format_ = body.get("response_format", "json")
        if format_ not in self.transcript_formats:
            return 400, error_body(f"response_format: {format_} is not compatible with this model")
        heard = hear(body["file"], self.sounds)
        match fault.kind if fault else None:
            case "malformed":
                return 200, "I would rather talk about the weather."
            case "wrong_schema":
                return 200, {"weather": "fine"}
            case "truncated":
                heard = heard[: len(heard) // 2]
            case "empty":
                heard = ()
        names_speakers = self.names_speakers or format_ == "diarized_json"
        return 200, transcript(heard, format_, names_speakers)

    def _embeddings(self, body: dict[str, Any], fault: Fault | None) -> tuple[int, dict[str, Any]]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not all(texts):
            return 400, error_body("input: an empty text cannot be embedded")
        dimension = body.get("dimensions", self.dimension)
        rows = [{"index": index, "embedding": [2 * x for x in embedding(text, dimension)]} for index, text in enumerate(texts)]
        if fault and fault.kind in ("malformed", "wrong_schema", "empty"):
            rows = rows[1:]
        tokens = sum(estimate_tokens(text) for text in texts)
        with self._lock:
            self.prompt_tokens[body["model"]] += tokens
        # Out of order and not normalised, as the protocol allows.
        return 200, {"object": "list", "data": rows[::-1], "model": body["model"], "usage": {"prompt_tokens": tokens}}

    def _rerank(self, body: dict[str, Any]) -> tuple[int, Any]:
        """In the form of Cohere and Jina."""
        texts = body["documents"]
        if not all(map(_passage, texts)):
            return 400, {"message": "an empty text cannot be ranked"}
        scores = [(relevance(body["query"], _passage(text)), -index) for index, text in enumerate(texts)]
        best = sorted(scores, reverse=True)[: body.get("top_n") or len(scores)]
        results = [{"index": -place, "relevance_score": score} for score, place in best]
        return 200, {"results": results}


def _tokens_asked(body: dict[str, Any]) -> int:
    """What a provider bills for a prompt: the texts, the schema, and the marks between messages (OpenAI: 3 each, and 3)."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    shown = [json.dumps(schema, separators=(",", ":"))] if schema else []
    shown += [text_of(message["content"]) for message in body["messages"]]
    pictures = sum(len(pictures_of(message["content"])) for message in body["messages"])
    return sum(map(estimate_tokens, shown)) + PICTURE_TOKENS * pictures + 3 * len(body["messages"]) + 3


def _last_object(text: str) -> dict[str, Any]:
    """The JSON schema at the end of a system message; empty without one."""
    at = text.rfind("\n{")
    return json.loads(text[at:]) if at >= 0 else {}


def _passage(document: Any) -> str:
    return document if isinstance(document, str) else str(document["text"])


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model endpoint of the test's own."""
    with ModelServer() as server:
        yield server
