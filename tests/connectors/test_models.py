"""The settings choose the models."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connectors.embedders.local_embedder import LocalEmbedder
from connectors.embedders.openai_embedder import OpenAiEmbedder
from connectors.endpoints.answer_cache import CachedChat
from connectors.indices import open_index
from connectors.models import open_chat_model, open_describer, open_embedder, open_transcriber
from mneme.errors import SettingsError
from mneme.ports import Describer
from mneme.settings import EmbedderSettings, Models, Settings, Transcription, load_settings
from tests.contracts.chat_model import Notes, ask
from tests.contracts.senses import SCOPE, picture
from tests.servers.models import ModelServer


def test_the_local_embedder_is_the_default() -> None:
    embedder = open_embedder(Settings())
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.identity.dimension == 384
    embedder.close()


@pytest.mark.parametrize("multilingual", [True, False])
def test_an_embedder_that_nobody_chose_is_that_of_the_store(multilingual: bool, tmp_path: Path) -> None:
    made = Settings(data=tmp_path, embedder=EmbedderSettings(multilingual=multilingual))
    with closing(open_embedder(made)) as embedder, closing(open_index(made)) as index:
        index.prepare(embedder.identity)
    with closing(open_embedder(Settings(data=tmp_path))) as found:
        assert found.identity == embedder.identity
    with closing(open_embedder(Settings(data=tmp_path / "new"))) as found:
        assert found.identity.languages == ("*",)


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


def test_nothing_hears_or_sees_by_default() -> None:
    assert open_transcriber(Settings()) is None
    assert open_describer(Settings()) is None


def test_a_model_sees_only_where_it_is_named_for_that(model_server: ModelServer, tmp_path: Path) -> None:
    def describer(**models: Any) -> Describer | None:
        return open_describer(Settings(data=tmp_path, models=Models(base_url=model_server.url, **models)))

    assert describer(provider="openai", by_role={"extraction": "small"}) is None
    assert describer(provider="none", by_role={"vision": "eyes"}) is None
    seeing = describer(provider="openai", by_role={"vision": "eyes"})
    assert seeing is not None
    assert "picture" in seeing.describe(picture(), "image/png", "a.png", SCOPE)
    assert model_server.requests[0].body["model"] == "eyes"
    assert (tmp_path / "answers.sqlite").is_file()
    seeing.close()


def test_a_transcriber_keeps_what_it_heard_in_the_data_folder(model_server: ModelServer, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, transcription=Transcription(provider="openai", base_url=model_server.url))
    for _ in range(2):
        transcriber = open_transcriber(settings)
        assert transcriber is not None
        assert transcriber.transcribe(b"Hello.", "a.wav", SCOPE).spoken[0].text == "Hello."
        transcriber.close()
    assert model_server.calls("/v1/audio/transcriptions") == 1
    assert (tmp_path / "answers.sqlite").is_file()


def test_the_cache_folder_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_CACHE", str(tmp_path))
    assert load_settings().cache == tmp_path


def test_missing_weights_stop_the_program_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="MNEME_EMBEDDER__PATH"):
        open_embedder(Settings(embedder=EmbedderSettings(path=tmp_path)))
