"""Records of the memory: immutable, each with a deterministic id.

Times are aware and UTC. ``version`` is the counter of the lane that writes the record (flows/lanes/state.py): of two
writes the higher wins, whichever arrives last.
"""

from mneme.records.aggregates import AgentSkill, Aggregate, Cluster, Entity, Mention, Profile, ProfileItem, Relationship, Stated
from mneme.records.base import Citation, Metadata, Owner, OwnerType, Position, Record, Scalar, ToolCall, is_another_topic
from mneme.records.memories import (
    AgentCase,
    Artifact,
    AtomicFact,
    Claim,
    ClosedBy,
    Episode,
    Foresight,
    Quote,
    Spoken,
    Statement,
    Validity,
)
from mneme.records.sources import Corrected, StoredDocument, StoredMessage

AnyRecord = (
    StoredMessage
    | Episode
    | AtomicFact
    | Foresight
    | Cluster
    | Entity
    | Relationship
    | Profile
    | AgentCase
    | AgentSkill
    | StoredDocument
)

__all__ = [
    "AgentCase",
    "AgentSkill",
    "Aggregate",
    "AnyRecord",
    "Artifact",
    "AtomicFact",
    "Citation",
    "Claim",
    "ClosedBy",
    "Cluster",
    "Corrected",
    "Entity",
    "Episode",
    "Foresight",
    "Mention",
    "Metadata",
    "Owner",
    "OwnerType",
    "Position",
    "Profile",
    "ProfileItem",
    "Quote",
    "Record",
    "Relationship",
    "Scalar",
    "Spoken",
    "Stated",
    "Statement",
    "StoredDocument",
    "StoredMessage",
    "ToolCall",
    "Validity",
    "is_another_topic",
]
