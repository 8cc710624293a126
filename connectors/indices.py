"""The index that the settings name."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from connectors.clients import without_credentials
from connectors.folders import private_folder
from mneme.errors import SettingsError, StoreError
from mneme.ports import Generations, MemoryIndex
from mneme.settings import Settings
from mneme.store_format import check_format

_FOLDER = "index"  # of the embedded one, in MNEME_DATA


def embedded_folder(settings: Settings) -> Path:
    """The folder of the embedded index, with the lock of the process that writes to it."""
    return settings.data / _FOLDER


def index_place(settings: Settings) -> str:
    """The place of the memory, as it may be shown."""
    if settings.index.backend == "embedded":
        return f"the embedded index in {settings.data}"
    return f"OpenSearch at {without_credentials(settings.opensearch.url)}"


def check_embedded_format(settings: Settings) -> None:
    """Refuse an embedded index of another format before it is served: its flow would end again and again.

    Raises:
        StoreRejected: names what makes an older one anew.
    """
    from connectors.lance.generation_folders import MANIFEST, read_manifest

    path = embedded_folder(settings) / MANIFEST
    if settings.index.backend == "embedded" and path.exists():
        check_format(str(path.parent), read_manifest(path).get("format"))


def open_index(
    settings: Settings, read_only: bool = False, pause: Callable[[float], None] = time.sleep, any_format: bool = False
) -> MemoryIndex:
    """The index of ``index.backend``, not yet prepared. The other backend's packages need not be installed.

    The embedded index has one writing process; whoever only searches opens it ``read_only``, beside that process.
    Opened ``read_only``, neither index creates anything.
    ``pause`` waits some seconds before what a server refused for now is tried again; what it raises ends the attempts.
    A rebuild reads ``any_format``; everybody else is told to rebuild.

    Raises:
        SettingsError: the backend's package is not installed, or its settings cannot be used.
    """
    is_embedded = settings.index.backend == "embedded"
    private_folder(settings.data, make=is_embedded and not read_only)
    with _named_extras(settings):
        if not is_embedded:
            from connectors.opensearch.index import OpenSearchIndex

            cache_bytes = settings.index.cache_megabytes * 1_000_000 if read_only else None
            return OpenSearchIndex(settings.opensearch, pause, read_only, cache_bytes=cache_bytes, any_format=any_format)
        from connectors.lance.index import LanceIndex

        cache_bytes = settings.index.cache_megabytes * 1_000_000
        return LanceIndex(embedded_folder(settings), read_only, cache_bytes, any_format=any_format)


def open_generations(settings: Settings) -> Generations:
    """The generations of the index of ``index.backend``.

    Raises:
        SettingsError: the backend's package is not installed, or its settings cannot be used.
    """
    with _named_extras(settings):
        if settings.index.backend == "opensearch":
            from connectors.opensearch.generations import OpenSearchGenerations

            return OpenSearchGenerations(settings.opensearch)
        from connectors.lance.generations import LanceGenerations

        return LanceGenerations(embedded_folder(settings))


def embedder_of_store(settings: Settings) -> str | None:
    """The fingerprint of the vectors that the index holds; None where there is no index, or none that can be asked.

    Raises:
        SettingsError: the backend's package is not installed, or its settings cannot be used.
    """
    with closing(open_generations(settings)) as generations, suppress(StoreError):
        return generations.made_for()["embedder"]
    return None


@contextmanager
def _named_extras(settings: Settings) -> Iterator[None]:
    """A package that is missing, with how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = settings.index.backend
        raise SettingsError(
            f"MNEME_INDEX__BACKEND: {extra!r} needs the package {error.name}; run pip install 'mneme-river[{extra}]'"
        ) from error
