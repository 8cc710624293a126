"""Elements of a page by their HTML names, and dates and numbers as the console writes them. Texts are never markup."""

from datetime import UTC, datetime
from typing import Any

from nicegui.elements.mixins.text_element import TextElement

from serving.terminal import format as terminal
from serving.terminal.format import count

_ICONS = {  # paths of 24 by 24, drawn as lines
    "conversations": "M21 12a8 8 0 0 1-8 8H4l2-3.2A8 8 0 1 1 21 12z",
    "facts": "M4 5h16M4 12h16M4 19h10M17 17l2 2 3-4",
    "search": "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20.5 20.5 16 16",
    "graph": "M5 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM19 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 21a2.5 2.5 0 1 0 0-5"
    " 2.5 2.5 0 0 0 0 5zM7.4 6.2l9.2 2.6M6 8l2.4 8M10.8 16.8l6.6-5.4",
    "profile": "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c.6-4 3.8-6 8-6s7.4 2 8 6",
    "documents": "M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h7",
    "flow": "M3 8c3-4 6-4 9 0s6 4 9 0M3 16c3-4 6-4 9 0s6 4 9 0",
    "menu": "M4 6h16M4 12h16M4 18h16",
    "sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4"
    "M17.6 6.4 19 5",
    "moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
    "auto": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M12 8h6.5M12 12h9M12 16h6.5",
    "scissors": "M6 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 21a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.5 8 20 18M8.5 16 20 6",
}


def tag(name: str, /, text: str = "", classes: str = "", **attributes: str | float | bool | None) -> TextElement:
    """An element, in the one that is open; a context manager that opens it.

    Args:
        name: of HTML or SVG.
        text: shown as it is.
        classes: of the theme, with spaces between.
        attributes: ``aria_label`` is ``aria-label``, ``for_`` is ``for``; None is left out.
    """
    element = TextElement(tag=name, text=text)
    if classes:
        element.classes(classes)
    for key, value in attributes.items():
        if value is not None:
            element.props[key.rstrip("_").replace("_", "-") if key != "viewBox" else key] = value
    return element


def icon(name: str) -> TextElement:
    """A small picture beside a word; it says nothing of its own."""
    with tag("svg", classes="icon", viewBox="0 0 24 24", aria_hidden="true", focusable="false") as picture:
        tag("path", d=_ICONS[name])
    return picture


def link(text: str, to: str, classes: str = "", **attributes: Any) -> TextElement:
    """A link to another page of the console."""
    return tag("a", text, classes, href=to, **attributes)


def chip(text: str, kind: str = "", **attributes: Any) -> TextElement:
    """A word in a small frame, coloured by the kind of memory or the state that it names."""
    return tag("span", text, f"chip {f'is-{kind}' if kind else ''}", **attributes)


def heading(title: str, said: str = "") -> TextElement:
    """The name of a page and a line about it; a context manager for what else stands there."""
    with tag("div", classes="heading") as place:
        tag("h1", title)
        if said:
            tag("p", said, "quiet")
    return place


def section(name: str, title: str, classes: str = "card") -> TextElement:
    """A part of a page under its title, by which it is named; a context manager for what stands in it."""
    with tag("section", classes=classes, aria_labelledby=f"{name}-title") as place:
        tag("h2", title, id=f"{name}-title")
    return place


def field(title: str, name: str, element: str = "input", classes: str = "field", **attributes: Any) -> None:
    """A field of a form with its label; ``id`` is needed."""
    with tag("div", classes=classes):
        tag("label", title, for_=attributes["id"])
        tag(element, name=name, **attributes)


def choice(title: str, name: str, kind: str, is_chosen: bool, value: str | None = None) -> None:
    """A box or a button of a form with its label; ``kind`` is ``checkbox`` or ``radio``."""
    with tag("label"):
        tag("input", type=kind, name=name, value=value, defaultChecked=is_chosen or None)
        tag("span", title)


def anew(place: TextElement) -> TextElement:
    """A part of a page without what stood in it, to be opened."""
    place.clear()
    return place


def nothing(text: str, hint: str = "") -> None:
    """Say that there is nothing to show, and what would bring something."""
    with tag("div", classes="nothing"):
        tag("p", text)
        if hint:
            tag("p", hint, "quiet")


def notice(text: str, kind: str = "note") -> None:
    """A remark of the program on what is shown below it."""
    tag("p", text, f"notice is-{kind}", role="alert" if kind == "problem" else "status")


__all__ = ["count", "day", "expected", "moment", "number", "seconds", "span", "whole_day"]


def moment(at: datetime) -> str:
    """``5 Mar 2025, 12:31``. Every time of the console is UTC, so that two pages never tell two times of one thing."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M}"


def day(at: datetime) -> str:
    """``5 Mar 2025``."""
    return f"{at.astimezone(UTC).day} {at.astimezone(UTC):%b %Y}"


def whole_day(at: datetime) -> str:
    """The day of something dated by days: it begins at the speaker's midnight, which may be late on the day before in UTC."""
    return terminal.whole_day(at.astimezone(UTC), day)


def span(start: datetime, end: datetime) -> str:
    """``5 Mar 2025, 12:31 – 12:53``; both days where there are two."""
    first, last = start.astimezone(UTC), end.astimezone(UTC)
    if first.date() == last.date():
        return f"{moment(start)} – {last:%H:%M}" if last > first else moment(start)
    return f"{moment(start)} – {moment(end)}"


def expected(start: datetime | None, end: datetime | None) -> str:
    """The days of something expected, as precisely as was said: a day, a week from its first to its last, a month or a year."""
    if start is None:
        return f"until {day(end)}" if end is not None else ""
    return terminal.expected(start, end, day, "%b %Y")


def number(value: float) -> str:
    """``12,345``; below 10 with two digits behind the point, below 0.01 with two that count."""
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) < 0.01:
        return f"{value:.2g}"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.0f}"


def seconds(value: float) -> str:
    """``5 ms``, ``0.4 s``, ``12 s``, ``3 min``."""
    if value < 0.1:
        return f"{value * 1000:.0f} ms"
    if value >= 120:
        return f"{value / 60:.0f} min"
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"
