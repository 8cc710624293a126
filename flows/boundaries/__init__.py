"""Boundary detectors: cut a conversation into episodes by cheap signals alone, or with a chat model that these call upon."""

from flows.boundaries.llm import LlmDetector
from flows.boundaries.semantic import SemanticDetector
from flows.cuts import BoundaryDetector
from mneme.errors import SettingsError
from mneme.ports import ChatModel
from mneme.settings import Settings


def open_detector(settings: Settings, chat: ChatModel | None) -> BoundaryDetector:
    """The detector that ``settings.boundaries.detector`` names.

    Raises:
        SettingsError: ``llm`` is asked for and there is no chat model.
    """
    if settings.boundaries.detector == "semantic":
        return SemanticDetector(settings.boundaries)
    if chat is None:
        raise SettingsError(
            "MNEME_BOUNDARIES__DETECTOR=llm needs a chat model: set MNEME_MODELS__PROVIDER=openai with its "
            "MNEME_MODELS__BASE_URL and MNEME_MODELS__API_KEY, or MNEME_BOUNDARIES__DETECTOR=semantic"
        )
    return LlmDetector(chat, settings.boundaries, settings.models.prompts.get("boundary", ""))


__all__ = ["LlmDetector", "SemanticDetector", "open_detector"]
