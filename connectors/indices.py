"""Which index is used, by the settings."""

import time
from collections.abc import Callable

from mneme.errors import SettingsError
from mneme.ports import MemoryIndex
from mneme.settings import Settings


def open_index(settings: Settings, read_only: bool = False, pause: Callable[[float], None] = time.sleep) -> MemoryIndex:
    """The index of ``index.backend``, not yet prepared. The other backend's packages need not be installed.

    The embedded index has one writing process; whoever only searches opens it ``read_only``, beside that process.
    Opened ``read_only``, neither index creates anything.
    ``pause`` waits some seconds before what a server refused for now is tried again; what it raises ends the attempts.

    Raises:
        SettingsError: the backend's package is not installed, or its settings cannot be used.
    """
    try:
        if settings.index.backend == "opensearch":
            from connectors.opensearch import OpenSearchIndex

            return OpenSearchIndex(settings.opensearch, pause, read_only)
        from connectors.lancedb import LanceIndex

        return LanceIndex(settings.data / "index", read_only)
    except ModuleNotFoundError as error:
        extra = settings.index.backend
        raise SettingsError(
            f"MNEME_INDEX__BACKEND: {extra!r} needs the package {error.name}; install it with pip install 'mneme[{extra}]'"
        ) from error
