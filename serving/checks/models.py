"""Models: the embedder, and what is behind endpoints. Those are asked something only if that is wanted: it may cost money."""

from collections.abc import Callable, Iterator

from pydantic import BaseModel

from mneme.errors import MnemeError
from mneme.settings import Settings
from serving.checks.check import Check

_SECONDS = 6.0  # for one call
_NOT_ASKED = "not asked; --call does"


class _Ready(BaseModel):
    """What a chat model is asked for."""

    ready: bool


def models(settings: Settings, call: bool) -> Iterator[Check]:
    """Embedder, chat model, reranker and transcription of the settings."""
    yield _embedder(settings, call)
    chat, rerank, sound = settings.models, settings.rerank, settings.transcription
    if chat.provider == "none":
        yield Check("models", "chat model", "none: rules and quotes instead", "ready")
    elif chat.recordings is not None:
        there = chat.recordings.exists()
        remedy = "" if there else f"{chat.recordings} is not there; correct MNEME_MODELS__RECORDINGS"
        yield Check("models", "chat model", f"recordings {chat.recordings}", "ready" if there else "missing", remedy, not there)
    else:
        yield _asked("chat model", f"{chat.default} at {_host(chat.base_url)}", call, lambda: _ask_chat(settings))
    if rerank.provider == "endpoint" and rerank.base_url is not None:
        yield _asked("reranker", _host(rerank.base_url), call, lambda: _ask_reranker(settings), needed=False)
    if sound.provider == "openai":
        yield Check("models", "transcription", f"{sound.model} at {_host(sound.base_url)}, not asked", "ready")


def _embedder(settings: Settings, call: bool) -> Check:
    from connectors.models import open_embedder

    embedder = None
    try:
        embedder = open_embedder(settings)
        by = f"{embedder.identity.fingerprint}"
        if settings.embedder.provider != "openai" or call:
            embedder.embed(["ready?"])
        else:
            by += f", {_NOT_ASKED}"
        return Check("models", "embedder", by, "ready")
    except MnemeError as error:
        return Check("models", "embedder", settings.embedder.provider, "missing", str(error), needed=True)
    finally:
        if embedder is not None:
            embedder.close()


def _asked(name: str, by: str, call: bool, ask: Callable[[], None], needed: bool = True) -> Check:
    if not call:
        return Check("models", name, f"{by}, {_NOT_ASKED}", "ready")
    try:
        ask()
    except MnemeError as error:
        return Check("models", name, by, "missing", str(error), needed)
    return Check("models", name, f"{by} answers", "ready")


def _ask_chat(settings: Settings) -> None:
    from connectors.models import open_chat_for_queries
    from mneme.ports import Prompt, Role

    chat = open_chat_for_queries(settings, _SECONDS, repair=False)
    try:
        chat.answer(Prompt(Role.ANSWER, "Answer in JSON.", "Say that you are ready."), _Ready)
    finally:
        chat.close()


def _ask_reranker(settings: Settings) -> None:
    from connectors.endpoints.rerank import RerankEndpoint

    reranker = RerankEndpoint(settings.rerank)
    try:
        reranker.rerank("ready?", ["I am ready.", "Nothing."])
    finally:
        reranker.close()


def _host(url: str) -> str:
    """A URL as it may be shown: without user and password."""
    from urllib.parse import urlsplit, urlunsplit

    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
