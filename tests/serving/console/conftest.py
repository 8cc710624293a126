"""A memory with everything in it, the real service over it, a browser, and what every page must be like."""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Page,
    Playwright,
    Request,
    Response,
    ViewportSize,
    expect,
    sync_playwright,
)

import flows
from connectors.models import open_embedder
from mneme.errors import MnemeError
from mneme.settings import Settings, load_settings
from serving.console.mount import mount
from serving.rest.app import create_app
from serving.service.service import Service
from tests.waiting import wait_until

EXAMPLES = Path(__file__).parents[3] / "examples"
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
FLAGS += " --disable-component-update --disable-sync"

WIDE: ViewportSize = {"width": 1280, "height": 860}
expect.set_options(timeout=120_000)  # for a machine that is busy with other tests


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program; without one these tests are skipped."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine: `make programs`")
    return found


@pytest.fixture(scope="module")  # while it is there its event loop runs in this thread: no other test could have one
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS.split())
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def settings(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Those of an embedded index with two examples and a document in it."""
    data = tmp_path_factory.mktemp("console")
    flow = {"epoch_seconds": 0.2}  # for which each flush and each erasure waits
    settings = load_settings({}, data=data, service={"requests_per_minute": 0}, flow=flow)
    try:
        open_embedder(settings).close()
    except MnemeError:  # no weights on this machine
        settings = settings.replace(embedder={"provider": "hash"})
    flows.ingest([EXAMPLES / "friends.jsonl", EXAMPLES / "acme.jsonl", EXAMPLES / "handbook.md"], settings)
    return settings


@dataclass(frozen=True)
class Console:
    """A console that is served, and the service behind it."""

    url: str
    service: Service


@contextmanager
def served(service: Service) -> Iterator[Console]:
    """The application of a service with the console on a port of its own, in a thread."""
    app = create_app(service)
    mount(app, service)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive())
    assert server.started
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Console(f"http://127.0.0.1:{port}/console/", service)
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def console(settings: Settings) -> Iterator[Console]:
    """One at a time: NiceGUI knows one event loop in a process."""
    with Service(settings) as service, served(service) as console:
        yield console


# Axe puts styles into the page, which the page's policy refuses. That no page of ours does, tests/attacks sees without axe.
_OF_AXE = ("Applying inline style violates", "Couldn't load preload assets")


@dataclass
class Visitor:
    """A page in the browser, and what went wrong on it."""

    page: Page
    console: Console
    troubles: list[str] = field(default_factory=list)
    is_examined: bool = False

    def __post_init__(self) -> None:
        for event, hear in self._ears().items():
            self.page.on(event, hear)  # type: ignore[call-overload]

    def leave(self) -> None:
        """Let nobody who comes later hear of this visit, nor find what was chosen in it."""
        self.page.evaluate("localStorage.clear()")
        self.page.context.clear_cookies()
        self.page.goto("about:blank")
        for event, hear in self._ears().items():
            self.page.remove_listener(event, hear)

    def open(self, address: str) -> Page:
        """Go to a page of the console, and wait until all of it is there."""
        self.page.goto(self.console.url + address)
        self.settled()
        return self.page

    def settled(self) -> None:
        """Wait until the page is complete and takes what is done on it."""
        # Not by ``wait_for_function``: that makes a function of a string in the page, which its policy refuses.
        is_settled = "window.did_handshake && document.querySelector('main.content')?.ariaBusy === 'false'"
        while not self.page.evaluate(is_settled):
            self.page.wait_for_timeout(20)

    def serious_findings(self, rules: Sequence[str] = ()) -> list[str]:
        """What axe finds that keeps somebody from using the page; by all its rules, or some.

        Among all is one that it has only on request: whoever speaks to the page says what is written.
        """
        self.is_examined = True
        every = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
        found = Axe().run(self.page, options={"runOnly": list(rules)} if rules else every).response["violations"]
        return [
            f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
            for each in found
            for node in each["nodes"]
            if each["impact"] in ("serious", "critical")
        ]

    def _ears(self) -> dict[str, Callable[[Any], None]]:
        return {
            "console": self._heard,
            "pageerror": self._broken,
            "requestfailed": self._failed,
            "response": self._answered,
            "dialog": self._asked,
        }

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was opened before the icon of this one was there
            self.troubles.append(f"failed: {request.url} ({request.failure})")

    def _broken(self, error: Exception) -> None:
        self.troubles.append(f"error: {error}")

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400:
            self.troubles.append(f"{answer.status}: {answer.url}")

    def _asked(self, dialog: Dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _heard(self, message: ConsoleMessage) -> None:
        if self.is_examined and any(each in message.text for each in _OF_AXE):
            return
        if message.type in ("error", "warning"):
            self.troubles.append(f"console: {message.text}")


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """The one window of a file of tests: a page that opens anew in it needs no process, and no script compiled once more."""
    context = browser.new_context(viewport=WIDE, color_scheme="light", reduced_motion="reduce")
    yield context.new_page()
    context.close()


@contextmanager
def visiting(window: Page, console: Console) -> Iterator[Visitor]:
    """Somebody new, with a wide screen in the light, for whom nothing may go wrong."""
    window.set_viewport_size(WIDE)
    visitor = Visitor(window, console)
    yield visitor
    visitor.leave()
    assert visitor.troubles == []


@pytest.fixture
def visitor(window: Page, console: Console) -> Iterator[Visitor]:
    with visiting(window, console) as visitor:
        yield visitor
