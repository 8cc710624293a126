"""The settings choose the models."""

from pathlib import Path

import pytest

from connectors.embedders.minilm import MiniLmEmbedder
from connectors.embedders.openai_embedder import OpenAiEmbedder
from connectors.endpoints.answer_cache import CachedChat
from connectors.models import open_chat_model, open_embedder
from mneme.errors import SettingsError
from mneme.settings import EmbedderSettings, Models, Settings, load_settings
from tests.contracts.chat_model import Notes, ask
from tests.servers.models import ModelServer


def test_the_local_embedder_is_the_default() -> None:
    embedder = open_embedder(Settings())
    assert isinstance(embedder, MiniLmEmbedder)
    assert embedder.identity.dimension == 384
    embedder.close()


def test_an_endpoint_embeds_when_it_is_chosen(model_server: ModelServer) -> None:
    settings = Settings(embedder=EmbedderSettings(provider="openai", base_url=model_server.url, dimension=64, model="bag"))
    embedder = open_embedder(settings)
    assert isinstance(embedder, OpenAiEmbedder)
    assert embedder.embed(["a text"]).shape == (1, 64)
    embedder.close()


def test_there_is_no_chat_model_by_default() -> None:
    assert open_chat_model(Settings()) is None


def test_a_chat_model_keeps_its_answers_in_the_data_folder(model_server: ModelServer, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, models=Models(provider="openai", base_url=model_server.url))
    chat = open_chat_model(settings)
    assert isinstance(chat, CachedChat)
    assert chat.answer(ask(), Notes) == chat.answer(ask(), Notes)
    assert model_server.calls() == 1
    assert (tmp_path / "answers.sqlite").is_file()
    chat.close()


def test_the_cache_folder_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_CACHE", str(tmp_path))
    assert load_settings().cache == tmp_path


def test_missing_weights_stop_the_program_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="MNEME_EMBEDDER__PATH"):
        open_embedder(Settings(embedder=EmbedderSettings(path=tmp_path)))
