"""The frame of every page: navigation, choice of the owner, colours, and errors in words."""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.requests import Request

from mneme.errors import MnemeError
from mneme.records import Owner
from serving.console.gate import caller_of
from serving.console.markup import icon, link, notice, tag
from serving.console.visit import PageClosed, Visit, owner_of
from serving.service.service import Service

SERVICE, SESSIONS = "mneme.service", "mneme.sessions"  # where the mount lays them into the scope of a request

_PLACES = (
    ("conversations", "Conversations", ("conversation",)),
    ("facts", "Facts", ()),
    ("search", "Search", ()),
    ("graph", "Graph", ()),
    ("profile", "Profile", ()),
    ("documents", "Documents", ("document",)),
    ("flow", "Flow", ()),
)
_FOR_OPERATORS = ("flow",)
_MOST_OWNERS = 200  # in the chooser; others are named by hand
_MOST_NAMES = 30  # owners whose names are looked up

_log = logging.getLogger(__name__)

Content = Callable[[Visit], Awaitable[None]]


def page(path: str, title: str, needs_owner: bool = True) -> Callable[[Content], Content]:
    """Show what a function builds at this address, within the frame of the console."""

    def register(content: Content) -> Content:
        async def show(request: Request) -> None:
            await _show(request, path, title, content, needs_owner)

        ui.page(f"/{path}", title=f"{title} · Mneme", response_timeout=60.0)(show)
        return content

    return register


def visit_of(request: Request) -> Visit:
    """The caller and the memory that is looked at, as far as the address says it."""
    service: Service = request.scope[SERVICE]
    caller = caller_of(request)
    assert caller is not None, "the gate lets nobody else in"
    asked = request.query_params.get("tenant", "").strip() or None
    tenant_id = caller.tenant_of(asked if caller.is_operator else None)
    return Visit(request, service, caller, tenant_id, owner=owner_of(request.query_params.get("owner", "").strip(), tenant_id))


async def _show(request: Request, path: str, title: str, content: Content, needs_owner: bool) -> None:
    """Build a page; what goes wrong is shown in its place, in words."""
    visit = visit_of(request)
    ui.on_exception(_notify)
    failure: MnemeError | None = None
    try:
        visit = await _with_owner(visit)
    except MnemeError as error:
        failure = error
    main = _frame(visit, path)
    with main:
        try:
            if failure is not None:
                raise failure
            if path in _FOR_OPERATORS and not visit.caller.is_operator:
                tag("h1", title)
                notice("The flow and its dead letters are of all tenants: only the operator's key shows them.", "problem")
            elif needs_owner and visit.owner is None:
                tag("h1", title)
                _welcome()
            else:
                await content(visit)
        except PageClosed:
            return
        except MnemeError as error:
            show_failure(error)
        except Exception:  # noqa: BLE001  whatever it is, whoever looks must not see a stack trace
            _log.exception("the console could not show %s", visit.request.url.path)
            notice("This could not be shown: an error inside Mneme. The log of the service says which; try again.", "problem")
    main.props["aria-busy"] = "false"
    main.update()


def _notify() -> None:
    """Tell of an error after the page was built; NiceGUI has logged it.

    Each page has this for itself: what a button starts may have taken away the part of the page where the button was.
    """
    ui.notify("That did not work: an error inside Mneme. The log of the service says which.", type="negative", timeout=8000)


def show_failure(error: MnemeError) -> None:
    """An error of Mneme: its message says what is wrong and what to do."""
    with tag("section", classes="failure", role="alert"):
        tag("h2", "That did not work")
        tag("p", str(error))


async def _with_owner(visit: Visit) -> Visit:
    owners = await visit.in_thread("others", visit.service.memories.owners, visit.tenant_id)
    people = tuple(each for each in owners if each.type != "tenant")
    shown = [Owner(tenant_id=visit.tenant_id, type=each.type, id=each.id) for each in people[:_MOST_NAMES]]
    chosen = visit.owner or next(iter(shown), None)
    names = await visit.in_thread("others", _names_of, visit.service, [*([chosen] if chosen else []), *shown])
    return replace(visit, owners=people, owner=chosen, names=names)


_names: "WeakKeyDictionary[Service, dict[str, str]]" = WeakKeyDictionary()  # of owners, once they have said something


def _names_of(service: Service, owners: Sequence[Owner]) -> dict[str, str]:
    """The names under which owners speak, by the names of ``owner_name``. Blocks."""
    known = _names.setdefault(service, {})
    found = {}
    for owner in owners:
        if owner.key not in known:
            said = service.memories.browse("message", {**owner.ids, "participants": (owner.id,)}, limit=1).items
            if said and said[0].body["sender_id"] == owner.id:
                known[owner.key] = said[0].body["sender_name"]
        found[f"{owner.type}:{owner.id}"] = known.get(owner.key, owner.id)
    return found


