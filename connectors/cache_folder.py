"""Where files are kept that can be made again: the converted local model, token ranks."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from mneme.errors import SettingsError


def cache_folder(name: str, cache: Path | None = None) -> Path:
    """A folder inside the cache, made if it is not there.

    The cache is ``cache`` (the setting ``MNEME_CACHE``), else ``$XDG_CACHE_HOME/mneme``, else ``~/.cache/mneme``.

    Raises:
        SettingsError: it cannot be made.
    """
    folder = (cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mneme") / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"MNEME_CACHE: {folder} cannot be made ({error.strerror}); set it to a writable folder") from error
    return folder


def make_once(file: Path, make: Callable[[Path], None]) -> Path:
    """The file, made if it is not there; ``make`` writes it at the path it is given.

    Whole or not at all: it is written beside its place and renamed, so that a crash or a second process that makes
    the same file at the same time does no harm (the later rename wins, with the same content).

    Raises:
        SettingsError: the cache cannot be written.
    """
    if file.is_file():
        return file
    try:
        with tempfile.TemporaryDirectory(prefix=f".{file.name}-", dir=file.parent) as workplace:
            draft = Path(workplace) / file.name
            make(draft)
            with draft.open("rb+") as written:
                os.fsync(written.fileno())
            draft.replace(file)
    except OSError as error:
        raise SettingsError(f"MNEME_CACHE: {file} cannot be written ({error.strerror}); set it to a writable folder") from error
    with suppress(OSError):  # not every file system lets a folder be synchronised; the file then is made again
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    return file
