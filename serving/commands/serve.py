"""``mneme serve``: REST, the console and the MCP server in one process; ``mneme mcp``: MCP on standard input and output."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from socket import IPPROTO_TCP, SOCK_STREAM, TCP_NODELAY, create_server, getaddrinfo
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mneme
from mneme.errors import SettingsError
from serving.commands.options import AgentOption, GroupOption, TenantOption, UserOption, searched_owner
from serving.startup import freeze_startup_objects
from serving.terminal.output import note

if TYPE_CHECKING:
    from fastapi import FastAPI

    from serving.service.service import Service

_PARTS = {"console": "console", "mcp": "MCP"}  # views: the package and the extra of each, and how it is called
_NOT_FREE = "MNEME_SERVICE__PORT: {}:{} cannot be listened on; is it in use? --port 0 takes a free one"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def serve(
    host: Annotated[str | None, typer.Option(help="Where it listens.", show_default="MNEME_SERVICE__HOST")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="0: any that is free.", show_default="MNEME_SERVICE__PORT")
    ] = None,
) -> None:
    """Serve the memory over HTTP: REST, the console and MCP, until it is stopped.

    With the embedded index the flow runs as well, so that what is sent is taken in; else run `mneme run` beside it.
    """
    from connectors.folders import private_folder
    from connectors.indices import check_embedded_format
    from connectors.telemetry.logs import telemetry
    from serving.rest.app import create_app
    from serving.service.service import Service

    settings = _listening(mneme.load_settings(), host, port)
    _check_port(settings)
    private_folder(settings.data, make=False)  # before anything opens it, where it was there
    if settings.intake == "inbox":  # a folder that may not be written ends it here, and not the flow again and again
        (settings.data / "recovery").mkdir(parents=True, exist_ok=True)
    with telemetry(settings, "mneme-serve"), _until_signalled(), Service(settings) as service:
        service.health()  # begins to load the index's library, while what serves is loaded
        app = create_app(service)
        parts = _mount(app, service)
        check_embedded_format(settings)
        freeze_startup_objects()
        _run(app, service, parts)


def _listening(settings: "mneme.Settings", host: str | None, port: int | None) -> "mneme.Settings":
    """The settings, with what the command line says.

    Raises:
        SettingsError: others than this machine would be let in without a key.
    """

    said = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = settings.replace(service=said)
    if settings.service.host not in _LOOPBACK and not settings.service.keys:
        raise SettingsError(
            f"MNEME_SERVICE__HOST: {settings.service.host} lets others than this machine in, and there are no keys; set "
            'MNEME_SERVICE__KEYS (\'{"KEY": "TENANT"}\', a key from `openssl rand -hex 24`), or listen on 127.0.0.1'
        )
    return settings


def _check_port(settings: "mneme.Settings") -> None:
    """See that the port is free before anything is made or started; it is bound once everything is there.

    Raises:
        SettingsError: it cannot be used.
    """
    where = settings.service
    try:
        [(family, *_, address), *_] = getaddrinfo(where.host, where.port, type=SOCK_STREAM)
        with create_server(address[:2], family=family):
            pass
    except OSError:
        raise SettingsError(_NOT_FREE.format(where.host, where.port)) from None


def _mount(app: "FastAPI", service: "Service") -> list[str]:
    """Mount what is installed and switched on; returns where, or why not."""
    parts = []
    for part, title in _PARTS.items():
        if not getattr(service.settings.service, part):
            continue
        try:
            import_module(f"serving.{part}.mount").mount(app, service)
        except ModuleNotFoundError as error:
            remedy = f"pip install 'mneme-river[{part}]', or set MNEME_SERVICE__{part.upper()}=false"
            note(f"no {title}: {error.name} is not installed; {remedy}")
        else:
            parts.append(part)
    return parts


def _run(app: "FastAPI", service: "Service", parts: list[str]) -> None:
    """Serve until a signal ends it, and finish the requests that are under way.

    Raises:
        SettingsError: the port cannot be used.
    """

    import uvicorn

    from serving.rest.connections import server_config

    class Server(uvicorn.Server):
        """Tells when it is there, and those who wait for something when it ends."""

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            _announce(service.settings, sockets[0].getsockname()[1], parts)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            service.end_waiting()
            super().handle_exit(sig, frame)

    where = service.settings.service
    config = server_config(app, host=where.host, port=where.port)
    try:
        socket = config.bind_socket()
    except SystemExit:  # uvicorn logs why, and exits
        raise SettingsError(_NOT_FREE.format(where.host, where.port)) from None
    with socket:
        # Connections inherit it; asyncio sets it only where it binds itself. Without, the body of an answer waits 40 ms for the
        # client to acknowledge the header, on each connection that is used again.
        socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        Server(config).run(sockets=[socket])


def _announce(settings: "mneme.Settings", port: int, parts: list[str]) -> None:
    from connectors.indices import index_place

    host = settings.service.host
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    names = {"REST": f"{url}/openapi.json"} | {_PARTS[part]: f"{url}/{part}" for part in parts}
    note(f"Mneme listens on {url}")
    for name, where in (*names.items(), ("index", index_place(settings))):
        note(f"  {name:<8} {where}")


@contextmanager
def _until_signalled() -> Iterator[None]:
    """End the block, in order, at SIGINT or SIGTERM; a second one ends the process.

    uvicorn raises the signal that ended it once more, which by default ends the process before anything is closed.
    """

    def end(number: int, frame: FrameType | None) -> None:
        for each, handler in before.items():
            signal.signal(each, handler)
        raise _Ended

    before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except _Ended:
        pass
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class _Ended(BaseException):
    """A signal ended the program."""


def mcp(
    user: UserOption = None,
    group: GroupOption = None,
    agent: AgentOption = None,
    tenant: TenantOption = "default",
    read_only: Annotated[bool, typer.Option("--read-only", help="Without remember and forget.")] = False,
) -> None:
    """Be an MCP server on standard input and output: search, ask, remember, forget, timeline, profile, for one owner.

    With MNEME_SERVICE__URL it speaks for that service; else it opens the index itself, and takes in what is remembered.
    """
    from serving.mcp.memory import AgentMemory, OwnerScope
    from serving.mcp.server import build_server
    from serving.service.remote import open_service

    whose = OwnerScope(**searched_owner(user, group, agent, tenant))
    with open_service(mneme.load_settings()) as service:
        writable = service.takes_events and not read_only
        server = build_server(AgentMemory(service), lambda _: whose, writable=writable)
        server.run("stdio")
