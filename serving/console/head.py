"""What stands in the head of every page: the theme, from this package and nowhere else."""

import hashlib
from functools import cache
from pathlib import Path

from nicegui import ui

_THEME = Path(__file__).parent / "theme"


def head() -> None:
    """Add the theme to the page that is being built."""
    ui.add_head_html(links())
    within = ui.context.client.content.parent_slot
    if within is not None:
        within.parent.props["role"] = "none"  # NiceGUI puts everything into a <main>; ours is the one


@cache
def links() -> str:
    """The theme, for the head of a page."""
    colours, css, script = (f"theme/{name}?{_digest(name)}" for name in ("colours.js", "console.css", "console.js"))
    return f'<script src="{colours}"></script><link rel="stylesheet" href="{css}"><script src="{script}" defer></script>'


def _digest(name: str) -> str:
    """A new version has a new address, so a browser may keep the old one as long as it likes."""
    return hashlib.sha256((_THEME / name).read_bytes()).hexdigest()[:12]
