"""Places where documents lie: folders of this machine, and stores (``s3://``, ``gs://``, ``az://``) through fsspec.

The tools of each store configure its address and rights: ``AWS_PROFILE``, ``AWS_ENDPOINT_URL``,
``GOOGLE_APPLICATION_CREDENTIALS``, ``AZURE_STORAGE_CONNECTION_STRING`` and their files. Messages of a store are never passed
on: they may hold names, addresses and keys.
"""

import asyncio
import errno
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from mneme.errors import SettingsError, StoreUnavailable
from mneme.ids import lasting_name, make_id
from mneme.settings import Documents, Settings

ROOTS, STORE = "MNEME_DOCUMENTS__ROOTS", "MNEME_DOCUMENTS__STORE"
TENANT = "{tenant}"

PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs", "memory": "fsspec"}  # of a scheme; memory is for tests
_READABLE = f"a folder, file:///folder, or one of {', '.join(f'{scheme}://' for scheme in PACKAGES if scheme != 'memory')}"


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix of a store: ``s3://bucket/letters`` has the base ``bucket/letters``."""

    scheme: str
    base: str

    def of(self, tenant_id: str) -> str:
        """The base for a tenant."""
        return self.base.replace(TENANT, tenant_folder(tenant_id))


def documents_of(settings: Settings) -> Documents:
    """The settings of documents. With an inbox and no store, ``uploads`` in ``MNEME_DATA`` is the store."""
    documents = settings.documents
    if settings.intake != "inbox" or documents.store:
        return documents
    uploads = str(uploads_of(settings).absolute() / TENANT)
    return documents.model_copy(update={"store": uploads, "roots": (*documents.roots, uploads)})


def uploads_of(settings: Settings) -> Path:
    """The folder of that store."""
    return settings.data / "uploads"


def place_of(text: str, setting: str) -> Path | Prefix:
    """Parse the place that a setting names.

    Raises:
        SettingsError: it is no place that documents are read from. The text is not told: it may hold a password.
    """
    scheme, separator, rest = text.partition("://")
    if not separator:
        if not text.strip():
            raise SettingsError(f"{setting}: a place is empty; name {_READABLE}")
        return Path(text)
    if scheme == "file":
        parts = urlsplit(text)
        if parts.netloc or not parts.path.startswith("/") or parts.query or parts.fragment:
            raise SettingsError(f"{setting}: a file:// place is no folder of this machine; write file:///folder")
        return Path(unquote(parts.path))
    if scheme not in PACKAGES:
        raise SettingsError(f"{setting}: {scheme[:20]}:// is never read; name {_READABLE}")
    base = rest.rstrip("/")
    if not is_plain(base) or "@" in base.partition("/")[0]:
        raise SettingsError(f"{setting}: a place is not of the form {scheme}://bucket/prefix; correct it, without a password")
    return Prefix(scheme, base)


def is_plain(key: str) -> bool:
    """True if ``bucket/folder/name`` can mean nothing but what it says: no empty name, no ``..``, no control character."""
    return all(name not in ("", ".", "..") for name in key.split("/")) and all(ord(each) >= 32 for each in key)


def tenant_folder(tenant_id: str) -> str:
    """The value of ``{tenant}``: the id with all but plain characters percent-encoded."""
    folder = lasting_name(make_id(tenant_id))
    return f"%2E{folder[1:]}" if folder.startswith(".") else folder  # a tenant that is called ".."


TIMEOUT_SECONDS = 60.0  # of one request, with the client's own attempts
_SLOWEST = 1_000_000  # bytes in a second; what moves more has more time
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
_WRONG = (ValueError, TypeError, KeyError, AttributeError, NotImplementedError)  # how clients refuse names and settings
_FOR_GOOD = frozenset({errno.EINVAL, errno.ENAMETOOLONG, errno.EPERM, errno.ENOSYS, errno.ENOENT})
_AGAIN = frozenset({408, 425, 429})
_WRITTEN = ("LastModified", "mtime", "last_modified", "created")  # of S3, Google, Azure, and fsspec's memory


class Refused(Exception):
    """A store will never do what was asked; the message says why, and the remedy."""


class Absent(Refused):
    """There is nothing of that name."""


