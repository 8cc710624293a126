"""The service and the flow: the port, the keys, who else is at work, and the service that is named by its URL."""

import socket
from collections.abc import Iterator
from importlib.util import find_spec

from mneme.settings import Settings
from serving.checks.check import Check

_SECONDS = 3.0
_EXTRAS = {"fastapi": "serve", "nicegui": "console", "mcp": "mcp"}


def service(settings: Settings) -> Iterator[Check]:
    """What `mneme serve` needs, and what runs already."""
    told = settings.service
    wanted = ["fastapi", *(["nicegui"] if told.console else []), *(["mcp"] if told.mcp else [])]
    lacking = [module for module in wanted if find_spec(module) is None]
    if lacking:
        extras = ",".join(dict.fromkeys(_EXTRAS[module] for module in lacking))
        remedy = f"{', '.join(lacking)} is not installed: pip install 'mneme-river[{extras}]'"
        yield Check("service", "mneme serve", "", "partly", remedy)
    yield _port(told.host, told.port)
    keys = f"{len(told.keys)} keys" if told.keys else "none: everybody on this machine may ask"
    yield Check("service", "keys", keys, "ready")
    yield from _flows(settings)
    if told.url is not None:
        yield _remote(settings)


def _port(host: str, port: int) -> Check:
    name, where = "port", f"{host}:{port}"
    if port == 0:
        return Check("service", name, "any that is free", "ready")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        if _is_mneme(f"http://{host}:{port}"):
            return Check("service", name, f"{where}, a Mneme answers there", "ready")
        remedy = f"{where} cannot be opened ({error.strerror or error}); stop what uses it, or set MNEME_SERVICE__PORT"
        return Check("service", name, where, "partly", remedy)
    return Check("service", name, f"{where} is free", "ready")


def _flows(settings: Settings) -> Iterator[Check]:
    from connectors.durable import is_held
    from connectors.inbox.segments import inbox_folder

    # The flow from the inbox holds the recovery store of files as well.
    from flows.running.partition_range import store_name

    locks = {"kafka": settings.data / "recovery" / store_name(settings), "inbox": inbox_folder(settings.data)}
    running = [name for name, folder in locks.items() if is_held(folder)]
    if "inbox" not in running and is_held(settings.data / "recovery" / "files"):
        running.append("files")
    names = ", ".join(running)
    yield Check("service", "flow", f"one runs here, from {names}" if running else "none runs on this data folder", "ready")


def _remote(settings: Settings) -> Check:
    url = settings.service.url or ""
    if _is_mneme(url):
        return Check("service", "service", f"{url} answers", "ready")
    remedy = f"MNEME_SERVICE__URL: no Mneme answers at {url}; start `mneme serve` there, or correct it"
    return Check("service", "service", url, "missing", remedy, needed=True)


def _is_mneme(url: str) -> bool:
    import httpx

    try:
        return httpx.get(f"{url.rstrip('/')}/health/live", timeout=_SECONDS).is_success
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
