"""Folders of Mneme's own: those that are private to its user, and the cache of what can be made again.

What Mneme writes is for its own user alone. A process of Mneme's own makes all its files so, those of LanceDB, SQLite and
Bytewax too: ``private_process``, once, where it begins. A library must not change that for the program that it is in: from
Python the folder MNEME_DATA is closed (``private_folder``), and the files in it have the rights that the program gives its
files.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from connectors.durable import whole_file
from mneme.errors import SettingsError

_SHARED = 0o1000  # the sticky bit: /tmp and its like
_OF_OTHERS = 0o077


def private_process() -> None:
    """Make all files and folders of this process, and of those that it starts, with no rights for others."""
    os.umask(_OF_OTHERS)


def private_folder(folder: Path, make: bool = True) -> Path:
    """A folder with the rights 0700, which close all that is in it, whatever rights that has; made if it is missing.

    One that was there is tightened, too, but neither a folder of somebody else's (of a volume that is mounted) nor one that
    is for everybody: who made those has said who may come in.

    What cannot be made is no error here: whoever writes into it says what is wrong, in its own words.

    Args:
        folder: made with all above it, for which the umask of the process holds.
        make: else one that is missing stays so.
    """
    with suppress(OSError):
        if make:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        mode = folder.stat().st_mode
        if mode & _OF_OTHERS and not mode & _SHARED:
            folder.chmod(mode & 0o7777 & ~_OF_OTHERS)
    return folder


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
    """The file, made if it is not there; ``make`` writes it at the path it is given (see ``whole_file``).

    Raises:
        SettingsError: the cache cannot be written.
    """
    if file.is_file():
        return file
    try:
        with whole_file(file) as draft:
            make(draft)
    except OSError as error:
        if not file.is_file():  # it may be there, on a file system whose folders cannot be synchronised
            raise SettingsError(
                f"MNEME_CACHE: {file} cannot be written ({error.strerror}); set it to a writable folder"
            ) from error
    return file
