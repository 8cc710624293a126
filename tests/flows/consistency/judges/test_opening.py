"""The settings choose the judge."""

from pathlib import Path

import pytest

from connectors.models import open_chat_model
from flows.consistency.judges import ModelJudge, open_judge
from mneme.errors import SettingsError
from mneme.settings import Models, Reconcile, Settings
from tests.servers.models import ModelServer

MODEL = Settings(_env_file=None).model_copy(update={"reconcile": Reconcile(judge="model")})


def test_by_default_claims_alone_decide() -> None:
    assert open_judge(Settings(_env_file=None), None) is None


def test_a_model_judges_where_it_is_asked_for(model_server: ModelServer, tmp_path: Path) -> None:
    settings = MODEL.model_copy(update={"data": tmp_path, "models": Models(provider="openai", base_url=model_server.url)})
    chat = open_chat_model(settings)
    assert chat is not None
    judge = open_judge(settings, chat)
    assert isinstance(judge, ModelJudge)
    chat.close()


def test_a_model_that_is_not_set_stops_the_program() -> None:
    with pytest.raises(SettingsError, match="MNEME_RECONCILE__JUDGE"):
        open_judge(MODEL, None)
