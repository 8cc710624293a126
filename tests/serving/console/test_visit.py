"""A look at a page: what it does when nobody looks any more."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from serving.console import visit


class ClosedPage:
    is_deleted = True

    def __init__(self) -> None:
        self.waited_for = asyncio.Event()

    async def connected(self, timeout: float | None) -> None:
        self.waited_for.set()


def test_a_page_that_was_closed_while_it_waited_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "AT_ONCE", 0.0)
    page = ClosedPage()
    monkeypatch.setattr(visit, "ui", SimpleNamespace(context=SimpleNamespace(client=page)))
    monkeypatch.setattr(visit, "tag", lambda *_, **__: nullcontext())

    async def in_thread(*_: Any) -> str:
        await page.waited_for.wait()
        return "found"

    looking: Any = SimpleNamespace(in_thread=in_thread)
    with pytest.raises(visit.PageClosed):
        asyncio.run(visit.Visit.fetch(looking, lambda: "found"))
