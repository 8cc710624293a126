"""A service of the embedded mode, and the same over HTTP, for tests of what stands in front of it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from mneme.settings import Settings, load_settings
from serving.clients import await_index
from serving.mcp.mount import mount
from serving.rest.app import create_app
from serving.rest.connections import server_config
from serving.service.service import Service


def embedded_settings(folder: Path, **service: Any) -> Settings:
    """Everything under one folder, and nothing of the environment; a flush waits for short epochs."""
    service = {"requests_per_minute": 0, **service}
    return load_settings({}, data=folder, embedder={"provider": "hash"}, service=service, flow={"epoch_seconds": 0.2})


@contextmanager
def opened(settings: Settings) -> Iterator[Service]:
    """A service whose flow reads."""
    with Service(settings) as service:
        await_index(service.memories, 300.0)
        yield service


@contextmanager
def over_http(service: Service) -> Iterator[str]:
    """The URL of the service, REST and MCP, on a free port."""
    app = create_app(service)
    mount(app, service)
    server = uvicorn.Server(server_config(app, port=0))
    ready = threading.Event()
    port = 0

    async def started(sockets: Any = None, startup: Any = server.startup) -> None:
        nonlocal port
        await startup(sockets)
        port = server.servers[0].sockets[0].getsockname()[1]
        ready.set()

    server.startup = started  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert ready.wait(120), "it listens"
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
