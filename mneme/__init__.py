"""Mneme: a river of memory for AI agents. This room is the vocabulary; it does no I/O and imports no other room.

A public name's module is imported when the name is first asked for (PEP 562): whoever needs one file of this room does not
wait for all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mneme.errors import InputError, MnemeError, ModelError, SettingsError, StoreError, StoreRejected, StoreUnavailable
    from mneme.events import Correct, Delete, Document, Edit, Erase, Flush, Forget, ForgetDocument, Message, Retract
    from mneme.records import (
        AgentCase,
        AgentSkill,
        AtomicFact,
        Entity,
        Episode,
        Foresight,
        Owner,
        Profile,
        Relationship,
        StoredMessage,
        ToolCall,
    )
    from mneme.settings import Settings, load_settings

__version__ = "0.1.0"  # pyproject.toml reads it: no program asks which distribution it came in

__all__ = [
    "AgentCase",
    "AgentSkill",
    "AtomicFact",
    "Correct",
    "Delete",
    "Document",
    "Edit",
    "Entity",
    "Episode",
    "Erase",
    "Flush",
    "Foresight",
    "Forget",
    "ForgetDocument",
    "InputError",
    "Message",
    "MnemeError",
    "ModelError",
    "Owner",
    "Profile",
    "Relationship",
    "Retract",
    "Settings",
    "SettingsError",
    "StoreError",
    "StoreRejected",
    "StoreUnavailable",
    "StoredMessage",
    "ToolCall",
    "load_settings",
]

_HOMES = {
    "errors": ("InputError", "MnemeError", "ModelError", "SettingsError", "StoreError", "StoreRejected", "StoreUnavailable"),
    "events": (
        *("Correct", "Delete", "Document", "Edit", "Erase", "Flush", "Forget", "ForgetDocument", "Message"),
        "Retract",
    ),
    "records": (
        *("AgentCase", "AgentSkill", "AtomicFact", "Entity", "Episode", "Foresight", "Owner", "Profile", "Relationship"),
        *("StoredMessage", "ToolCall"),
    ),
    "settings": ("Settings", "load_settings"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import on first use."""
    if name in _HOMES:
        return import_module(f"mneme.{name}")
    if name in _HOME_OF:
        return getattr(import_module(f"mneme.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'mneme' has no attribute {name!r}")
