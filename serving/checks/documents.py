"""What documents this machine can read."""

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING

from mneme.settings import Settings
from serving.checks.check import Check, State

if TYPE_CHECKING:
    from connectors.documents.kinds import Kind, Need


def documents(settings: Settings) -> Iterator[Check]:
    """The formats; those with the same answer are one line."""
    from connectors.documents.kinds import KINDS

    answers = [(_format(kind, settings), kind) for kind in KINDS.values()]
    for (by, state, remedy), kinds in groupby(answers, key=lambda answer: answer[0]):
        yield Check("documents", ", ".join(kind.name for _, kind in kinds), by, state, remedy)
    yield from _ocr_languages(settings)


def _format(kind: "Kind", settings: Settings) -> tuple[str, State, str]:
    """What reads a format, whether it can, and the remedy."""
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
