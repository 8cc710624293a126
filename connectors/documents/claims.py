"""How an event carries a document: within it, or by a claim check.

A claim check: what is too large for an event is left where the reader can fetch it, under its hash, and the event carries
its URI and hash in place of it. It lies in a folder of its document, in one of its owner, so that an erasure finds it
(erased_claims.py).
"""

import errno
import os
from base64 import b64encode
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from uuid import uuid4

from connectors.documents.roots import ROOTS, STORE, TENANT, Prefix, place_of, tenant_folder
from connectors.documents.stores import Refused, Store
from mneme.errors import DiskFull, InputError, StoreRejected, StoreUnavailable
from mneme.ids import content_hash, lasting_name, short_hash
from mneme.records import Owner
from mneme.settings import Documents

_LARGEST = "MNEME_DOCUMENTS__LARGEST_BYTES"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_ATTEMPTS = 5  # to leave a file in a folder that an erasure may take away, empty, at the same time


@dataclass(frozen=True, slots=True)
class Carried:
    """The fields of a document event that carry its content: one of content, data and uri; sha256 goes with uri."""

    content: str | None = None
    data: str | None = None
    uri: str | None = None
    sha256: str | None = None


class Carrier:
    """Gives contents the form in which an event carries them. Safe for several threads.

    Args:
        settings: how much an event carries, and where the rest is left.

    Raises:
        SettingsError: that is no place that documents are read from.
    """

    def __init__(self, settings: Documents) -> None:
        self._settings = settings
        self._place = place_of(settings.store, STORE) if settings.store else None
        self._store = Store(self._place.scheme) if isinstance(self._place, Prefix) else None

    @property
    def inline_bytes(self) -> int:
        """The most of a document that an event itself carries."""
        return self._settings.inline_bytes

    def read(self, path: Path) -> bytes:
        """A file that is to be carried.

        Raises:
            InputError: it cannot be read, or is too large.
        """
        try:
            with path.open("rb") as file:
                return file.read(self._settings.largest_bytes + 1)
        except OSError as error:
            raise InputError(
                f"{path.name}: {(error.strerror or 'it cannot be read').lower()}; give the path of a file"
            ) from error

    def carry(self, content: bytes, owner: Owner, document_id: str) -> Carried:
        """Text as it is, other bytes as base64, and by claim check what is too large.

        What is left once more is the same file or object, for its name is its hash, but written anew: its time of change
        tells whether an erasure came after it.

        Raises:
            InputError: it is larger than the reader takes, or too large for an event and no place is set for claim checks.
            StoreRejected, StoreUnavailable: it cannot be left in that place.
        """
        size, limits = len(content), self._settings
        if size > limits.largest_bytes:
            raise InputError(
                f"content: over {limits.largest_bytes} bytes, the most that is read; split it, or raise {_LARGEST}"
            )
        if size <= limits.inline_bytes:
            text = text_of(content)
            return Carried(content=text) if text is not None else Carried(data=b64encode(content).decode("ascii"))
        if self._place is None:
            raise InputError(
                f"content: {size} bytes, and an event carries {limits.inline_bytes} (MNEME_DOCUMENTS__INLINE_BYTES); for more "
                f"set {STORE}, a folder or a prefix of a store (s3://bucket/prefix) that the flow reads ({ROOTS} there)"
            )
        digest = content_hash(content)
        if isinstance(self._place, Path):
            return Carried(uri=_leave(self._place, owner, document_id, digest, content), sha256=digest)
        key = f"{folder_of_claims(self._place.base, owner, document_id)}/{digest}"
        assert self._store is not None, "made with the place"
        try:
            self._store.write(key, content)
        except Refused as error:
            raise StoreRejected(f"{STORE}: {error}") from error
        return Carried(uri=f"{self._place.scheme}://{key}", sha256=digest)


def text_of(content: bytes) -> str | None:
    """Bytes that are UTF-8 text, exactly as they are; None for all others."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def folder_of_claims(place: str, owner: Owner, document_id: str | None = None) -> str:
    """Where the claims of a document lie, or below which all of an owner do. Neither has a name that tells who or what."""
    folder = f"{_of_tenant(place, owner.tenant_id)}/{short_hash(lasting_name(owner.key))}"
    return folder if document_id is None else f"{folder}/{short_hash(document_id)}"


def share_of(store: Path) -> Path:
    """What stands before the tenant is somebody's share: were it made here, the reader would not see it."""
    return Path(*takewhile(lambda part: TENANT not in part, store.parts)).absolute()


def _leave(store: Path, owner: Owner, document_id: str, digest: str, content: bytes) -> str:
    folder, share = Path(folder_of_claims(str(store), owner, document_id)).absolute(), share_of(store)
    if not share.is_dir():
        raise StoreUnavailable(f"{STORE}: the folder is not there; mount it, or make it")
    for attempt in range(_ATTEMPTS):
        try:
            _write(folder, digest, content)
            break
        except OSError as error:
            if not isinstance(error, FileNotFoundError) or attempt == _ATTEMPTS - 1:
                raise _mapped(error) from error
    return (folder / digest).as_uri()


def _write(folder: Path, name: str, content: bytes) -> None:
    """Write a file whole or not at all: under another name, then renamed when it is on the disk."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f".{name}.{uuid4().hex}"
    try:
        with written.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        written.replace(folder / name)
        for each in (folder, *folder.parents[:2]):  # of the document, the owner and the tenant
            _keep(each)
    finally:
        written.unlink(missing_ok=True)


def _keep(folder: Path) -> None:
    """A renamed file is on the disk when its folder is."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _of_tenant(place: str, tenant_id: str) -> str:
    """A place for a tenant: files of two tenants never lie in one folder."""
    return (place if TENANT in place else f"{place.rstrip('/')}/{TENANT}").replace(TENANT, tenant_folder(tenant_id))


def _mapped(error: OSError) -> StoreRejected | StoreUnavailable:
    reason = (error.strerror or "it cannot be written").lower()
    if error.errno in _NO_SPACE:
        return DiskFull(f"{STORE}: {reason}; make room there")
    if isinstance(error, PermissionError):
        return StoreRejected(f"{STORE}: {reason}; give the publisher the right to write there")
    return StoreUnavailable(f"{STORE}: {reason}; is the folder mounted?")
