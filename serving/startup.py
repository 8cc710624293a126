"""A quicker start of the program ``mneme``, and fewer runs of the garbage collector."""

import gc

import mneme
import queries
from flows.running.child_process import begin

_is_program = False


def begin_program() -> None:
    """Say that this process is the program ``mneme``, and ours alone: files are private, and garbage is looked for less often.

    What imports make stays, and to go through it again and again is a tenth of a start.
    """
    global _is_program
    _is_program = True
    begin()


def freeze_startup_objects() -> None:
    """Say that this process has started and will run for long: what is there by now is not looked through again for garbage.

    That is modules, models and settings, which stay until the end; what comes later is collected as ever.
    """
    if _is_program:
        gc.collect()
        gc.freeze()


def connect(url: str | None) -> "queries.Memories":
    """``Memories.connect`` by the settings of the environment, for a command that asks once and ends.

    Raises:
        SettingsError: a setting is wrong.
        StoreError: the index cannot be opened.
    """
    if _is_program:
        gc.disable()
    return queries.Memories.connect(mneme.load_settings(), url=url)
