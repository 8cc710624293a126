"""The models that the settings name. What a provider needs is imported only when it is chosen."""

from mneme.ports import Embedder, RememberingChat
from mneme.settings import Settings

ANSWERS_FILE = "answers.sqlite"


def open_embedder(settings: Settings) -> Embedder:
    """The embedder of ``MNEME_EMBEDDER__PROVIDER``.

    Raises:
        SettingsError: it lacks weights, a package or an address; says what to do.
    """
    match settings.embedder.provider:
        case "local":
            from connectors.minilm import MiniLmEmbedder

            return MiniLmEmbedder(settings.embedder, settings.cache)
        case "openai":
            from connectors.openai_embedder import OpenAiEmbedder

            return OpenAiEmbedder(settings.embedder)
        case "hash":
            from connectors.hash_embedder import HashEmbedder

            return HashEmbedder()


def open_chat_model(settings: Settings) -> RememberingChat | None:
    """The chat model of ``MNEME_MODELS__PROVIDER``, with its answers cached in the data folder; None for ``none``.

    Raises:
        SettingsError: a role or an address is wrong.
        StoreUnavailable: the data folder cannot be written.
    """
    match settings.models.provider:
        case "none":
            return None
        case "openai":
            from connectors.answer_cache import CachedChat
            from connectors.openai_chat import OpenAiChat

            return CachedChat(OpenAiChat(settings.models), settings.data / ANSWERS_FILE)
