"""Everything outside the process: Kafka, files, indices, models. Importing this room imports no client library."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from connectors.publisher import Publisher

__all__ = ["Publisher"]

_MODULES = {"Publisher": "connectors.publisher"}


def __getattr__(name: str) -> Any:
    """Import a public name's module when it is first asked for (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
