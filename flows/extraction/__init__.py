"""What is remembered of an episode: by rules (``local``) or by a chat model (``model``)."""

from flows.cuts import Extractor
from flows.extraction.local import LocalExtractor
from mneme.errors import SettingsError
from mneme.ports import ChatModel
from mneme.settings import Settings

__all__ = ["LocalExtractor", "open_extractor"]


def open_extractor(settings: Settings, chat: ChatModel | None) -> Extractor:
    """The extractor that the settings name."""
    return LocalExtractor()
