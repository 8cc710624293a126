"""The cookie that stands for a key: it cannot be made up, ends, and ends with its key."""

import time

import pytest
from starlette.requests import Request

from serving.console.access import COOKIE, LASTS, caller_of, cookie_of, is_of_this_site
from serving.rest.keys import EVERYBODY

KEYS = {"a-key-of-sixteen-letters": "acme", "another-key-of-letters": "*"}


def asked(cookie: str = "", **headers: str) -> Request:
    named = {"cookie": f"{COOKIE}={cookie}", "host": "mneme.example", **headers}
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw})


def test_a_cookie_tells_whose_key_it_stands_for() -> None:
    cookie = cookie_of(" a-key-of-sixteen-letters ", KEYS)

    assert cookie is not None
    assert "sixteen" not in cookie
    assert (caller := caller_of(asked(cookie), KEYS))
    assert caller.tenant == "acme"


def test_no_key_gives_no_cookie_and_where_there_are_none_everybody_looks() -> None:
    assert cookie_of("a-key-of-another-service", KEYS) is None
    assert caller_of(asked(), {}) is EVERYBODY


@pytest.mark.parametrize("cookie", ["", ".", "x", "x.y.z", "é.1", "6161.", f"{'61' * 9}.{'0' * 64}"])
def test_a_cookie_that_was_made_up_is_refused(cookie: str) -> None:
    assert caller_of(asked(cookie), KEYS) is None


def test_a_cookie_of_one_tenant_does_not_become_anothers() -> None:
    cookie = cookie_of("a-key-of-sixteen-letters", KEYS) or ""
    said, _, signature = cookie.rpartition(".")
    changed = bytes.fromhex(said).decode().replace("acme", "*").encode().hex()

    assert caller_of(asked(f"{changed}.{signature}"), KEYS) is None


def test_a_cookie_ends_after_its_time_and_when_the_keys_change(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = cookie_of("a-key-of-sixteen-letters", KEYS) or ""

    assert caller_of(asked(cookie), {"another-key-of-letters": "*"}) is None
    assert caller_of(asked(cookie), KEYS | {"a-key-of-sixteen-letters": "elsewhere"}) is None
    later = time.time() + LASTS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert caller_of(asked(cookie), KEYS) is None


def test_a_form_of_another_site_is_told_apart() -> None:
    assert is_of_this_site(asked(sec_fetch_site="same-origin"))
    assert is_of_this_site(asked(origin="https://mneme.example"))
    assert not is_of_this_site(asked(sec_fetch_site="cross-site"))
    assert not is_of_this_site(asked(origin="https://evil.example"))
