"""Mneme: a river of memory for AI agents. This room is the vocabulary; it does no I/O and imports no other room."""

from mneme.errors import InputError, MnemeError, ModelError, SettingsError, StoreError, StoreRejected, StoreUnavailable
from mneme.events import Delete, Document, Edit, Erase, Flush, Forget, ForgetDocument, Message
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

__all__ = [
    "AgentCase",
    "AgentSkill",
    "AtomicFact",
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
    "Settings",
    "SettingsError",
    "StoreError",
    "StoreRejected",
    "StoreUnavailable",
    "StoredMessage",
    "ToolCall",
    "load_settings",
]
