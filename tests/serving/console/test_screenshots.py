"""The pictures of docs/console.md, taken when they are asked for: ``make screenshots``."""

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.serving.console.conftest import Console, Visitor

SHOTS = {
    "conversation": ("conversation?owner=user:mira&id=jason-and-mira", "light", 1000),
    "search": (f"search?owner=user:mira&top_k=8&q={quote('What has Jason been working on lately?')}", "light", 1050),
    "trace": (f"search?owner=user:mira&top_k=8&q={quote('What has Jason been working on lately?')}", "light", None),
    "ask": ("search?owner=user:mira&ask=1&q=When+is+Jason%27s+birthday%3F", "dark", 700),
    "graph": ("graph?owner=user:nadia&entity=Clara+Novak&hops=2", "dark", 1000),
    "profile": ("profile?owner=user:mira", "light", 900),
    "document": ("document?owner=user:mira&id=handbook.md", "light", 900),
    "flow": ("flow", "dark", 1100),
}

pytestmark = pytest.mark.skipif("MNEME_TEST_SCREENSHOTS" not in os.environ, reason="make screenshots")


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
        page.get_by_role("img", name="a second").wait_for()
    target = folder / f"{name}.png"
    if height is None:
        page.locator(".trace").screenshot(path=target)
    else:
        page.screenshot(path=target)
    context.close()

    assert visitor.troubles == []
    assert target.stat().st_size < 300_000
