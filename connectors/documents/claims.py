"""Claim checks: how an event carries a document that is too large for it, and how an erasure finds it.

A large document is left where the reader can fetch it, under its hash, and the event carries its URI and hash. It lies in a
folder of its document, in one of its owner. An erasure deletes by the time of writing: a document that was sent after the
erasure keeps its claim, which was written anew for it. In a store with whole seconds, a claim of the same second is lost.
"""

import errno
import logging
import os
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from pathlib import Path

from connectors.documents.stores import ROOTS, STORE, TENANT, Prefix, Refused, Store, place_of, tenant_folder
from connectors.durable import disk_errors, sync_path, whole_file
from mneme.errors import InputError, StoreRejected, StoreUnavailable
from mneme.ids import content_hash, lasting_name, short_hash
from mneme.records import Owner
from mneme.settings import Documents
from mneme.times import to_milliseconds

_LARGEST = "MNEME_DOCUMENTS__LARGEST_BYTES"
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
    """The folder of the claims of a document, or of all claims of an owner. Its name gives neither away."""
    folder = f"{_of_tenant(place, owner.tenant_id)}/{short_hash(lasting_name(owner.key))}"
    return folder if document_id is None else f"{folder}/{short_hash(document_id)}"


def share_of(store: Path) -> Path:
    """The part of a path before the tenant: a share that must be mounted. A folder made here in its place would be unseen."""
    return Path(*takewhile(lambda part: TENANT not in part, store.parts)).absolute()


def _leave(store: Path, owner: Owner, document_id: str, digest: str, content: bytes) -> str:
    folder, share = Path(folder_of_claims(str(store), owner, document_id)).absolute(), share_of(store)
    if not share.is_dir():
        raise StoreUnavailable(f"{STORE}: the folder is not there; mount it, or make it")
    with disk_errors(STORE, "give the publisher the right to write there", "is the folder mounted?"):
        for attempt in range(_ATTEMPTS):
            try:
                _write(folder, digest, content)
                break
            except FileNotFoundError:
                if attempt == _ATTEMPTS - 1:
                    raise
    return (folder / digest).as_uri()


def _write(folder: Path, name: str, content: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(folder / name) as draft:
        draft.write_bytes(content)
    for each in folder.parents[:2]:  # of the owner and the tenant
        sync_path(each)


def _of_tenant(place: str, tenant_id: str) -> str:
    """A place for a tenant: files of two tenants never lie in one folder."""
    return (place if TENANT in place else f"{place.rstrip('/')}/{TENANT}").replace(TENANT, tenant_folder(tenant_id))


_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ErasedClaims:
    """The result of an erasure of claims: the number of deleted ones, and of those that the store refused to delete.

    A folder that may not be listed counts as one.
    """

    erased: int = 0
    refused: int = 0


def erase_claims(settings: Documents, owner: Owner, document_id: str | None, before: datetime) -> ErasedClaims:
    """Erase the claims of a document, or of all documents of an owner.

    Args:
        settings: names the store where publishers leave claims; without one nothing is done.
        owner: whose they are.
        document_id: of the document; None: all of the owner.
        before: what was written after it stays, aware.

    Raises:
        SettingsError: the store of the settings is invalid.
        StoreUnavailable: the store does not answer.
    """
    if not settings.store:
        return ErasedClaims()
    place = place_of(settings.store, STORE)
    if isinstance(place, Prefix):
        found, reason = _in_a_store(place, owner, document_id, before)
    else:
        found, reason = _in_a_folder(place, owner, document_id, before)
    if found.refused:
        log.warning("%d claim checks of an erasure stay in %s: %s", found.refused, STORE, reason)
    return found


def _in_a_store(place: Prefix, owner: Owner, document_id: str | None, before: datetime) -> tuple[ErasedClaims, str]:
    store, reason, erased, refused = Store(place.scheme), "", 0, 0
    try:
        claims = store.list(folder_of_claims(place.base, owner, document_id))
    except Refused as error:
        return ErasedClaims(refused=1), str(error)
    for key, written_at in claims.items():
        if written_at is None:
            refused, reason = refused + 1, "the store does not tell when they were written; delete them yourself"
        elif written_at <= before:
            try:
                store.remove(key)
                erased += 1
            except Refused as error:
                refused, reason = refused + 1, str(error)
    return ErasedClaims(erased, refused), reason


def _in_a_folder(store: Path, owner: Owner, document_id: str | None, before: datetime) -> tuple[ErasedClaims, str]:
    """Erase unfinished files as well: a publisher that died left them."""
    if not share_of(store).is_dir():
        return ErasedClaims(refused=1), "the folder is not there; mount it, and erase again"
    of_owner = Path(folder_of_claims(str(store), owner)).absolute()
    top = of_owner if document_id is None else Path(folder_of_claims(str(store), owner, document_id)).absolute()
    tenant = of_owner.parent
    if top.resolve() != tenant.resolve() / top.relative_to(tenant):  # who may write there must not lead us elsewhere
        return ErasedClaims(refused=1), "a link stands there in place of a folder; remove it"
    erased = 0
    refusals: list[OSError] = []
    latest = to_milliseconds(before)  # the times of events have no more
    try:
        for _, folders, files, opened in os.fwalk(top, topdown=False, onerror=refusals.append):
            for name in files:
                try:
                    if os.stat(name, dir_fd=opened, follow_symlinks=False).st_mtime_ns // 1_000_000 <= latest:
                        os.unlink(name, dir_fd=opened)
                        erased += 1
                except OSError as error:
                    refusals.append(error)
            for name in folders:
                _remove_empty(name, opened)
        for folder in (top, of_owner):
            _remove_empty(folder)
    except OSError as error:
        refusals.append(error)
    refused = [error for error in refusals if not isinstance(error, FileNotFoundError)]  # gone is gone
    for each in refused:
        if each.errno not in _FORBIDDEN:
            raise StoreUnavailable(f"{STORE}: {(each.strerror or 'it fails').lower()}; is the folder mounted?") from each
    return ErasedClaims(erased, len(refused)), "we may not delete there; give the flow the right to, and erase again"


def _remove_empty(folder: Path | str, opened: int | None = None) -> None:
    """Remove a folder in which nothing is left. One that stays tells nothing: its name is a hash."""
    try:
        os.rmdir(folder, dir_fd=opened)
    except OSError as error:
        log.debug("a folder of claim checks stays: %s", error.strerror)
