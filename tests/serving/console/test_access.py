"""A form of another site is told apart."""

import pytest
from starlette.requests import Request

from serving.console.gate import is_same_site


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
