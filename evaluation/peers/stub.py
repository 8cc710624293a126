"""The endpoint that every system gets: vectors of Mneme's embedder, and chat answers that take a set time and are counted.

No model is behind it. A chat answer fills the form that its system asked for from the messages in its prompt, and from nothing
else. Statements are the messages' own words with the speaker, one for each message that says more than a few words: nothing is
rewritten, merged, dated or judged, and nothing is lost. So figures of recall are those of search and storage, not of a model's
extraction. Where a form asks for a decision, the answer changes nothing: no duplicate, unless the names are the same; no
contradiction, no time. Embeddings take the time that the embedder takes, one request at a time.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from mneme.ports import Embedder

MODEL = "stub"


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic to the chat model: requests, and the tokens of their prompts."""

    calls: int = 0
    prompt_tokens: int = 0

    def since(self, before: "Traffic") -> "Traffic":
        """Return the traffic after ``before``."""
        return Traffic(self.calls - before.calls, self.prompt_tokens - before.prompt_tokens)


class StubEndpoint:
    """An ``Answerer`` (evaluation/recording/local_endpoint.py) for ``/v1/chat/completions`` and ``/v1/embeddings``."""

    def __init__(self, embedder: Embedder, count_tokens: Callable[[str], int], latency: float) -> None:
        """Prepare; ``latency`` is in seconds, for each chat answer."""
        self._embedder, self._count, self._latency = embedder, count_tokens, latency
        self._traffic = Traffic()
        self._lock, self._embedding = threading.Lock(), threading.Lock()
        self._under_way, self._last_ended = 0, 0.0

    @property
    def traffic(self) -> Traffic:
        """So far."""
        with self._lock:
            return self._traffic

    @property
    def quiet_since(self) -> float | None:
        """The moment at which the last request ended, by ``time.perf_counter``; None while one is under way."""
        with self._lock:
            return None if self._under_way else self._last_ended

    def answer(self, call: Call) -> Answered:
        """See ``Answerer``; what is not served gets 404, what cannot be read 400."""
        with self._lock:
            self._under_way += 1
        try:
            return self._answer(call)
        finally:
            with self._lock:
                self._under_way, self._last_ended = self._under_way - 1, time.perf_counter()

    def _answer(self, call: Call) -> Answered:
        if call.path == "/v1/models":
            return json_answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        serve = {"/v1/chat/completions": self._chat, "/v1/embeddings": self._embeddings}.get(call.path)
        if serve is None:
            return error_answer(404, f"no such path: {call.path}", "stub")
        try:
            return json_answer(serve(json.loads(call.body)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return error_answer(400, f"the stub does not understand this: {error!r}", "stub")

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        ends = time.monotonic() + self._latency
        texts = [(message["role"], _text(message["content"])) for message in body["messages"]]
        form = (body.get("response_format") or {}).get("json_schema", {})
        asked = sum(self._count(text) for _, text in texts) + (self._count(json.dumps(form["schema"])) if form else 0)
        said = answer("\n".join(text for role, text in texts if role == "system"), texts[-1][1], form.get("schema"))
        with self._lock:
            self._traffic = Traffic(self._traffic.calls + 1, self._traffic.prompt_tokens + asked)
        answered = self._count(said)
        time.sleep(max(0.0, ends - time.monotonic()))
        message = {"role": "assistant", "content": said, "refusal": None}
        return {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", MODEL),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
        }

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        with self._embedding:
            vectors = self._embedder.embed(texts)
        rows = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
        return {
            "object": "list",
            "data": rows,
            "model": body.get("model", MODEL),
            "usage": {"prompt_tokens": 0, "total_tokens": 0},
        }


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


# --- forms -----------------------------------------------------------------------------------------------------------

_FEWEST_WORDS = 4  # of a message that says something
_SPOKEN = re.compile(r"^(?:\[[^\]]*\] *)?(?:(?:user|assistant): )?([^:\x22\n]{1,40}): (.+)$", re.MULTILINE)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]{2,}\b")
_FIELDS = re.compile(r'"speaker": (.*?),?\n\s*"content": (.*?)\n\s*\}')
_WORD = re.compile(r"[a-z]{4,}")

Schema = Mapping[str, Any]


def answer(system: str, user: str, schema: Schema | None) -> str:
    """The text of an answer: JSON where the prompt or ``schema`` wants it.

    A form is known by its fields; a schema that is not known is filled with what is empty.
    """
    fields = frozenset((schema or {}).get("properties", {}))
    for marks, fill in _FORMS:
        if marks <= fields or (not fields and all(f'"{mark}"' in system + user for mark in marks)):
            return json.dumps(fill(user))
    return json.dumps(_empty(schema, schema)) if schema else _summary(user)


def statements(text: str) -> list[str]:
    """Return the statements in the lines ``Name: words`` of a text, with their speakers."""
    found = (f"{match[1].strip()}: {match[2].strip()}" for match in _SPOKEN.finditer(text))
    return [said for said in found if len(said.split()) > _FEWEST_WORDS]


def _between(text: str, *marks: tuple[str, str]) -> str:
    """The part of a text between the first of the marks that are in it; all of it without any."""
    for begins, ends in marks:
        _, found, rest = text.partition(begins)
        if found:
            return rest.partition(ends)[0]
    return text


# --- mem0 ------------------------------------------------------------------------------------------------------------


def _mem0(user: str) -> Any:
    said = statements(_between(user, ("## New Messages\n", "\n\n## ")))
    return {"memory": [{"id": str(at), "text": each, "attributed_to": "user"} for at, each in enumerate(said)]}


# --- Graphiti --------------------------------------------------------------------------------------------------------


def _current(user: str) -> str:
    return _between(
        user,
        ("<CURRENT MESSAGE>", "</CURRENT MESSAGE>"),
        ("<CURRENT_MESSAGE>", "</CURRENT_MESSAGE>"),
    )


def _names(message: str) -> list[str]:
    """Two things a message is about: who speaks, and whom it names or else its longest word."""
    spoken = _SPOKEN.search(message)
    speaker, words = (spoken[1].strip(), spoken[2]) if spoken else ("Somebody", message.strip())
    named = [name for name in _NAME.findall(words) if name != speaker]
    longest = max(_WORD.findall(words.lower()), key=len, default="this")
    return [speaker, named[0] if named else longest]


def _graphiti_entities(user: str) -> Any:
    names = _names(_current(user))
    return {"extracted_entities": [{"name": each, "entity_type_id": 0, "episode_indices": [0]} for each in names]}


def _graphiti_edges(user: str) -> Any:
    message = _current(user)
    source, target = _names(message)
    edge = {"source_entity_name": source, "target_entity_name": target, "relation_type": "SAID_ABOUT", "episode_indices": [0]}
    return {"edges": [{**edge, "fact": each, "valid_at": None, "invalid_at": None} for each in statements(message)]}


def _graphiti_same_entities(user: str) -> Any:
    asked = json.loads(_between(user, ("<ENTITIES>", "</ENTITIES>")))
    there = json.loads(_between(user, ("<EXISTING ENTITIES>", "</EXISTING ENTITIES>")))
    known = {each["name"].lower(): each.get("candidate_id", -1) for each in there}
    resolved = [
        {"id": each["id"], "name": each["name"], "duplicate_candidate_id": known.get(each["name"].lower(), -1)}
        for each in asked
    ]
    return {"entity_resolutions": resolved}


# --- MemMachine ------------------------------------------------------------------------------------------------------


def _memmachine(user: str) -> Any:
    said = statements(_between(user, ("<HISTORY>", "</HISTORY>")))
    add = {"command": "add", "tag": "Hobbies & Interests"}
    return {"commands": [{**add, "feature": " ".join(each.split()[1:4]), "value": each} for each in said]}


# --- EverOS ----------------------------------------------------------------------------------------------------------


def _conversation(user: str) -> str:
    """The messages of a prompt: lines, or fields one below the other, which become lines."""
    said = _between(user, ("Conversation content:", "Custom instructions:"), ('- EPISODE_TEXT: "', '"\n- TIME'))
    return _FIELDS.sub(r"\1: \2", said)


def _everos_boundaries(user: str) -> Any:
    return {"reasoning": "one sitting", "boundaries": [], "should_wait": False}


def _everos_episode(user: str) -> Any:
    said = statements(_conversation(user))
    return {"title": " ".join(" ".join(said[:1]).split()[:12]), "content": "\n".join(said)}


def _everos_facts(user: str) -> Any:
    said = _conversation(user).partition("**CRITICAL")[0]
    return {"atomic_facts": {"time": _between(user, ('- TIME: "', '"')), "atomic_fact": statements(said)}}


def _everos_profile(user: str) -> Any:
    return {"operations": [{"action": "none"}]} if '"operations"' in user else {"explicit_info": [], "implicit_traits": []}


# --- what several have -----------------------------------------------------------------------------------------------


def _summary(user: str) -> str:
    """A text that stands for others: what was said, cut short."""
    return " ".join(statements(user))[:500] or user.strip()[:200]


def _empty(schema: Schema | None, root: Schema | None) -> Any:
    """The least that is valid: empty lists and texts, zero, false, null where it may be."""
    schema, root = schema or {}, root or {}
    if "$ref" in schema:
        return _empty(root.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1]), root)
    if "anyOf" in schema:
        options = schema["anyOf"]
        return None if any(option.get("type") == "null" for option in options) else _empty(options[0], root)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _empty(inner, root) for name, inner in schema.get("properties", {}).items()}
        case "array":
            return []
        case "string":
            return ""
        case "boolean":
            return False
        case "integer" | "number":
            return 0
    return None


_FORMS: tuple[tuple[frozenset[str], Callable[[str], Any]], ...] = (
    (frozenset({"extracted_entities"}), _graphiti_entities),
    (frozenset({"entity_resolutions"}), _graphiti_same_entities),
    (frozenset({"edges"}), _graphiti_edges),
    (frozenset({"commands"}), _memmachine),
    (frozenset({"memory", "attributed_to"}), _mem0),
    (frozenset({"boundaries", "should_wait"}), _everos_boundaries),
    (frozenset({"atomic_facts"}), _everos_facts),
    (frozenset({"title", "content"}), _everos_episode),
    (frozenset({"operations"}), _everos_profile),
    (frozenset({"explicit_info"}), _everos_profile),
)
"""The fields that a form has, in its schema or quoted in its prompt, and who fills it; the first that fits."""
