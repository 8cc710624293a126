"""What is remembered of an episode: by rules (``local``) or by a chat model (``model``)."""

from flows.cuts import Extractor
from flows.extraction.local import LocalExtractor
from flows.extraction.model import ModelExtractor
from mneme.errors import SettingsError
from mneme.ports import ChatModel, Role
from mneme.settings import Settings

__all__ = ["LocalExtractor", "ModelExtractor", "open_extractor"]


def open_extractor(settings: Settings, chat: ChatModel | None) -> Extractor:
    """The extractor that the settings name.

    Raises:
        SettingsError: a model is to extract, and there is none.
    """
    if settings.extraction.extractor == "local":
        return LocalExtractor()
    if chat is None:
        raise SettingsError("MNEME_EXTRACTION__EXTRACTOR is 'model', but no model is set: set MNEME_MODELS__PROVIDER")
    models = settings.models
    name = models.by_role.get(Role.EXTRACTION, models.default)
    return ModelExtractor(chat, settings.extraction, name, models.output_language)