class Store:
    """One kind of store. A key is ``bucket/folder/name``.

    Args:
        scheme: one of ``PACKAGES``.
        seconds: for one request, and a second more for each megabyte that it may move.
    """

    def __init__(self, scheme: str, seconds: float = TIMEOUT_SECONDS) -> None:
        self._scheme = scheme
        self._seconds = seconds
        self._opening = threading.Lock()
        self._system: Any = None

    def read(self, key: str, largest_bytes: int) -> bytes:
        """An object. Its size is asked for first, and no more than the limit is fetched whatever the answer was.

        Raises:
            Refused: there is none, it may not be read, it is too large, or the package of the store is missing.
            StoreUnavailable: no answer, or a passing error.
        """
        info = self._request(0, "info", key)
        if info.get("type", "file") != "file":
            raise Refused("it is a folder; name one object")
        size = info.get("size")
        if size == 0:  # of nothing no range can be asked for
            return b""
        content = b""
        if size is None or size <= largest_bytes:
            moved = largest_bytes if size is None else size
            content = bytes(self._request(moved, "cat_file", key, start=0, end=largest_bytes + 1))
            size = len(content)
        if size > largest_bytes:
            raise Refused(f"it has more than {largest_bytes} bytes; split it, or raise MNEME_DOCUMENTS__LARGEST_BYTES")
        return content

    def write(self, key: str, content: bytes) -> None:
        """Put an object, whole or not at all.

        Raises:
            Refused: it may not be written, or the package of the store is missing.
            StoreUnavailable: no answer, or a passing error.
        """
        self._request(len(content), "pipe_file", key, content)

    def list(self, prefix: str) -> dict[str, datetime | None]:
        """The objects under ``prefix/``, at any depth: the key of each, and when it was written, aware (None: not told).

        Many stores tell whole seconds.

        Raises:
            Refused: there is no such bucket, they may not be listed, or the package of the store is missing.
            StoreUnavailable: no answer, or a passing error.
        """
        objects = self._request(0, "find", prefix, detail=True)
        files = {key.lstrip("/"): told for key, told in objects.items() if told.get("type", "file") == "file"}
        return {key: _written_at(told) for key, told in files.items() if key.startswith(f"{prefix}/")}

    def remove(self, key: str) -> None:
        """Delete an object; one that is not there is deleted.

        Raises:
            Refused: it may not be deleted, or the package of the store is missing.
            StoreUnavailable: no answer, or a passing error.
        """
        with suppress(Absent):
            self._request(0, "rm_file", key)

    def _request(self, moved: int, request: str, *arguments: Any, **options: Any) -> Any:
        try:
            system = self._opened()
            if not system.async_impl:
                return getattr(system, request)(*arguments, **options)
            # Asked on fsspec's own loop, so that a request that takes too long is ended, not left behind.
            seconds = self._seconds + moved / _SLOWEST
            answer = asyncio.wait_for(getattr(system, f"_{request}")(*arguments, **options), seconds)
            return asyncio.run_coroutine_threadsafe(answer, system.loop).result()
        except ImportError as error:
            raise Refused(f"{self._scheme}:// needs the package {_package(self._scheme, error)}") from error
        except Exception as error:
            reason = _refusal(error)
            if reason is None:
                raise StoreUnavailable(
                    f"{self._scheme}://: the store does not answer ({type(error).__name__}); is it up, and reachable from here?"
                ) from error
            raise (Absent if isinstance(error, _ABSENT) else Refused)(reason) from error

    def _opened(self) -> Any:
        import fsspec

        with self._opening:
            if self._system is None:  # kept here: fsspec would keep one for each thread that ever asked
                self._system = fsspec.filesystem(self._scheme, use_listings_cache=False, skip_instance_cache=True)
        return self._system


def _written_at(info: Mapping[str, Any]) -> datetime | None:
    """The time at which an object was written. Stores give a date, or seconds since 1970."""
    moment = next((info[name] for name in _WRITTEN if info.get(name) is not None), None)
    if isinstance(moment, int | float):
        moment = datetime.fromtimestamp(moment, UTC)
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _package(scheme: str, error: ImportError) -> str:
    package = PACKAGES[scheme]
    needed = package if error.name in (None, package) or package == "fsspec" else f"{package} (whole: {error.name} is missing)"
    return f"{needed}; pip install {package}"


def _refusal(error: Exception) -> str | None:
    """Why a request will never succeed; None if it may later. Clients of stores share no tree of errors, only habits."""
    if isinstance(error, _ABSENT):
        return "the store has nothing there; correct it, or put the object there"
    status = next(
        (code for name in ("status", "status_code", "code") if isinstance(code := getattr(error, name, None), int)), 0
    )
    if isinstance(error, PermissionError) or "Credential" in type(error).__name__ or status in (401, 403):
        return "the store refuses us; check the credentials that the store's own tools use, and their rights"
    if isinstance(error, TimeoutError | ConnectionError):
        return None
    is_wrong = isinstance(error, _WRONG) or "Validation" in type(error).__name__
    if is_wrong or (isinstance(error, OSError) and error.errno in _FOR_GOOD):
        return "the store refuses the name, or what is set for it; correct it"
    if 400 <= status < 500 and status not in _AGAIN:
        return "the store refuses the request; correct it"
    return None
