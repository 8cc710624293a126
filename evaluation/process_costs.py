"""The costs of processes of this machine: processor time, memory, and files."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

_SAMPLE_SECONDS = 0.2
_HERE = ("127.0.0.1", "localhost", "::1")


def family_of(pid: int) -> list[int]:
    """Return a process and all its descendants that live now, parents first; empty when it is gone."""
    with suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        members = (first, *first.children(recursive=True))
        return [member.pid for member in members if _is_alive(member)]
    return []


def _is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def resident_bytes(pid: int) -> int:
    """Return the memory that a process and its descendants hold (RSS; shared pages count for each)."""
    total = 0
    for member in family_of(pid):
        with suppress(psutil.Error):
            total += psutil.Process(member).memory_info().rss
    return total


def bytes_of(folder: Path) -> int:
    """Bytes of a folder's files, some of which may be gone while they are counted."""
    total = 0
    for path in folder.glob("**/*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


@dataclass(slots=True)
class Costs:
    """``own_seconds``: processor time of a process and of those that it started; ``server_seconds``: of each server, by its
    name, None where it does not run on this machine or may not be looked at. ``peak_megabytes``: of resident memory, own.
    """

    own_seconds: float = 0.0
    peak_megabytes: float = 0.0
    server_seconds: dict[str, float | None] = field(default_factory=dict)


@contextmanager
def measured_costs(servers: Mapping[str, str], pid: int | None = None) -> Iterator[Costs]:
    """Measure a block; the costs are whole when it has ended.

    Args:
        servers: their addresses by their names, as URL or ``host:port``.
        pid: of the process that is measured; None for this one.
    """
    costs, ended, me = Costs(), threading.Event(), pid or os.getpid()
    pids = {name: _listener(address) for name, address in servers.items()}
    before = {name: _seconds_of(pid) for name, pid in pids.items()}
    seen = _seconds_by_process(me)  # for those that end meanwhile
    own_before = sum(seen.values())

    def look() -> None:
        seen.update(_seconds_by_process(me))
        costs.peak_megabytes = max(costs.peak_megabytes, resident_bytes(me) / 1e6)

    def watch() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            look()

    watching = threading.Thread(target=watch, name="costs", daemon=True)
    watching.start()
    try:
        yield costs
    finally:
        ended.set()
        watching.join()
        look()
        costs.own_seconds = sum(seen.values()) - own_before
        for name, pid in pids.items():
            began, now = before[name], _seconds_of(pid)
            costs.server_seconds[name] = None if began is None or now is None else now - began


def _seconds_by_process(pid: int) -> dict[int, float]:
    return {member: seconds for member in family_of(pid) if (seconds := _seconds_of(member)) is not None}


def _seconds_of(pid: int | None) -> float | None:
    if pid is not None:
        with suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            return float(times.user + times.system)
    return None


def _listener(address: str) -> int | None:
    """The process of this machine that listens at an address."""
    parts = urlsplit(address if "//" in address else f"//{address.split(',')[0]}")
    if parts.hostname not in _HERE:
        return None
    with suppress(psutil.Error):  # on some systems only root may look
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == parts.port:
                return None if connection.pid is None else int(connection.pid)
    return None


class Watched:
    """Anything, each of whose methods runs within a context, which may count."""

    def __init__(self, inner: object, around: Callable[[str], AbstractContextManager[None]]) -> None:
        """Watch ``inner``; ``around`` gives the context of the method with a name."""
        self._inner, self._around = inner, around

    def __getattr__(self, name: str) -> Any:
        """An attribute; a method is watched."""
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def called(*args: Any, **named: Any) -> Any:
            with self._around(name):
                return found(*args, **named)

        return called
