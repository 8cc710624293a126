"""The secret that sessions are signed with: random, so that no key and no source code tells it."""

import secrets

from connectors.durable import exclusive, replace_bytes
from connectors.folders import private_folder
from mneme.errors import SettingsError
from mneme.settings import Settings

SETTING = "MNEME_SERVICE__CONSOLE_SECRET"
FOLDER = "console"  # in MNEME_DATA
_FILE = "secret"
_SHORTEST = 32  # characters


def console_secret(settings: Settings) -> bytes:
    """The secret of the settings; else the one that is kept with the data, made at the first start.

    Processes that share MNEME_DATA agree on it, also where they start at once: one makes it while the others wait.

    Raises:
        SettingsError: it is too short, or cannot be kept.
    """
    if settings.service.console_secret is not None:
        return _checked(settings.service.console_secret.get_secret_value().encode(), SETTING)
    folder = private_folder(settings.data) / FOLDER
    file = folder / _FILE
    try:
        private_folder(folder)
        with exclusive(folder / f"{_FILE}.lock"):
            if not file.exists():
                replace_bytes(file, secrets.token_hex(_SHORTEST).encode(), 0o600)
            return _checked(file.read_bytes(), str(file))
    except OSError as error:
        raise SettingsError(
            f"{SETTING}: none is set, and none can be kept in {folder} ({error.strerror}); set one (`openssl rand -hex 32`), "
            "correct the rights there, or set MNEME_SERVICE__CONSOLE=false"
        ) from error


def _checked(secret: bytes, place: str) -> bytes:
    if len(secret) < _SHORTEST:
        raise SettingsError(f"{place}: shorter than {_SHORTEST} characters; make one with `openssl rand -hex 32`")
    return secret
