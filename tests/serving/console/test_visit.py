"""A look at a page: what it does when nobody looks any more."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from serving.console import visit


class ClosedPage:
    is_deleted = True

    async def connected(self, timeout: float | None) -> None:
        pass


def test_a_page_that_was_closed_while_it_waited_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit, "AT_ONCE", 0.0)
    monkeypatch.setattr(visit, "ui", SimpleNamespace(context=SimpleNamespace(client=ClosedPage())))
    monkeypatch.setattr(visit, "tag", lambda *_, **__: nullcontext())

    async def in_thread(*_: Any) -> str:
        await asyncio.sleep(0)
        return "found"

    looking: Any = SimpleNamespace(in_thread=in_thread)
    with pytest.raises(visit.PageClosed):
        asyncio.run(visit.Visit.fetch(looking, lambda: "found"))
