"""A quicker start of the program ``mneme``, and fewer runs of the garbage collector."""

import gc
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

from flows.running.child_process import begin

if TYPE_CHECKING:
    from queries import Memories


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


def connect(url: str | None) -> "Memories":
    """``Memories.connect`` by the settings of the environment, for a command that asks once and ends.

    Raises:
        SettingsError: a setting is wrong.
        StoreError: the index cannot be opened.
    """
    if _is_program:
        gc.disable()
    from mneme.settings import load_settings
    from queries import Memories

    settings = load_settings()
    if _is_program and settings.index.backend == "embedded" and not (url or settings.service.url):
        import_arrow_without_pandas()
    return Memories.connect(settings, url=url)


def import_arrow_without_pandas() -> None:
    """Import pyarrow's datasets, which bring pandas along wherever it is installed: .3 s for what nothing here uses.

    Pyarrow then takes it for this whole process that there is no pandas, so that only a program may do this, never a library.
    """
    hidden = _PandasHidden()
    sys.meta_path.insert(0, hidden)
    try:
        import pyarrow.dataset  # noqa: F401
    except ModuleNotFoundError:  # whoever needs it says so
        pass
    finally:
        sys.meta_path.remove(hidden)


class _PandasHidden(MetaPathFinder):
    """Finder that says that pandas is not installed. Pyarrow looks for it in Cython, which takes no None in ``sys.modules``."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """See ``MetaPathFinder``."""
        if fullname == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=fullname)
        return None
