"""Checks of models and document formats. Models behind endpoints are asked only on request: a call may cost money."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from itertools import groupby

from pydantic import BaseModel

from connectors.clients import without_credentials
from connectors.documents.kinds import KINDS, Kind, Need
from connectors.endpoints.rerank import RerankEndpoint
from connectors.models import open_chat_for_queries, open_embedder
from mneme.errors import MnemeError
from mneme.ports import Prompt, Role
from mneme.settings import Settings
from serving.checks import Check, State, failed

_SECONDS = 6.0  # for one call
_NOT_ASKED = "not asked; --call does"


class _Ready(BaseModel):
    """Answer that is asked of a chat model."""

    ready: bool


def models(settings: Settings, call: bool) -> Iterator[Check]:
    """Embedder, chat model, reranker and transcription of the settings."""
    yield _embedder(settings, call)
    chat, rerank, sound = settings.models, settings.rerank, settings.transcription
    if chat.provider == "none":
        yield Check("models", "chat model", "none: rules and quotes instead", "ready")
    else:
        yield _asked("chat model", f"{chat.default} at {without_credentials(chat.base_url)}", call, lambda: _ask_chat(settings))
    if rerank.provider == "endpoint" and rerank.base_url is not None:
        yield _asked("reranker", without_credentials(rerank.base_url), call, lambda: _ask_reranker(settings), needed=False)
    if sound.provider == "openai":
        yield Check("models", "transcription", f"{sound.model} at {without_credentials(sound.base_url)}, not asked", "ready")


def _embedder(settings: Settings, call: bool) -> Check:
    try:
        with closing(open_embedder(settings)) as embedder:
            by = f"{embedder.identity.fingerprint}"
            if settings.embedder.provider != "openai" or call:
                embedder.embed(["ready?"])
            else:
                by += f", {_NOT_ASKED}"
            return Check("models", "embedder", by, "ready")
    except MnemeError as error:
        return failed("models", "embedder", settings.embedder.provider, error)


def _asked(name: str, by: str, call: bool, ask: Callable[[], None], needed: bool = True) -> Check:
    if not call:
        return Check("models", name, f"{by}, {_NOT_ASKED}", "ready")
    try:
        ask()
    except MnemeError as error:
        return failed("models", name, by, error, needed)
    return Check("models", name, f"{by} answers", "ready")


def _ask_chat(settings: Settings) -> None:
    with closing(open_chat_for_queries(settings, _SECONDS, repair=False)) as chat:
        chat.answer(Prompt(Role.ANSWER, "Answer in JSON.", "Say that you are ready."), _Ready)


def _ask_reranker(settings: Settings) -> None:
    with closing(RerankEndpoint(settings.rerank)) as reranker:
        reranker.rerank("ready?", ["I am ready.", "Nothing."])


def documents(settings: Settings) -> Iterator[Check]:
    """The formats; those with the same answer are one line."""
    answers = [(_format(kind, settings), kind) for kind in KINDS.values()]
    for (by, state, remedy), kinds in groupby(answers, key=lambda answer: answer[0]):
        yield Check("documents", ", ".join(kind.name for _, kind in kinds), by, state, remedy)
    yield from _ocr_languages(settings)


def _format(kind: "Kind", settings: Settings) -> tuple[str, State, str]:
    """Parser of a format, its state, and the remedy."""
    if kind.family == "sound":
        if settings.transcription.provider == "none":
            return kind.parsed_by, "missing", "recordings are kept by name; set MNEME_TRANSCRIPTION__PROVIDER"
        return f"{settings.transcription.model} at {settings.transcription.base_url}", "ready", ""
    if lacking := [module for module in kind.modules if find_spec(module) is None]:
        return kind.parsed_by, "missing", f"{', '.join(lacking)} is not installed: pip install 'mneme-river[documents]'"
    lacking_programs = [need for need in kind.needs if shutil.which(need.program) is None]
    if not lacking_programs:
        return kind.parsed_by, "ready", ""
    state: State = "partly" if all(need.optional for need in lacking_programs) else "missing"
    return kind.parsed_by, state, "; ".join(map(_remedy, lacking_programs))


def _ocr_languages(settings: Settings) -> Iterator[Check]:
    wanted = settings.documents.ocr_languages
    if shutil.which("tesseract") is None or find_spec("pytesseract") is None:
        return  # said with the formats
    from pytesseract import get_languages

    installed = get_languages()
    lacking = [language for language in wanted if language not in installed]
    packages = " ".join(f"tesseract-ocr-{language.replace('_', '-')}" for language in lacking)
    state: State = "ready" if not lacking else "partly" if len(lacking) < len(wanted) else "missing"
    remedy = f"{', '.join(lacking)} is not installed: {_install(packages, 'tesseract-lang')}" if lacking else ""
    yield Check("documents", f"languages of OCR: {', '.join(wanted)}", "tesseract", state, remedy)


def _remedy(need: "Need") -> str:
    return f"{need.program} is not installed, {need.serves} need it: {_install(need.debian, need.macos)}"


def _install(debian: str, macos: str) -> str:
    return f"brew install {macos}" if sys.platform == "darwin" else f"apt-get install {debian}"
