"""The judge that the settings name."""

from flows.consistency.judges.model import ModelJudge
from flows.consistency.statements import Judge
from mneme.errors import SettingsError
from mneme.ports import RememberingChat
from mneme.settings import Settings


def open_judge(settings: Settings, chat: RememberingChat | None) -> Judge | None:
    """The judge of ``MNEME_RECONCILE__JUDGE``; None where claims alone decide.

    Raises:
        SettingsError: a model is to judge, and there is none.
    """
    if settings.reconcile.judge == "rule":
        return None
    if chat is None:
        raise SettingsError(
            "MNEME_RECONCILE__JUDGE=model needs a chat model: set MNEME_MODELS__PROVIDER=openai with its "
            "MNEME_MODELS__BASE_URL and MNEME_MODELS__API_KEY, or MNEME_RECONCILE__JUDGE=rule"
        )
    return ModelJudge(chat)
