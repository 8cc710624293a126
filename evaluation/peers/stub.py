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
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from evaluation.recording.local_endpoint import Answered, Call, error_answer, json_answer
from mneme.ports import Embedder

MODEL = "stub"


class StubEndpoint:
    """Answers (evaluation/recording/local_endpoint.py) for ``/v1/chat/completions`` and ``/v1/embeddings``.

    ``traffic`` counts ``calls`` to the chat model, and the tokens of their prompts (``prompt``).
    """

    def __init__(self, embedder: Embedder, count_tokens: Callable[[str], int], latency: float) -> None:
        """Prepare; ``latency`` is in seconds, for each chat answer."""
        self._embedder, self._count, self._latency = embedder, count_tokens, latency
        self.traffic = Counter[str]()
        self._lock, self._embedding = threading.Lock(), threading.Lock()
        self._under_way, self._last_ended = 0, 0.0

    @property
    def quiet_since(self) -> float | None:
        """The moment at which the last request ended, by ``time.perf_counter``; None while one is under way."""
        with self._lock:
            return None if self._under_way else self._last_ended

    def answer(self, call: Call) -> Answered:
        """The answer to a call; what is not served gets 404, what cannot be read 400."""
        with self._lock:
            self._under_way += 1
        try:
            serve = {"/v1/chat/completions": self._chat, "/v1/embeddings": self._embeddings}.get(call.path)
            if call.path == "/v1/models":
                return json_answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
            return json_answer(serve(json.loads(call.body))) if serve else error_answer(404, f"no path {call.path}", "stub")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return error_answer(400, f"the stub does not understand this: {error!r}", "stub")
        finally:
            with self._lock:
                self._under_way, self._last_ended = self._under_way - 1, time.perf_counter()

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        ends = time.monotonic() + self._latency
        texts = [(message["role"], _text(message["content"])) for message in body["messages"]]
        form = (body.get("response_format") or {}).get("json_schema", {})
        asked = sum(self._count(text) for _, text in texts) + (self._count(json.dumps(form["schema"])) if form else 0)
        said = answer("\n".join(text for role, text in texts if role == "system"), texts[-1][1], form.get("schema"))
        with self._lock:
            self.traffic += Counter(calls=1, prompt=asked)
        answered = self._count(said)
        time.sleep(max(0.0, ends - time.monotonic()))
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        usage = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
        return {"id": "stub", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice], "usage": usage}

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        with self._embedding:
            vectors = self._embedder.embed(texts)
        rows = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
        return {"object": "list", "data": rows, "model": MODEL, "usage": {"prompt_tokens": 0, "total_tokens": 0}}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


_FEWEST_WORDS = 4  # of a message that says something
_SPOKEN = re.compile(r"^(?:\[[^\]]*\] *)?(?:(?:user|assistant): )?([^:\x22\n]{1,40}): (.+)$", re.MULTILINE)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]{2,}\b")
_FIELDS = re.compile(r'"speaker": (.*?),?\n\s*"content": (.*?)\n\s*\}')


def answer(system: str, user: str, schema: Mapping[str, Any] | None) -> str:
    """The text of an answer: JSON where the prompt or ``schema`` wants it.

    A form is known by its fields; a schema that is not known is filled with what is empty, and any other prompt answered by
    what was said, cut short.
    """
    fields = frozenset((schema or {}).get("properties", {}))
    for names, fill in _FORMS.items():
        marks = frozenset(names.split())
        if marks <= fields or (not fields and all(f'"{mark}"' in system + user for mark in marks)):
            return json.dumps(fill(user))
    return json.dumps(_empty(schema, schema)) if schema else " ".join(statements(user))[:500] or user.strip()[:200]


def statements(text: str) -> list[str]:
    """Return the statements in the lines ``Name: words`` of a text, with their speakers."""
    found = (f"{match[1].strip()}: {match[2].strip()}" for match in _SPOKEN.finditer(text))
    return [said for said in found if len(said.split()) > _FEWEST_WORDS]


def _within(text: str, pattern: str) -> str:
    """The first group of a pattern in a text; all of the text where it does not match."""
    return found[1] if (found := re.search(pattern, text, re.DOTALL)) else text


