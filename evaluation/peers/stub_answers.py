"""What the stub says: each system's own form, filled from the messages in its prompt and from nothing else.

Statements are the messages' own words with the speaker, one for each message that says more than a few words: nothing is
rewritten, merged, dated or judged, and nothing is lost. So figures of what is found are those of search and storage, not of
a model's extraction. Where a form asks for a decision, the answer is the one that changes nothing: no duplicate, unless the
names are the same; no contradiction, no time.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

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
    """What is said in the lines ``Name: words`` of a text, with who says it."""
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
