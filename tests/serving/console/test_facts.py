"""Somebody finds a wrong fact, corrects it, sees what it superseded, and erases another: a few clicks each."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, expect

from mneme.events import Message
from tests.serving.console.conftest import Console, Visitor

WRONG, RIGHT = "My flight to Lisbon leaves on Friday.", "My flight to Lisbon leaves on Saturday."
SECRET = "My locker has the code marmalade."
MOST_CLICKS = 6


class Clicks:
    """Clicks, counted."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, place: Locator) -> None:
        self.count += 1
        place.click()


@pytest.fixture(scope="module")
def traveller(console: Console) -> str:
    """A user whose conversation has something wrong and something private, which was said twice."""
    said = [("m1", "trip", WRONG), ("m2", "trip", SECRET), ("m3", "gym", SECRET)]
    events = [
        Message(
            conversation_id=f"{name}-of-tomas",
            user_id="u-4711",
            sender_id="u-4711",
            sender_name="Tomas",
            message_id=identity,
            sent_at=datetime(2026, 3, 2, 9, place, tzinfo=UTC),
            content=text,
        )
        for place, (identity, name, text) in enumerate(said)
    ]
    console.service.accept(events)
    assert console.service.flush("default", ["trip-of-tomas", "gym-of-tomas"], 600.0).searchable
    return "user:u-4711"


def test_a_wrong_fact_is_found_and_corrected_and_its_history_is_shown(visitor: Visitor, traveller: str) -> None:
    page, clicks = visitor.open(f"conversations?owner={traveller}"), Clicks()
    clicks.on(page.get_by_role("link", name="Facts"))
    page.wait_for_url("**/facts*")
    visitor.settled()
    expect(page.get_by_role("heading", level=1)).to_have_text("Facts of Tomas")
    page.get_by_label("Words").fill("lisbon flight")
    page.get_by_label("Words").press("Enter")
    page.wait_for_url("**q=lisbon*")
    visitor.settled()
    expect(page.locator(".fact-row")).to_have_count(1)
    clicks.on(page.get_by_role("button", name="Correct …"))
    expect(page.get_by_label("What is right")).to_be_focused()
    page.get_by_label("What is right").fill(RIGHT)
    clicks.on(page.get_by_role("button", name="Correct it"))

    expect(page.get_by_text("Corrected.")).to_be_visible(timeout=300_000)
    row = page.locator(".fact-row").filter(has_text=RIGHT)
    expect(row).to_contain_text(f"in the place of: {WRONG}")
    clicks.on(page.get_by_label("with history"))
    clicks.on(page.get_by_role("button", name="Filter"))
    page.wait_for_url("**all=1*")
    visitor.settled()
    old = page.locator(".fact-row.is-gone")
    expect(old).to_contain_text(WRONG)
    expect(old).to_contain_text(f"now: {RIGHT}")
    expect(old).to_contain_text("no longer holds")
    assert clicks.count <= MOST_CLICKS


def test_a_fact_is_erased_wherever_it_was_said(visitor: Visitor, traveller: str) -> None:
    memories = visitor.console.service.memories
    page, clicks = visitor.open(f"conversations?owner={traveller}"), Clicks()
    clicks.on(page.get_by_role("link", name="Facts"))
    page.wait_for_url("**/facts*")
    visitor.settled()
    row = page.locator(".fact-row").filter(has_text=SECRET)
    clicks.on(row.get_by_role("button", name="Erase …"))
    clicks.on(page.get_by_role("button", name="Keep it"))
    clicks.on(row.get_by_role("button", name="Erase …"))
    clicks.on(page.get_by_role("button", name="Erase it"))

    expect(page.get_by_text("Erased.")).to_be_visible(timeout=300_000)
    expect(page.locator(".fact-row").filter(has_text="marmalade")).to_have_count(0)
    assert clicks.count <= MOST_CLICKS
    found = memories.search("code of the locker", "hybrid", {"user_id": "u-4711"})
    assert "marmalade" not in found.model_dump_json()
    for conversation in ("trip-of-tomas", "gym-of-tomas"):
        inspection = memories.inspect(conversation, {"user_id": "u-4711"})
        assert inspection is None or "marmalade" not in inspection.model_dump_json()


def test_all_that_is_remembered_of_somebody_can_be_downloaded(visitor: Visitor, traveller: str) -> None:
    page = visitor.open(f"facts?owner={traveller}")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download all that is remembered").click()
    assert started.value.suggested_filename == "mneme-export.jsonl"
    lines = started.value.path().read_text(encoding="utf-8").splitlines()
    assert '"mneme":"export"' in lines[0].replace(" ", "")
    assert any("tomas" in line for line in lines)
