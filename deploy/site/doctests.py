"""Sessions of Python in docstrings (``>>>``) as blocks of code: as text, their lists would be taken for links."""

import re
from typing import Any

import griffe

_SESSION = re.compile(r"(?:^>>> .*\n(?:(?!\s*$).*\n?)*)+", re.M)


class Doctests(griffe.Extension):
    """Fences every session, up to the empty line after it."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring is not None and ">>> " in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """A docstring with its sessions in fences."""
    return _SESSION.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", docstring)
