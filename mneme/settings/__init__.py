"""One tree of settings: environment variables with the prefix ``MNEME_``. Each file is a part of it, ``tree.py`` the whole."""

from mneme.settings.asking import Agents, Answers, Retrieval
from mneme.settings.connections import EmbedderSettings, Index, Kafka, Models, OpenSearch, Rerank, Topics, Transcription
from mneme.settings.flow import Boundaries, Documents, Extraction, Flow, Profiles, Reconcile, Skills
from mneme.settings.service import Intake, Service, Telemetry
from mneme.settings.tree import PREFIX, Settings, load_settings

__all__ = [
    "PREFIX",
    "Agents",
    "Answers",
    "Boundaries",
    "Documents",
    "EmbedderSettings",
    "Extraction",
    "Flow",
    "Index",
    "Intake",
    "Kafka",
    "Models",
    "OpenSearch",
    "Profiles",
    "Reconcile",
    "Rerank",
    "Retrieval",
    "Service",
    "Settings",
    "Skills",
    "Telemetry",
    "Topics",
    "Transcription",
    "load_settings",
]
