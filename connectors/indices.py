"""Which index is used, by the settings."""

from mneme.errors import SettingsError
from mneme.ports import MemoryIndex
from mneme.settings import Settings


def open_index(settings: Settings, read_only: bool = False) -> MemoryIndex:
    """The index of ``index.backend``, not yet prepared. The other backend's packages need not be installed.

    The embedded index has one writing process; whoever only searches opens it ``read_only``, beside that process.

    Raises:
        SettingsError: the backend's package is not installed, or its settings cannot be used.
    """
    try:
        if settings.index.backend == "opensearch":
            from connectors.opensearch import OpenSearchIndex

            return OpenSearchIndex(settings.opensearch)
        from connectors.lancedb import LanceIndex

        return LanceIndex(settings.data / "index", read_only)
    except ModuleNotFoundError as error:
        extra = settings.index.backend
        raise SettingsError(
            f"index.backend: {extra!r} needs the package {error.name}; install it with pip install 'mneme[{extra}]'"
        ) from error
