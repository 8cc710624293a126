"""One tree of settings: environment variables with the prefix ``MNEME_``, nested by ``__``, also from ``.env``.

``MNEME_OPENSEARCH__URL`` is ``settings.opensearch.url``. An unknown or wrong variable stops the program with its
name. Settings are read once; a change takes effect at a restart.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from mneme.errors import SettingsError
from mneme.settings.asking import Agents, Answers, Retrieval
from mneme.settings.connections import EmbedderSettings, Index, Kafka, Models, OpenSearch, Rerank, Transcription
from mneme.settings.flow import Boundaries, Documents, Extraction, Flow, Profiles, Reconcile, Skills
from mneme.settings.service import Service, Telemetry

PREFIX = "MNEME_"


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        enable_decoding=False,  # Group does it
        extra="forbid",
        frozen=True,
    )

    data: Path = Field(default=Path("mneme-data"), description="embedded index, recovery store, answer cache, dead letters")
    cache: Path | None = Field(
        default=None,
        description="the converted local model; default: the user's cache folder",
    )
    index: Index = Index()
    kafka: Kafka = Kafka()
    opensearch: OpenSearch = OpenSearch()
    embedder: EmbedderSettings = EmbedderSettings()
    models: Models = Models()
    boundaries: Boundaries = Boundaries()
    extraction: Extraction = Extraction()
    reconcile: Reconcile = Reconcile()
    profiles: ClassVar[Profiles] = Profiles()
    skills: ClassVar[Skills] = Skills()
    documents: Documents = Documents()
    transcription: Transcription = Transcription()
    flow: Flow = Flow()
    retrieval: Retrieval = Retrieval()
    rerank: Rerank = Rerank()
    agents: Agents = Agents()
    answers: Answers = Answers()
    service: Service = Service()
    telemetry: Telemetry = Telemetry()

    def replace(self, **values: Any) -> Self:
        """A copy with other values, taken as they are; of a group only those that are named.

        >>> Settings().replace(data=Path("elsewhere"), service={"port": 0}).service.port
        0
        """
        update = {
            name: getattr(self, name).model_copy(update=value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }
        return self.model_copy(update=update)

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        """The destination of what is sent: ``MNEME_SERVICE__INTAKE``, with ``auto`` decided."""
        chosen = self.service.intake
        if chosen == "auto":
            return "inbox" if self.index.backend == "embedded" else "kafka"
        return chosen


def load_settings(environment: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Settings from the environment and ``.env``; keyword arguments win.

    Raises:
        SettingsError: an unknown or wrong variable, named as it is written in the environment.
    """
    names = [name for name in (os.environ if environment is None else environment) if name.upper().startswith(PREFIX)]
    known = set(Settings.model_fields)
    for name in names:
        head = name[len(PREFIX) :].lower().split("__")[0]
        if head not in known and not name.startswith(f"{PREFIX}TEST_"):
            raise SettingsError(f"{name} is not a setting; the groups are {', '.join(sorted(known))} (docs/settings.md)")
    # The errors of the library quote values, which may be keys: none of them is kept, as a cause neither.
    try:
        return Settings(**overrides)
    except ValidationError as error:
        wrong = "; ".join(
            _describe(detail["type"], detail["msg"], [str(part) for part in detail["loc"]])
            for detail in error.errors(include_url=False, include_input=False, include_context=False)
        )
    raise SettingsError(f"{wrong} (docs/settings.md)")


def _describe(kind: str, message: str, path: Sequence[str]) -> str:
    """Describe the error of a value and its place; in a mapping, whose names may be secret keys, the place is the mapping."""
    if kind == "extra_forbidden":
        # The name of an unknown variable in .env comes as it is written there, with the prefix.
        variable = PREFIX + "__".join(path).upper().removeprefix(PREFIX)
        return f"{variable} is not a setting; the settings of this group are {', '.join(_settings_of(path[:-1]))}"
    model: Any = Settings
    place = []
    for part in path:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            break
        place.append(part)
        model = model.model_fields[part].annotation if part in model.model_fields else None
    return f"{PREFIX}{'__'.join(place).upper()}: {message.removeprefix('Value error, ')}"


def _settings_of(groups: Sequence[str]) -> list[str]:
    """The names of the settings of a nested group."""
    model: type[BaseModel] = Settings
    for group in groups:
        annotation = model.model_fields[group].annotation
        assert isinstance(annotation, type), "only a group has settings inside"
        assert issubclass(annotation, BaseModel), "only a group has settings inside"
        model = annotation
    return sorted(model.model_fields)
