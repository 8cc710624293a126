"""The cost of processes of this machine while something runs: processor time, and peak memory."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psutil

_SAMPLE_SECONDS = 0.2
_HERE = ("127.0.0.1", "localhost", "::1")


@dataclass(slots=True)
class Costs:
    """``own_seconds``: processor time of this process and of those that it started; ``server_seconds``: of each server, by its
    name, None where it does not run on this machine or may not be looked at. ``peak_megabytes``: of resident memory, own.
    """

    own_seconds: float = 0.0
    peak_megabytes: float = 0.0
    server_seconds: dict[str, float | None] = field(default_factory=dict)


@contextmanager
def measured_costs(servers: Mapping[str, str]) -> Iterator[Costs]:
    """Measure a block; the costs are whole when it has ended.

    Args:
        servers: their addresses by their names, as URL or ``host:port``.
    """
    costs, ended = Costs(), threading.Event()
    pids = {name: _listener(address) for name, address in servers.items()}
    before = {name: _seconds_of(pid) for name, pid in pids.items()}
    seen = _own_seconds()  # by process, for those that end meanwhile
    own_before = sum(seen.values())

    def watch() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            seen.update(_own_seconds())
            costs.peak_megabytes = max(costs.peak_megabytes, _own_megabytes())

    watching = threading.Thread(target=watch, name="costs", daemon=True)
    watching.start()
    try:
        yield costs
    finally:
        ended.set()
        watching.join()
        seen.update(_own_seconds())
        costs.own_seconds = sum(seen.values()) - own_before
        costs.peak_megabytes = max(costs.peak_megabytes, _own_megabytes())
        for name, pid in pids.items():
            began, now = before[name], _seconds_of(pid)
            costs.server_seconds[name] = None if began is None or now is None else now - began


def _own() -> list[psutil.Process]:
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def _own_seconds() -> dict[int, float]:
    found = {}
    for process in _own():
        with suppress(psutil.Error):
            times = process.cpu_times()
            found[process.pid] = times.user + times.system
    return found


def _own_megabytes() -> float:
    total = 0
    for process in _own():
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total / 1e6


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


def _seconds_of(pid: int | None) -> float | None:
    if pid is not None:
        with suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            return float(times.user + times.system)
    return None