def _empty(schema: Mapping[str, Any] | None, root: Mapping[str, Any] | None) -> Any:
    """The least that is valid: empty lists and texts, zero, false, null where it may be."""
    schema, root = schema or {}, root or {}
    if "$ref" in schema:
        return _empty(root.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1]), root)
    if options := schema.get("anyOf"):
        return None if any(option.get("type") == "null" for option in options) else _empty(options[0], root)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _empty(inner, root) for name, inner in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "boolean": False, "integer": 0, "number": 0}.get(schema.get("type", ""))


def _mem0(user: str) -> Any:
    said = statements(_within(user, r"## New Messages\n(.*?)(?:\n\n## |$)"))
    return {"memory": [{"id": str(at), "text": each, "attributed_to": "user"} for at, each in enumerate(said)]}


_CURRENT = r"<CURRENT[ _]MESSAGE>(.*?)</CURRENT[ _]MESSAGE>"  # of Graphiti


def _names(message: str) -> list[str]:
    """Two things a message is about: who speaks, and whom it names or else its longest word."""
    spoken = _SPOKEN.search(message)
    speaker, words = (spoken[1].strip(), spoken[2]) if spoken else ("Somebody", message.strip())
    named = [name for name in _NAME.findall(words) if name != speaker]
    longest = max(re.findall(r"[a-z]{4,}", words.lower()), key=len, default="this")
    return [speaker, named[0] if named else longest]


def _graphiti_entities(user: str) -> Any:
    names = _names(_within(user, _CURRENT))
    return {"extracted_entities": [{"name": each, "entity_type_id": 0, "episode_indices": [0]} for each in names]}


def _graphiti_edges(user: str) -> Any:
    message = _within(user, _CURRENT)
    source, target = _names(message)
    edge = {"source_entity_name": source, "target_entity_name": target, "relation_type": "SAID_ABOUT", "episode_indices": [0]}
    return {"edges": [{**edge, "fact": each, "valid_at": None, "invalid_at": None} for each in statements(message)]}


def _graphiti_same_entities(user: str) -> Any:
    asked = json.loads(_within(user, "<ENTITIES>(.*?)</ENTITIES>"))
    there = json.loads(_within(user, "<EXISTING ENTITIES>(.*?)</EXISTING ENTITIES>"))
    known = {each["name"].lower(): each.get("candidate_id", -1) for each in there}
    same = [{**each, "duplicate_candidate_id": known.get(each["name"].lower(), -1)} for each in asked]
    return {"entity_resolutions": [{name: each[name] for name in ("id", "name", "duplicate_candidate_id")} for each in same]}


def _memmachine(user: str) -> Any:
    said = statements(_within(user, "<HISTORY>(.*?)</HISTORY>"))
    add = {"command": "add", "tag": "Hobbies & Interests"}
    return {"commands": [{**add, "feature": " ".join(each.split()[1:4]), "value": each} for each in said]}


def _everos_said(user: str) -> str:
    """The messages of a prompt of EverOS: lines, or fields one below the other, which become lines."""
    said = _within(user, r"Conversation content:(.*?)(?:Custom instructions:|$)")
    return _FIELDS.sub(r"\1: \2", _within(user, r'- EPISODE_TEXT: "(.*?)(?:"\n- TIME|$)') if said == user else said)


def _everos_episode(user: str) -> Any:
    said = statements(_everos_said(user))
    return {"title": " ".join(" ".join(said[:1]).split()[:12]), "content": "\n".join(said)}


def _everos_facts(user: str) -> Any:
    said = _everos_said(user).partition("**CRITICAL")[0]
    return {"atomic_facts": {"time": _within(user, '- TIME: "(.*?)"'), "atomic_fact": statements(said)}}


def _everos_profile(user: str) -> Any:
    return {"operations": [{"action": "none"}]} if '"operations"' in user else {"explicit_info": [], "implicit_traits": []}


_FORMS: Mapping[str, Callable[[str], Any]] = {
    "extracted_entities": _graphiti_entities,
    "entity_resolutions": _graphiti_same_entities,
    "edges": _graphiti_edges,
    "commands": _memmachine,
    "memory attributed_to": _mem0,
    "boundaries should_wait": lambda user: {"reasoning": "one sitting", "boundaries": [], "should_wait": False},
    "atomic_facts": _everos_facts,
    "title content": _everos_episode,
    "operations": _everos_profile,
    "explicit_info": _everos_profile,
}
"""The fields that a form has, in its schema or quoted in its prompt, and who fills it; the first that fits."""
