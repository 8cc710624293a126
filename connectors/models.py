"""The models that the settings name. What a provider needs is imported only when it is chosen."""

from connectors.embedders import has_token_vectors, is_multilingual
from connectors.folders import private_folder
from connectors.indices import embedder_of_store
from mneme.errors import SettingsError
from mneme.ports import Describer, Embedder, QueryChat, RememberingChat, Role, Transcriber
from mneme.settings import EmbedderSettings, Settings

ANSWERS_FILE = "answers.sqlite"
_RETRIES_OF_QUERIES = 2  # six seconds of waiting at most: who asks would rather have quotes than wait for a dead endpoint


def open_embedder(settings: Settings) -> Embedder:
    """The embedder of ``MNEME_EMBEDDER__PROVIDER``.

    Raises:
        SettingsError: it lacks weights, a package or an address; says what to do.
    """
    match settings.embedder.provider:
        case "local":
            from connectors.embedders.local_embedder import LocalEmbedder

            return LocalEmbedder(_as_the_store(settings), settings.cache)
        case "openai":
            from connectors.embedders.openai_embedder import OpenAiEmbedder

            return OpenAiEmbedder(settings.embedder)
        case "hash":
            from connectors.embedders.hash_embedder import HashEmbedder

            return HashEmbedder()


def _as_the_store(settings: Settings) -> EmbedderSettings:
    """The settings of the embedder; where nobody said which of its vectors there are, it is as the store was made."""
    own = settings.embedder
    if None not in (own.multilingual, own.token_vectors) or (made_by := embedder_of_store(settings)) is None:
        return own
    as_made = {"multilingual": is_multilingual(made_by), "token_vectors": has_token_vectors(made_by)}
    return own.model_copy(update={name: value for name, value in as_made.items() if getattr(own, name) is None})


def open_chat_model(settings: Settings, hands_back: bool = False) -> RememberingChat | None:
    """The chat model of ``MNEME_MODELS__PROVIDER``, with its answers cached in the data folder; None for ``none``.

    Args:
        settings: of the program.
        hands_back: whether a call raises ModelPaused at once when the endpoint asks for time, in place of waiting.

    Raises:
        SettingsError: a role or an address is wrong.
        StoreUnavailable: the data folder cannot be written.
    """
    match settings.models.provider:
        case "none":
            return None
        case "openai":
            from connectors.endpoints.answer_cache import CachedChat
            from connectors.endpoints.openai_chat import OpenAiChat

            chat = OpenAiChat(settings.models, prices=settings.telemetry.prices, hands_back=hands_back)
            return CachedChat(chat, private_folder(settings.data) / ANSWERS_FILE)


def open_describer(settings: Settings) -> Describer | None:
    """The describer of pictures: the chat model that is named for the role ``vision``, with its answers cached in the data
    folder. None where no model is named for it: not every chat model sees.

    Raises:
        SettingsError: a role or an address is wrong.
        StoreUnavailable: the data folder cannot be written.
    """
    if Role.VISION not in settings.models.by_role:
        return None
    chat = open_chat_model(settings)
    if chat is None:
        return None
    from connectors.endpoints.pictures import PictureDescriber

    return PictureDescriber(chat, settings.models.output_language, settings.models.prompts.get("vision", ""))


def open_transcriber(settings: Settings) -> Transcriber | None:
    """The transcriber of ``MNEME_TRANSCRIPTION__PROVIDER``, with its transcripts cached in the data folder; None
    for ``none``.

    Raises:
        SettingsError: an address or a key is wrong.
        StoreUnavailable: the data folder cannot be written.
    """
    match settings.transcription.provider:
        case "none":
            return None
        case "openai":
            from connectors.endpoints.transcription import CachedTranscriber, TranscriptionEndpoint

            endpoint = TranscriptionEndpoint(settings.transcription, settings.models)
            return CachedTranscriber(endpoint, private_folder(settings.data) / ANSWERS_FILE)


def open_chat_for_queries(
    settings: Settings, deadline_seconds: float, repair: bool = True, hands_back: bool = True
) -> QueryChat:
    """The chat model of ``MNEME_MODELS__PROVIDER`` for somebody who waits: nothing of a search is kept on the disk.

    Args:
        settings: of the program.
        deadline_seconds: for one call with its retries, in place of that of the settings.
        repair: whether an answer that does not fit is asked for once more; False where calls are counted.
        hands_back: whether a call raises ModelPaused at once when the endpoint asks for time; False where nobody waits.

    Raises:
        SettingsError: there is none, or a role or an address is wrong.
    """
    if settings.models.provider == "none":
        raise SettingsError("MNEME_MODELS__PROVIDER is none, and a chat model is asked for; set it to openai")
    from connectors.endpoints.openai_chat import OpenAiChat

    shorter = {"deadline_seconds": deadline_seconds, "retries": min(settings.models.retries, _RETRIES_OF_QUERIES)}
    return OpenAiChat(
        settings.models.model_copy(update=shorter), repair=repair, prices=settings.telemetry.prices, hands_back=hands_back
    )
