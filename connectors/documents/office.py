"""LibreOffice, for the old formats of Microsoft Office: without macros, without a network, and not for ever."""

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from connectors.documents.parsing import Task
from mneme.errors import InputError

_SECONDS = 180.0  # a file of 500 pages takes 20 s on one core; what takes longer hangs
_PACKAGES = {"docx": "libreoffice-writer-nogui", "pptx": "libreoffice-impress-nogui"}

# Macros never run; links are not followed and not updated; what asks for the network all the same meets a proxy that is none.
_SETTINGS = {
    "Office.Common/Security/Scripting": {
        "DisableMacrosExecution": "true",
        "MacroSecurityLevel": "3",
        "BlockUntrustedRefererLinks": "true",
        "DisableActiveContent": "true",
    },
    "Office.Writer/Content/Update": {"Link": "0"},
    "Office.Calc/Content/Update": {"Link": "2"},
    "Inet/Settings": {
        "ooInetProxyType": "2",
        "ooInetHTTPProxyName": "127.0.0.1",
        "ooInetHTTPProxyPort": "9",
        "ooInetHTTPSProxyName": "127.0.0.1",
        "ooInetHTTPSProxyPort": "9",
    },
}


def converted(content: bytes, source: str, target: str, task: Task) -> bytes:
    """A file as LibreOffice saves it in another format.

    1. It has a profile and a folder of its own, which are removed: files at the same time do not meet.
    2. It has three minutes, or less where the settings give less; then it and all that it started are ended.

    Args:
        content: the file.
        source: what it is, ``doc`` or ``ppt``.
        target: what it becomes, ``docx`` or ``pptx``.
        task: whose settings limit the time.

    Raises:
        InputError: LibreOffice is not installed, cannot read the file, or takes too long.
    """
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise InputError(f"reading {source} files needs libreoffice; install it: apt-get install {_PACKAGES[target]}")
    seconds = min(_SECONDS, task.settings.seconds)
    with tempfile.TemporaryDirectory(prefix="mneme-office-", ignore_cleanup_errors=True) as folder:
        profile = Path(folder, "profile", "user")
        profile.mkdir(parents=True)
        (profile / "registrymodifications.xcu").write_text(_registry())
        file = Path(folder, f"document.{source}")
        file.write_bytes(content)
        command = [program, "--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard"]
        command += [f"-env:UserInstallation={profile.parent.as_uri()}", "--convert-to", target, "--outdir", folder, str(file)]
        _run(command, folder, seconds)
        made = file.with_suffix(f".{target}")
        if not made.is_file():
            raise InputError(f"libreoffice cannot read it; it is broken or encrypted, or libreoffice lacks {_PACKAGES[target]}")
        return made.read_bytes()


def _run(command: list[str], folder: str, seconds: float) -> None:
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TZ")}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "HOME": folder, "TMPDIR": folder, "SAL_USE_VCLPLUGIN": "svp"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise InputError(f"libreoffice has not converted it in {seconds:g} s; save it in a newer format") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)  # the program is a script that starts others
        process.wait()


def _registry() -> str:
    """The settings as LibreOffice keeps them in a profile."""
    items = (
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, values in _SETTINGS.items()
        for name, value in values.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    return "\n".join((head, *items, "</oor:items>"))
