"""What a page of the console may load and run: files of this service, and the scripts that stand in NiceGUI's template.

The template has its scripts within the page, so they are let in by a nonce that is new with each page. The nonce is written
into the source of the template, before anything is filled in: a script that came in with a name or a text would have none.
Nothing is made of strings (``eval``): what the console does in the browser is in theme/console.js.
"""

import secrets

from jinja2.ext import Extension
from nicegui.client import templates
from starlette.types import Scope

_NONCE = "mneme.nonce"  # in the scope of a request
_TAGS = ("<script", "<style")

_EMPTY = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"  # NiceGUI's styles of a page's own components, which has none

# Rights of the door, which runs no script within the page.
DOOR = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def new_nonce(scope: Scope) -> str:
    """The nonce of the page that a request asks for."""
    nonce: str = scope.setdefault(_NONCE, secrets.token_urlsafe(16))
    return nonce


def page_policy(nonce: str) -> str:
    """The policy of a page. Styles may stand at elements, where the widths of bars are; they can do no more than look."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}' {_EMPTY}; "
        "style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )


class _Nonces(Extension):
    """Writes the nonce to the scripts and styles of a template."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """See ``Extension``."""
        for tag in _TAGS:
            source = source.replace(tag, f'{tag} nonce="{{{{ request.scope["{_NONCE}"] }}}}"')
        return source


def install() -> None:
    """Let NiceGUI's pages have their nonce."""
    templates.env.add_extension(_Nonces)
