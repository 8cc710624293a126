"""Counting a model's tokens: exactly where tiktoken's ranks are at hand, else by estimate. Never over the network."""

import hashlib
import importlib.util
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.text import estimate_tokens

if TYPE_CHECKING:
    from tiktoken import Encoding

_log = logging.getLogger(__name__)
_loading = threading.Lock()

_DEFAULT_ENCODING = "o200k_base"

# Under which name tiktoken keeps the ranks of an encoding, and their sha256 (both are constants of tiktoken).
_RANKS = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
_CACHE_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")

# Packages that bring ranks along, and where.
_BUNDLES = (("litellm", "litellm_core_utils/tokenizers"), ("llama_index", "core/_static/tiktoken_cache"))


def token_counter(model: str = "") -> Callable[[str], int]:
    """The best counter there is for a model's tokens; a model that is not known counts as a recent one of OpenAI.

    Ranks are looked for in ``TIKTOKEN_CACHE_DIR``, in tiktoken's own cache and in installed packages that bundle them,
    and used only if their hash is right. Without any it is ``estimate_tokens``: then leave a margin of 15 to 20 %.

    Args:
        model: the name of a model.
    """
    try:
        import tiktoken
    except ImportError:
        return estimate_tokens
    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        name = _DEFAULT_ENCODING
    encoding = _load(name)
    if encoding is None:
        _log.info("tokens are estimated: no ranks of %s are at hand (set TIKTOKEN_CACHE_DIR to a folder with them)", name)
        return estimate_tokens
    return lambda text: len(encoding.encode_ordinary(text))


def _load(name: str) -> "Encoding | None":
    """The encoding, from ranks whose hash is right: of others tiktoken would delete the file, and download it."""
    import tiktoken

    if name not in _RANKS:
        return None
    file_name, sha256 = _RANKS[name]
    folder = next((each for each in _folders() if _is_intact(each / file_name, sha256)), None)
    if folder is None:
        return None
    with _loading, _variable(_CACHE_VARIABLES[0], str(folder)):  # tiktoken cannot be told in another way
        return tiktoken.get_encoding(name)


def _folders() -> Iterator[Path]:
    """The folders that may hold ranks; nothing is imported."""
    yield from (Path(os.environ[name]) for name in _CACHE_VARIABLES if os.environ.get(name))
    yield Path(tempfile.gettempdir()) / "data-gym-cache"
    for package, folder in _BUNDLES:
        spec = importlib.util.find_spec(package)
        yield from (Path(place) / folder for place in ((spec.submodule_search_locations or []) if spec else []))


def _is_intact(file: Path, sha256: str) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == sha256


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
