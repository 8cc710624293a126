"""Erasing what was left as claim check: nothing of a document that is forgotten stays in the store.

What counts is when a claim was written. A document that was sent after the erasure keeps its claim, which was written anew
for it (claims.py); in a store that tells whole seconds, one that was sent in the second of the erasure loses it.
"""

import errno
import logging
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from connectors.documents.claims import folder_of_claims, share_of
from connectors.documents.roots import STORE, Prefix, place_of
from connectors.documents.stores import Refused, Store
from mneme.errors import StoreUnavailable
from mneme.records import Owner
from mneme.settings import Documents
from mneme.times import to_milliseconds

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ErasedClaims:
    """What became of the claims of an erasure: how many are gone, and how many the store does not let us delete.

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
        SettingsError: the store of the settings is none.
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
    """What is not finished is erased as well: a publisher that died left it."""
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
