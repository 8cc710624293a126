"""Places where documents lie, as settings name them: folders of this machine, and prefixes of stores."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mneme.errors import SettingsError
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
    """What is set of documents; with the inbox, if there is no store, ``uploads`` in ``MNEME_DATA`` is one."""
    documents = settings.documents
    if settings.intake != "inbox" or documents.store:
        return documents
    uploads = str(uploads_of(settings).absolute() / TENANT)
    return documents.model_copy(update={"store": uploads, "roots": (*documents.roots, uploads)})


def uploads_of(settings: Settings) -> Path:
    """The folder of that store."""
    return settings.data / "uploads"


def place_of(text: str, setting: str) -> Path | Prefix:
    """What a setting names.

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
    """Whether ``bucket/folder/name`` can mean nothing but what it says: no empty name, no ``..``, no control character."""
    return all(name not in ("", ".", "..") for name in key.split("/")) and all(ord(each) >= 32 for each in key)


def tenant_folder(tenant_id: str) -> str:
    """What ``{tenant}`` stands for: the id with all but plain characters percent-encoded."""
    folder = lasting_name(make_id(tenant_id))
    return f"%2E{folder[1:]}" if folder.startswith(".") else folder  # a tenant that is called ".."
