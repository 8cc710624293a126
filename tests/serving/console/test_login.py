"""The console where keys are set: nobody without one, a tenant's sees the tenant, the operator's sees the flow."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from starlette.requests import Request

import flows
from mneme.settings import load_settings
from serving.console.gate import is_same_site
from serving.service.service import Service
from tests.serving.console.conftest import EXAMPLES, Console, Visitor, served, visiting

OPERATOR, TENANT, OTHER = "operator-key-of-the-tests", "tenant-key-of-the-tests", "other-key-of-the-tests"


@pytest.fixture(scope="module")
def guarded(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    folder = tmp_path_factory.mktemp("guarded")
    talk = folder / "talk.jsonl"
    talk.write_text("".join((EXAMPLES / "friends.jsonl").read_text().splitlines(keepends=True)[:6]))
    keys = {OPERATOR: "*", TENANT: "default", OTHER: "elsewhere"}
    asked = {"keys": keys, "intake": "none", "requests_per_minute": 0}
    settings = load_settings({}, data=folder / "data", embedder={"provider": "hash"}, service=asked)
    flows.ingest([talk], settings)
    with Service(settings) as service, served(service) as console:
        yield console


@pytest.fixture
def visitor(window: Page, guarded: Console) -> Iterator[Visitor]:
    with visiting(window, guarded) as visitor:
        yield visitor


def log_in(visitor: Visitor, key: str) -> None:
    visitor.page.goto(visitor.console.url + "login")
    visitor.page.get_by_label("Key").fill(key)
    visitor.page.get_by_role("button", name="Log in").click()


def test_without_a_key_every_page_leads_to_the_door(visitor: Visitor) -> None:
    for address in ("", "conversations", "search?q=x", "flow", "document?id=handbook.md"):
        visitor.page.goto(visitor.console.url + address)
        assert visitor.page.url.endswith("/login")
    assert visitor.serious_findings() == []


def test_the_address_of_the_service_leads_to_the_console(visitor: Visitor) -> None:
    visitor.page.goto(visitor.console.url.removesuffix("console/"))
    assert visitor.page.url == visitor.console.url + "login"


def test_a_wrong_key_is_told_so(visitor: Visitor) -> None:
    log_in(visitor, "no-key-of-this-service")

    expect(visitor.page.get_by_role("alert")).to_have_text("This key is not one of this service's.")
    assert visitor.page.context.cookies() == []


def test_a_tenants_key_shows_that_tenant_whatever_the_address_says_and_no_flow(visitor: Visitor) -> None:
    log_in(visitor, OTHER)
    visitor.page.wait_for_url("**/conversations")

    page = visitor.open("conversations?tenant=default&owner=user:mira")
    expect(page.get_by_text("mira in elsewhere").or_(page.get_by_text("user in elsewhere"))).to_be_visible()
    expect(page.get_by_text("No conversations here.")).to_be_visible()
    expect(page.get_by_role("link", name="Flow")).to_have_count(0)
    page = visitor.open("flow")
    expect(page.get_by_role("alert")).to_contain_text("only the operator's key")
    expect(page.get_by_text("Dead letters", exact=True)).to_have_count(0)


def test_the_operators_key_shows_the_flow_until_it_is_logged_out(visitor: Visitor) -> None:
    log_in(visitor, OPERATOR)
    visitor.page.wait_for_url("**/conversations")

    page = visitor.open("flow")
    expect(page.get_by_role("heading", name="Dead letters")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    visitor.page.goto(visitor.console.url + "flow")
    assert visitor.page.url.endswith("/login")


def test_a_tenants_key_shows_its_memories_and_no_way_to_write_where_nothing_is_taken_in(visitor: Visitor) -> None:
    log_in(visitor, TENANT)
    visitor.page.wait_for_url("**/conversations")

    page = visitor.open("conversations?owner=user:mira")
    expect(page.get_by_role("link", name="jason-and-mira")).to_be_visible()
    visitor.open("facts?owner=user:mira")
    expect(page.locator(".fact-row").first).to_be_visible()
    expect(page.get_by_role("button", name="Erase …")).to_have_count(0)


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, True),  # a program, no browser
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, True),
        ({"origin": "https://mneme.example"}, True),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "same-site", "origin": "https://mneme.example"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "https://mneme.example:8443"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
    ],
)
def test_a_request_of_another_site_is_told_apart(headers: dict[str, str], is_ours: bool) -> None:
    raw = [(name.encode(), value.encode()) for name, value in {"host": "mneme.example", **headers}.items()]
    assert is_same_site(Request({"type": "http", "method": "POST", "path": "/", "headers": raw})) is is_ours
