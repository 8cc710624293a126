"""The pictures of docs/console.md, taken when they are asked for: ``make screenshots``.

``MNEME_TEST_SCREENSHOTS=FOLDER`` takes pictures of every page into a folder instead, to be looked at: wide and narrow.
"""

import os
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from connectors.dead_letters import FileDeadLetters
from mneme.events import Message
from mneme.ports import DeadLetter
from mneme.times import utc_now
from tests.serving.console.conftest import Console, Visitor
from tests.serving.console.test_pages import PAGES

ASKED = os.environ.get("MNEME_TEST_SCREENSHOTS", "")
WIDTHS = {1440: 900, 390: 844}

SHOTS = {
    "conversation": ("conversation?owner=user:mira&id=jason-and-mira", "light", 1000),
    "search": (f"search?owner=user:mira&top_k=8&q={quote('What has Jason been working on lately?')}", "light", 1050),
    "trace": (f"search?owner=user:mira&top_k=6&q={quote('What has Jason been working on lately?')}", "light", None),
    "ask": ("search?owner=user:mira&ask=1&q=When+is+Jason%27s+birthday%3F", "dark", 700),
    "graph": ("graph?owner=user:nadia&entity=Clara+Novak&hops=2", "dark", 1000),
    "profile": ("profile?owner=user:mira", "light", 900),
    "document": ("document?owner=user:mira&id=handbook.md", "light", 900),
    "flow": ("flow", "dark", 1100),
}


def _make_it_flow(console: Console) -> None:
    """Messages, some at a time, and one event that cannot be taken in."""
    raw = b'{"event": "message", "conversation_id": "standup", "user_id": "mira", "sender_id": "mira", "content": 42}'
    letter = DeadLetter("decode", "content: Input should be a valid string", raw, None, utc_now())
    FileDeadLetters(console.service.settings.data / "dead-letters.sqlite").send([letter])
    for wave in (4, 12, 30, 18, 40, 9):
        said = [f"Gauge {number} of {wave} at the Eilbek bridge works again." for number in range(wave)]
        talk = {"conversation_id": f"gauges-{wave}", "user_id": "mira", "sender_id": "mira"}
        console.service.accept([Message.model_validate({**talk, "content": text, "sent_at": utc_now()}) for text in said])
        time.sleep(2.0)


@pytest.mark.skipif(ASKED != "1", reason="make screenshots")
@pytest.mark.parametrize("name", SHOTS)
def test_a_screenshot_is_taken(browser: Browser, console: Console, name: str) -> None:
    address, colours, height = SHOTS[name]
    folder = Path(__file__).parents[3] / "docs" / "screenshots"
    folder.mkdir(exist_ok=True)
    context = browser.new_context(
        viewport={"width": 1280, "height": height or 900}, color_scheme=colours, reduced_motion="reduce"
    )
    visitor = Visitor(context.new_page(), console)
    page = visitor.open(address)
    if name == "flow":
        _make_it_flow(console)
        page.get_by_role("region", name="Dead letters").get_by_role("button", name="Replay", exact=True).wait_for()
        page.wait_for_timeout(2_500)  # a last look of the page at what was written
    target = folder / f"{name}.png"
    if height is None:
        page.locator(".trace").screenshot(path=target)
    else:
        page.screenshot(path=target)
    context.close()

    assert visitor.troubles == []
    assert target.stat().st_size < 300_000


@pytest.mark.skipif(ASKED in ("", "1"), reason="MNEME_TEST_SCREENSHOTS names no folder for pictures of all pages")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_pictured_as_a_desk_and_a_phone_show_it(
    browser: Browser, console: Console, name: str, width: int
) -> None:
    size = {"width": width, "height": WIDTHS[width]}
    context = browser.new_context(viewport=size, color_scheme="light", reduced_motion="reduce")
    Visitor(context.new_page(), console).open(PAGES[name]).screenshot(path=Path(ASKED) / f"{name}-{width}.png")
    context.close()
