"""One look at one page: who looks, at whose memory, and what the address says."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlencode

from anyio import to_thread
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.requests import Request

from mneme.records import Owner
from queries.browsing.responses import OwnerSummary
from serving.console.markup import tag
from serving.rest.keys import Caller
from serving.rest.middleware import state
from serving.rest.pools import PoolKind, RequestPools
from serving.service.service import Service

POOLS = "mneme.pools"  # where the mount lays them into the scope of a request
SENT_EVENT = "sent"  # what theme/console.js makes of a form that is sent, in place of loading a page; ``detail`` has its fields
AT_ONCE = 0.5  # seconds that a page waits before it is shown without what is still being fetched

P = ParamSpec("P")
R = TypeVar("R")


class PageClosed(Exception):
    """The page was closed while it was being filled in: there is nothing left to show anything on."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A look at a page.

    ``owners`` are those whose memory there is in the tenant; ``owner`` the one that is looked at. ``names`` are what they call
    themselves, by the names of ``owner_name``.
    """

    request: Request
    service: Service
    caller: Caller
    tenant_id: str
    owners: tuple[OwnerSummary, ...] = ()
    owner: Owner | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the owner, as a person says it."""
        return "" if self.owner is None else self.names.get(owner_name(self.owner) or "", self.owner.id)

    @property
    def has_memories(self) -> bool:
        """Tell whether anything was ever said to the owner's memory."""
        owner = self.owner
        return owner is not None and any((each.type, each.id) == (owner.type, owner.id) for each in self.owners)

    def parameter(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return self.request.query_params.get(name, default).strip()

    def filters(self, **more: Any) -> dict[str, Any]:
        """Filters of the owner, as ``queries.filtering.filters.Filters`` takes them; empty values are left out."""
        owner = {"tenant_id": self.tenant_id} if self.owner is None else self.owner.ids
        return {**owner, **{name: value for name, value in more.items() if value}}

    def link(self, page: str, **said: str | int | None) -> str:
        """The address of a page about the same owner."""
        place = {"tenant": None if self.tenant_id == "default" else self.tenant_id, "owner": owner_name(self.owner), **said}
        query = urlencode({name: value for name, value in place.items() if value not in (None, "")})
        return f"{page}?{query}" if query else page

    def hidden_fields(self) -> None:
        """Whose memory it is, for a form that opens another page."""
        for name in ("owner", "tenant"):
            if value := self.parameter(name):
                tag("input", type="hidden", name=name, value=value)

    def question_form(
        self, page: str, name: str, title: str, placeholder: str, option: tuple[str, str, str], send: str
    ) -> TextElement:
        """A form of one text and one option (its name, value and title), whose answer is a page at an address of its own."""
        with tag("form", classes="question", method="get", action=page, role="search", aria_label=page.capitalize()) as form:
            self.hidden_fields()
            value = self.parameter(name)
            tag(
                "input",
                name=name,
                id="question",
                type="search",
                aria_label=title,
                placeholder=placeholder,
                defaultValue=value,
                autocomplete="off",
            )
            with tag("label", classes="inline"):
                chosen = self.parameter(option[0]) == option[1] or None
                tag("input", type="checkbox", name=option[0], value=option[1], defaultChecked=chosen)
                tag("span", option[2])
            tag("button", send, "primary", type="submit")
        return form

    def begin_of_page(self, total: int) -> int:
        """The place of the first item of a page of a list, as the address says."""
        said = self.parameter("from")
        return min(int(said), max(0, total - 1)) if said.isdecimal() and len(said) < 9 else 0

    def paging(
        self, page: str, begin: int, size: int, total: int, words: tuple[str, str] = ("Earlier", "Later"), **said: Any
    ) -> None:
        """The ways to the pages before and behind one; none where there is one page."""
        if total <= size:
            return
        with tag("nav", classes="paging", aria_label=f"More of {total}"):
            if begin:
                tag("a", words[0], href=self.link(page, **said, **{"from": max(0, begin - size)}))
            tag("span", f"{begin + 1} to {min(begin + size, total)} of {total}", "quiet")
            if begin + size < total:
                tag("a", words[1], href=self.link(page, **said, **{"from": begin + size}))

    async def fetch(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Result of a slow call. A page that waits for it is shown after a moment, and filled in later.

        Raises:
            MnemeError: what the call raises.
            PageClosed: nobody looks any more.
        """
        work = asyncio.ensure_future(self.in_thread("searches", function, *arguments, **named))
        await asyncio.wait({work}, timeout=AT_ONCE)
        if not work.done():
            with tag("div", classes="waiting", role="status") as waiting:
                tag("span", "Looking …")
            client = ui.context.client
            await client.connected(timeout=None)
            await asyncio.wait({work})
            if client.is_deleted:
                raise PageClosed
            with suppress(ValueError):  # another event drew this part of the page again meanwhile
                waiting.delete()
        return work.result()

    async def in_thread(self, kind: PoolKind, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Run a slow call beside the event loop, in a turn of whoever looks, as a request of REST has one."""
        pools: RequestPools = self.request.scope[POOLS]
        async with pools.turn(kind, state(self.request.scope)["identity"]):
            return await to_thread.run_sync(lambda: function(*arguments, **named))


def fields_of(given: Any) -> dict[str, str]:
    """The fields of a form that was sent (``SENT_EVENT``)."""
    fields = given.get("detail") if isinstance(given, dict) else None
    return {str(name): str(value).strip() for name, value in fields.items()} if isinstance(fields, dict) else {}


def owner_name(owner: Owner | None) -> str | None:
    """An owner as an address names one: ``user:mira``."""
    return None if owner is None else f"{owner.type}:{owner.id}"


def owner_of(name: str, tenant_id: str) -> Owner | None:
    """The owner that an address names; None where it names none."""
    kind, _, identity = name.partition(":")
    if kind in ("user", "group", "agent") and identity:
        return Owner(tenant_id=tenant_id, type=kind, id=identity)
    return None
