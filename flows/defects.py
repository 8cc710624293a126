"""Defects: errors that nobody foresaw. One must cost what it happened to, never the stream at every start."""

import traceback

from mneme.errors import MnemeError

_SHOWN = 1_500  # characters of a traceback: its end fits into the reason of a dead letter


def is_defect(error: BaseException) -> bool:
    """Whether the program itself is wrong, and not the outside: a store, a model, the disk, the memory."""
    return isinstance(error, Exception) and not isinstance(error, MnemeError | OSError | MemoryError)


def end_of_traceback(error: BaseException) -> str:
    """Where it happened, and what: the last line is the error itself."""
    return "".join(traceback.format_exception(error))[-_SHOWN:].strip()