def _frame(visit: Visit, path: str) -> TextElement:
    """A page around its content: a link that skips the way, the way, and ``main``, which is returned."""
    head()
    tag("a", "Skip to the content", "skip", href="#content")
    with tag("div", classes="console"):
        with tag("header", classes="side"):
            with tag("div", classes="brand"):
                with link("", visit.link("conversations"), "brand-name", aria_label="Mneme: to the conversations"):
                    with tag("svg", classes="mark", viewBox="0 0 32 32", aria_hidden="true"):
                        tag("rect", width=32, height=32, rx=8)
                        tag("path", d="M5 12c4-5 7-5 11 0s7 5 11 0M5 20c4-5 7-5 11 0s7 5 11 0")
                    tag("span", "Mneme")
                with tag(
                    "button", "", "menu-button", type="button", aria_label="Menu", aria_expanded="false", aria_controls="menu"
                ):
                    icon("menu")
            with tag("div", classes="menu", id="menu"):
                _whose(visit, path)
                _way(visit, path)
                with tag("div", classes="foot"):
                    _theme()
                    tag("small", "Times are UTC")
                    if visit.service.settings.service.keys:
                        with tag("form", method="post", action="logout"):
                            tag("button", "Log out", "plain", type="submit")
        return tag("main", classes="content", id="content", tabindex="-1", aria_busy="true")


def _way(visit: Visit, path: str) -> None:
    with tag("nav", classes="way", aria_label="Pages"), tag("ul"):
        for name, title, within in _PLACES:
            if name in _FOR_OPERATORS and not visit.caller.is_operator:
                continue
            current = "page" if path == name else "true" if path in within else None
            with tag("li"), link("", visit.link(name), aria_current=current):
                icon(name)
                tag("span", title)


def _whose(visit: Visit, path: str) -> None:
    """The chooser of the owner: a list of links that opens, and a field for one that is not in it."""
    owner = visit.owner
    with tag("details", classes="whose"):
        with tag("summary"):
            tag("span", "Whose memory:", "hidden")
            _face(visit.name or "?", owner.type if owner else "none")
            with tag("span", classes="whose-name"):
                tag("strong", visit.name or "Nobody yet")
                known_as = "" if owner is None or owner.id.casefold() == visit.name.casefold() else f"{owner.id}, "
                tag("small", f"{known_as}{owner.type} in {visit.tenant_id}" if owner else f"in {visit.tenant_id}")
        with tag("div", classes="whose-list"):
            place = path if path in {name for name, _, _ in _PLACES} else "conversations"
            with tag("ul"):
                for each in visit.owners[:_MOST_OWNERS]:
                    chosen = Owner(tenant_id=visit.tenant_id, type=each.type, id=each.id)
                    to = replace(visit, owner=chosen).link(place)
                    with tag("li"), link("", to, aria_current="true" if chosen == owner else None):
                        name = visit.names.get(f"{each.type}:{each.id}", each.id)
                        _face(name, each.type)
                        tag("span", name)
                        tag("small", each.type if name.casefold() == each.id.casefold() else f"{each.id}, {each.type}")
            with tag("form", method="get", action=place):
                tag("label", "Another, as type:id", for_="another-owner")
                tag("input", name="owner", id="another-owner", placeholder="user:mira", autocomplete="off")
                if visit.caller.is_operator:
                    tag("label", "Tenant", for_="another-tenant")
                    tag("input", name="tenant", id="another-tenant", defaultValue=visit.tenant_id, autocomplete="off")
                tag("button", "Show", type="submit")


def _face(name: str, kind: str) -> None:
    """The first letter of a name, drawn by the theme: it is said with the name beside it."""
    tag("span", "", f"face is-{kind}", aria_hidden="true", data_letter=name[:1].upper())


def _theme() -> None:
    with tag("div", classes="theme", role="group", aria_label="Colours"):
        for name, title, picture in (("light", "Light", "sun"), ("auto", "As the system", "auto"), ("dark", "Dark", "moon")):
            with tag("button", "", type="button", data_theme=name, aria_label=title, aria_pressed="false", title=title):
                icon(picture)


def _welcome() -> None:
    with tag("section", classes="card"):
        tag("h2", "Nothing is remembered yet")
        tag("p", "Send a first message, and it appears here within seconds:")
        tag("pre", "mneme publish examples/friends.jsonl", "command")


_THEME = Path(__file__).parent / "theme"


def head() -> None:
    """Add the theme to the page that is being built."""
    ui.add_head_html(links())
    within = ui.context.client.content.parent_slot
    if within is not None:
        within.parent.props["role"] = "none"  # NiceGUI puts everything into a <main>; ours is the one


_PAGE_ALONE = """<!doctype html>
<html lang="en-US">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Mneme</title>
<link rel="icon" href="{theme}icon.svg">
{links}
</head>
<body>
<main class="alone">
{main}
</main>
</body>
</html>
"""


def page_alone(title: str, main: str, root: str = "") -> str:
    """A page of plain HTML, with nothing of the console but its theme.

    Args:
        title: of the page.
        main: its content, as HTML.
        root: the address of the console with a slash at its end, where the page may be asked for anywhere below it; as HTML.
    """
    theme = f"{root}theme/"
    return _PAGE_ALONE.format(title=title, theme=theme, links=links().replace('"theme/', f'"{theme}'), main=main)


@cache
def links() -> str:
    """The theme, for the head of a page."""
    colours, css, script = (f"theme/{name}?{_digest(name)}" for name in ("colours.js", "console.css", "console.js"))
    return f'<script src="{colours}"></script><link rel="stylesheet" href="{css}"><script src="{script}" defer></script>'


def _digest(name: str) -> str:
    """A new version has a new address, so a browser may keep the old one as long as it likes."""
    return hashlib.sha256((_THEME / name).read_bytes()).hexdigest()[:12]
