"""One tree of settings: environment variables with the prefix ``MNEME_``. Each file is a part of it, ``tree.py`` the whole."""

from mneme.settings.asking import Agents as Agents
from mneme.settings.asking import Answers as Answers
from mneme.settings.asking import Retrieval as Retrieval
from mneme.settings.connections import EmbedderSettings as EmbedderSettings
from mneme.settings.connections import Index as Index
from mneme.settings.connections import Kafka as Kafka
from mneme.settings.connections import Models as Models
from mneme.settings.connections import OpenSearch as OpenSearch
from mneme.settings.connections import Rerank as Rerank
from mneme.settings.connections import Topics as Topics
from mneme.settings.connections import Transcription as Transcription
from mneme.settings.flow import Boundaries as Boundaries
from mneme.settings.flow import Documents as Documents
from mneme.settings.flow import Extraction as Extraction
from mneme.settings.flow import Flow as Flow
from mneme.settings.flow import Profiles as Profiles
from mneme.settings.flow import Reconcile as Reconcile
from mneme.settings.flow import Skills as Skills
from mneme.settings.service import Intake as Intake
from mneme.settings.service import Service as Service
from mneme.settings.service import Telemetry as Telemetry
from mneme.settings.tree import PREFIX as PREFIX
from mneme.settings.tree import Settings as Settings
from mneme.settings.tree import load_settings as load_settings
