"""A dry run shows what the flow would take from files, and writes nothing."""

from pathlib import Path

import pytest

from flows import ingest
from flows.maintenance.dry_run import dry_run
from mneme.errors import InputError, ModelRefused
from mneme.rows import Collection
from mneme.settings import Boundaries, EmbedderSettings, Extraction, Models, Settings
from tests.flows.deployment import EXAMPLES, with_index
from tests.servers.models import Fault, ModelServer

pytestmark = pytest.mark.slow

FILES = [EXAMPLES / "team.jsonl", EXAMPLES / "handbook.md"]
DEFAULTS = {"user_id": "user_123"}


def settings_for(data: Path, server: ModelServer | None = None) -> Settings:
    settings = Settings(_env_file=None).model_copy(update={"data": data})
    if server is None:
        return settings
    return settings.model_copy(
        update={
            "models": Models(provider="openai", base_url=server.url).model_copy(
                update={"retries": 1, "retry_base_seconds": 0.01}
            ),
            "embedder": EmbedderSettings(provider="openai", base_url=server.url, model="bag-of-words", dimension=64),
            "boundaries": Boundaries(detector="llm"),
            "extraction": Extraction(extractor="model", custom_instructions="Note every animal."),
        }
    )


def ingested(settings: Settings) -> dict[str, int]:
    """The episodes that the flow made, with how many facts each has."""
    ingest(FILES, settings, defaults=DEFAULTS)
    episodes = with_index(settings, lambda index: list(index.scan(Collection.EPISODES)))
    return {row.id: len(row.body["fact_ids"]) for row in episodes}


def test_it_shows_what_the_flow_makes_of_the_same_files(tmp_path: Path) -> None:
    shown = {cut.id: len(extraction.facts) for cut, extraction in dry_run(FILES, settings_for(tmp_path / "dry"), DEFAULTS)}
    assert not (tmp_path / "dry").exists(), "nothing is written"
    assert shown == ingested(settings_for(tmp_path / "wet"))
    assert sum(shown.values()) > 50


def test_with_models_it_shows_the_same_and_the_flow_pays_for_nothing_again(tmp_path: Path, model_server: ModelServer) -> None:
    settings = settings_for(tmp_path, model_server)
    shown = {cut.id: len(extraction.facts) for cut, extraction in dry_run(FILES, settings, DEFAULTS)}
    assert [path.name.partition("-")[0] for path in tmp_path.iterdir() if not path.name.startswith("answers.sqlite")] == []
    paid = model_server.calls()
    assert ingested(settings) == shown
    assert model_server.calls() == paid
    asked = [request.body for request in model_server.requests if "EpisodeForm" in str(request.body.get("response_format"))]
    assert all("Note every animal." in body["messages"][0]["content"] for body in asked)


def test_the_first_episodes_come_before_the_last_are_paid_for(tmp_path: Path, model_server: ModelServer) -> None:
    settings = settings_for(tmp_path, model_server)
    settings = settings.model_copy(update={"models": settings.models.model_copy(update={"calls_in_flight": 1})})
    episodes = dry_run(FILES, settings, DEFAULTS)
    next(episodes)
    some = model_server.calls()
    left = len(list(episodes))
    assert left > 5
    assert model_server.calls() > some + left // 2


def test_what_goes_wrong_is_raised(tmp_path: Path, model_server: ModelServer) -> None:
    model_server.fault_rate, model_server.fault_kinds = 1.0, (Fault("refusal"),)
    settings = settings_for(tmp_path, model_server).model_copy(update={"embedder": EmbedderSettings()})
    with pytest.raises(ModelRefused):
        list(dry_run(FILES, settings, DEFAULTS))
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"event": "message"}\n')
    with pytest.raises(InputError, match=r"wrong\.jsonl, event 1"):
        list(dry_run([wrong], settings_for(tmp_path)))
