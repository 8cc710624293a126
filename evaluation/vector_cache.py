"""Vectors of many texts, kept in a file for the next run: on a small machine they take minutes.

The file holds the SHA-256 of each text and its vector, no text; and which embedder made them.
"""

import hashlib
import zipfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from connectors.models import open_embedder
from mneme.errors import InputError
from mneme.rows import Vector
from mneme.settings import Settings

_BATCH = 500


def embed_texts(texts: Iterable[str], settings: Settings, cache: Path | None, console: Console) -> dict[str, Vector]:
    """The vector of every distinct text: from ``cache`` as far as it goes, and the others added to it.

    Raises:
        InputError: the cache is no such file, is of another embedder, or cannot be written.
        SettingsError: the embedder cannot be opened.
        ModelError: it does not answer.
    """
    keys = {text: hashlib.sha256(text.encode()).hexdigest() for text in texts}
    with closing(open_embedder(settings)) as embedder:
        fingerprint = embedder.identity.fingerprint
        known = _load(cache, fingerprint) if cache and cache.exists() else {}
        missing = sorted(text for text, key in keys.items() if key not in known)
        for at in track(range(0, len(missing), _BATCH), "embedding", console=console, transient=True, disable=not missing):
            batch = missing[at : at + _BATCH]
            known |= zip((keys[text] for text in batch), embedder.embed(batch), strict=True)
    if cache and missing:
        _save(cache, fingerprint, known)
    return {text: known[key] for text, key in keys.items()}


def _load(cache: Path, fingerprint: str) -> dict[str, Vector]:
    try:
        with np.load(cache) as stored:
            made_by, keys, vectors = str(stored["embedder"]), stored["keys"].tolist(), stored["vectors"]
    except (OSError, EOFError, ValueError, KeyError, AttributeError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(f"vectors: {cache} is no cache of vectors ({error}); delete it or name another file") from error
    if made_by != fingerprint:
        raise InputError(f"vectors: {cache} is of embedder {made_by}, not of {fingerprint}; delete it or name another file")
    return dict(zip(keys, vectors, strict=True))


def _save(cache: Path, fingerprint: str, known: dict[str, Vector]) -> None:
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with cache.open("wb") as file:
            np.savez(
                file,
                embedder=np.array(fingerprint),
                keys=np.array(list(known)),
                vectors=np.stack(list(known.values())),
            )
    except OSError as error:
        raise InputError(f"vectors: {cache} cannot be written ({error.strerror}); name another file") from error
