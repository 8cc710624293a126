"""Whom a dead letter tells of: what decides whether an erasure takes it away."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mneme.ids import make_id
from mneme.ports import DeadLetter, Scope

_OF_EVENTS = ("decode", "read", "embed")  # stages whose letters hold an event's own bytes
_WITHOUT_OWNER = ("edit", "delete", "flush", "forget")  # events that name a conversation and nobody
_OF_DOCUMENTS = ("document", "forget_document")  # events that name a document; without an owner it is the tenant's
_OWNER_FIELDS = (("user", "user_id"), ("group", "group_id"), ("agent", "agent_id"))
_TENANT = re.compile(r'"tenant_id"\s*:\s*"((?:[^"\\]|\\.)*)"')
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\[\"\\/])+")


def tells_of(letter: DeadLetter, scope: Scope) -> bool:
    """Whether a letter is about a conversation or the owner of a scope.

    1. Its bytes say so: those of an event (``decode``, ``read``, ``embed``), of a row's body (``write``), or of a reference to
       an episode or a conversation (any other stage; flows/lanes/snapshots.py).
    2. Where they do not say whom they are about, because they are damaged or incomplete, it is if bytes or reason hold one
       of the scope's ids as a whole: rather one letter too many goes than one too few. But where they still say which
       tenant they are of, no other tenant's erasure takes them away.
    """
    told = _told(letter)
    if told is None:
        return _may_be_of(letter, scope.tenant_id) and _holds_an_id(letter, scope)
    if told.tenant_id != scope.tenant_id:
        return False
    owner = scope.owner
    is_of_owner = owner is not None and (owner.type, owner.id) in told.owners
    if scope.document_id is not None:
        return is_of_owner and told.document_id == scope.document_id
    return told.conversation_id in scope.conversation_ids or is_of_owner


@dataclass(frozen=True, slots=True)
class _Told:
    """Whom bytes are of; owners by type and id."""

    tenant_id: str
    owners: list[tuple[str, str]]
    conversation_id: str | None
    document_id: str | None


def _told(letter: DeadLetter) -> _Told | None:
    """Of whom the bytes are; None where they do not say it."""
    try:
        data = json.loads(letter.raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if letter.stage == "write":
        return _of_row(data)
    if letter.stage in _OF_EVENTS:
        return _of_event(data)
    return _of_reference(data)


def _of_row(body: dict[str, Any]) -> _Told | None:
    match body.get("owner"):
        case {"tenant_id": str(tenant_id), "type": str(owner_type), "id": str(owner_id)}:
            conversation_id, document_id = _text(body.get("conversation_id")), _text(body.get("document_id"))
            return _Told(tenant_id, [(owner_type, owner_id)], conversation_id, document_id)
    return None


def _of_reference(reference: dict[str, Any]) -> _Told | None:
    match reference.get("owner"):
        case [str(tenant_id), str(owner_type), str(owner_id)] if {"conversation", "document"} & reference.keys():
            conversation_id, document_id = _text(reference.get("conversation")), _text(reference.get("document"))
            return _Told(tenant_id, [(owner_type, owner_id)], conversation_id, document_id)
    return None


def _of_event(event: dict[str, Any]) -> _Told | None:
    tenant_id, conversation_id = event.get("tenant_id", "default"), _text(event.get("conversation_id"))
    owners = [(kind, owner) for kind, field in _OWNER_FIELDS if (owner := _text(event.get(field)))]
    kind, document_id = event.get("event", "message"), _text(event.get("document_id"))
    if kind in _OF_DOCUMENTS:
        owners = owners or [("tenant", str(tenant_id))]
        complete = document_id is not None
    else:
        complete = bool(conversation_id and (owners or kind in _WITHOUT_OWNER))
    return _Told(tenant_id, owners, conversation_id, document_id) if isinstance(tenant_id, str) and complete else None


def _may_be_of(letter: DeadLetter, tenant_id: str) -> bool:
    """Whether bytes that do not say whom they are about may be of a tenant: not those that still name others alone.

    An event that names no tenant is the default one's. Of damaged bytes that may be so whatever they name: a tenant may
    stand in metadata, and what stood before them be lost.
    """
    try:
        data = json.loads(letter.raw)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict) and letter.stage in _OF_EVENTS:
        named = data.get("tenant_id", "default")
        return named == tenant_id or not isinstance(named, str)
    tenants = _TENANT.findall(letter.raw.decode(errors="replace"))
    return not tenants or tenant_id in ("default", *tenants, *map(_unescaped, tenants))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _holds_an_id(letter: DeadLetter, scope: Scope) -> bool:
    text = letter.raw.decode(errors="replace")
    places = "\n".join((text, _unescaped(text), unquote(text), letter.reason))
    ids = [*scope.conversation_ids, *([scope.owner.id] if scope.owner and not scope.document_id else [])]
    ids += [scope.document_id] if scope.document_id else []
    # A long part of an id is kept as its hash (mneme/ids.py), so that is looked for as well.
    forms = {form for identity in ids for form in (identity, make_id(identity))}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", places) for form in forms)


def _unescaped(text: str) -> str:
    """JSON's escapes as the characters they stand for."""
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)
