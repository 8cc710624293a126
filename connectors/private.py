"""What Mneme writes is for its own user alone.

A process of Mneme's own makes all its files so, those of LanceDB, SQLite and Bytewax too: ``private_process``, once, where it
begins. A library must not change that for the program that it is in: from Python the folder MNEME_DATA is closed
(``private_folder``), and the files in it have the rights that the program gives its files.
"""

import os
from contextlib import suppress
from pathlib import Path

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
