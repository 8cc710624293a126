"""Documents by reference: what a URI names, if it lies where documents may be read from.

A URI is that of a file of this machine (``file:///folder/name``) or of an object in a store (``s3://bucket/folder/name``,
see connectors/documents/stores.py). Every other scheme, ``http`` above all, is refused before anything is opened.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from connectors.documents.stores import PACKAGES, ROOTS, TENANT, Prefix, Refused, Store, is_plain, place_of, tenant_folder
from mneme.errors import InputError
from mneme.ids import content_hash
from mneme.settings import Documents


class DocumentReferences:
    """``References`` to files of this machine and to objects of stores. No client is loaded before it is needed.

    Args:
        settings: the largest size of a document, and the roots: folders and prefixes under which documents may be read; without
            any, nothing may. ``{tenant}`` in one stands for the tenant's id, so that no tenant reads another's documents.
        also: files that may be read by ``file://`` wherever they lie: those that a person named on the command line.

    Raises:
        SettingsError: a root is no place that documents are read from.
    """

    def __init__(self, settings: Documents, also: Iterable[Path] = ()) -> None:
        roots = [place_of(root, ROOTS) for root in settings.roots]
        self._folders = [root for root in roots if isinstance(root, Path)]
        self._prefixes = [root for root in roots if isinstance(root, Prefix)]
        self._largest = settings.largest_bytes
        self._also = frozenset(path.resolve() for path in also)
        self._stores = {scheme: Store(scheme) for scheme in PACKAGES}

    def read(self, uri: str, tenant_id: str, sha256: str | None = None) -> bytes:
        """The content of the document.

        1. The URI names a file of this machine or an object of a store, and roots are set.
        2. A file's real path, with all links followed, lies under a root, or is one of the files that may be read anyway. An
           object has the scheme and the bucket of a root, and no way out of it; its key is taken literally.
        3. A file is opened folder by folder from the root down, without following links: nobody can exchange one in between.
        4. It is there, not too large, and has the hash that the event promises; a file is a regular one.

        Raises:
            InputError: one of these does not hold. A document outside the roots is refused the same way whether it exists or
                not; no path is passed on, and no store is asked.
            StoreUnavailable: the store does not answer.
        """
        is_object = uri.partition("://")[0] in PACKAGES
        content = self._read_object(uri, tenant_id) if is_object else self._read_file(uri, tenant_id)
        if sha256 is not None and content_hash(content) != sha256:
            kind = "object" if is_object else "file"
            raise InputError(f"sha256: the {kind} has another content than the event promises; send the event again")
        return content

    def _read_object(self, uri: str, tenant_id: str) -> bytes:
        scheme, _, key = uri.partition("://")
        if not is_plain(key):
            raise InputError("uri: it names no object; write s3://bucket/folder/name, without empty names, . and ..")
        bases = [prefix.of(tenant_id) for prefix in self._prefixes if prefix.scheme == scheme]
        if not any(key.startswith(f"{base}/") for base in bases):
            raise InputError(f"uri: the object is under no prefix of {ROOTS} that this tenant may read; put it there")
        try:
            return self._stores[scheme].read(key, self._largest)
        except Refused as error:
            raise InputError(f"uri: {error}") from error

    def _read_file(self, uri: str, tenant_id: str) -> bytes:
        path = _path_of(uri)
        if not self._folders and not self._also:
            raise InputError(f"uri: documents by reference are not read here; set {ROOTS}, or send content or data")
        root, names = self._beneath(path, tenant_id)
        try:
            return self._opened(root, names)
        except OSError as error:
            raise InputError(
                f"uri: {(error.strerror or 'it cannot be read').lower()}; correct it, or put the file there"
            ) from error

    def _beneath(self, path: Path, tenant_id: str) -> tuple[Path, tuple[str, ...]]:
        """The root that a path lies under, and the names from there."""
        with suppress(OSError, RuntimeError):  # a loop of links, a name too long
            real = path.resolve()
            if real in self._also:
                return real.parent, (real.name,)
            for folder in self._folders:
                root = Path(str(folder).replace(TENANT, tenant_folder(tenant_id))).resolve()
                if real != root and real.is_relative_to(root):
                    return root, real.relative_to(root).parts
        raise InputError(f"uri: the file is in none of the folders of {ROOTS} that this tenant may read; put it there")

    def _opened(self, root: Path, names: Sequence[str]) -> bytes:
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in names[:-1]:
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=opened)
                os.close(opened)
                opened = inner
            if not stat.S_ISREG(os.stat(names[-1], dir_fd=opened, follow_symlinks=False).st_mode):
                raise InputError("uri: it is no regular file; name a file")
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not hold up the stream
            file = os.open(names[-1], flags, dir_fd=opened)
        finally:
            os.close(opened)
        with os.fdopen(file, "rb") as opened_file:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise InputError("uri: it is no regular file; name a file")
            content = opened_file.read(self._largest + 1) if status.st_size <= self._largest else b""
        if max(status.st_size, len(content)) > self._largest:  # it may grow while it is read
            raise InputError(
                f"uri: the file has more than {self._largest} bytes; split it, or raise MNEME_DOCUMENTS__LARGEST_BYTES"
            )
        return content


def _path_of(uri: str) -> Path:
    """The path of a ``file://`` URI."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        raise InputError("uri: it is no URI; write file:///folder/name, other characters percent-encoded") from None
    if parts.scheme != "file":
        raise InputError(
            f"uri: {parts.scheme[:20]!r} is not read; write file:///folder/name or s3://bucket/name, or send content or data"
        )
    if parts.netloc:
        raise InputError("uri: it names a host; only files of this machine are read, as file:///folder/name")
    if parts.query or parts.fragment or not path.startswith("/") or any(ord(each) < 32 for each in uri + path):
        raise InputError("uri: it names no file; write file:///folder/name, with ? and # percent-encoded")
    return Path(path)
