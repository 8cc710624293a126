"""Mneme: a river of memory for AI agents. This room is the vocabulary; it does no I/O and imports no other room."""

from mneme.errors import InputError, MnemeError, ModelError, SettingsError, StoreError
from mneme.events import Delete, Document, Edit, Flush, Forget, Message
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
    "Flush",
    "Foresight",
    "Forget",
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
    "StoredMessage",
    "ToolCall",
    "load_settings",
]
