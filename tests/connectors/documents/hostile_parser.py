"""A parser for the tests of the pool: it does what the content says, as broken libraries and hostile files do."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from mneme.errors import InputError
from mneme.ports import ParsedDocument, Section
from mneme.settings import Documents

_held: list[bytearray] = []


class HostileParser:
    def __init__(self, settings: Documents) -> None:
        self._settings = settings

    def parse(self, content: bytes, name: str, media_type: str | None) -> ParsedDocument:
        deed, _, detail = content.decode().partition(" ")
        said = getattr(self, deed)(detail)
        return ParsedDocument(name, (Section(name, str(said)),))

    def say(self, detail: str) -> str:
        return detail

    def who(self, _: str) -> int:
        return os.getpid()

    def refuse(self, detail: str) -> None:
        raise InputError(detail)

    def wait(self, _: str) -> None:
        time.sleep(600)

    def spin(self, _: str) -> None:
        while True:
            pass

    def eat(self, _: str) -> None:
        while True:
            _held.append(bytearray(b"x" * 10_000_000))

    def grow(self, megabytes: str) -> int:
        _held.append(bytearray(b"x") * (int(megabytes) * 1_000_000))
        return os.getpid()

    def child_eats(self, _: str) -> None:
        code = "import time\nheld = []\nwhile True:\n held.append(bytearray(b'x' * 10_000_000)); time.sleep(0.01)"
        subprocess.run([sys.executable, "-c", code], check=False)

    def crash(self, _: str) -> None:
        ctypes.string_at(0)

    def leave(self, _: str) -> None:
        os._exit(0)

    def fail(self, detail: str) -> None:
        raise ValueError(detail)

    def print(self, detail: str) -> str:
        print(detail * 10_000)
        os.write(1, b"\xff" * 10_000)
        os.system("echo garbage")
        return detail

    def orphan(self, file: str) -> None:
        """A grandchild in a session of its own, whose parent is gone; and then no end."""
        self.leave_behind(file)
        time.sleep(600)

    def leave_behind(self, file: str) -> str:
        code = (
            "import os, subprocess, sys\n"
            f"child = subprocess.Popen(['sleep', '600'], start_new_session=True)\nopen({file!r}, 'w').write(str(child.pid))"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        return file

    def connect(self, port: str) -> str:
        try:
            socket.create_connection(("127.0.0.1", int(port)))
        except PermissionError as error:
            return str(error)
        return "connected"

    def environment(self, _: str) -> str:
        return " ".join(sorted(os.environ))

    def folder(self, _: str) -> str:
        Path(os.environ["TMPDIR"], "left").write_text("x")
        return os.environ["TMPDIR"]

    def settings(self, _: str) -> str:
        return repr((self._settings.roots, self._settings.store, self._settings.seconds))

    def told(self, name: str) -> str:
        os.kill(os.getpid(), signal.Signals[name])
        return "still here"


class NoParser:
    """A factory that fails."""

    def __init__(self, settings: Documents) -> None:
        raise RuntimeError("no parser")
