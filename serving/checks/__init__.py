"""Checks of ``mneme doctor``, by group. Each check says what is wrong and how to fix it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

State = Literal["ready", "partly", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: what it belongs to: ``documents``.
        name: what it is.
        by: what does it, or what was found.
        state: ready, partly (less works, or at a risk), or missing.
        remedy: what is wrong, and how to mend it; empty when it is ready.
        needed: whether nothing works without it, by the settings.
    """

    group: str
    name: str
    by: str
    state: State
    remedy: str = ""
    needed: bool = False


def is_fit(checks: Iterable[Check]) -> bool:
    """Tell that nothing that is needed is missing."""
    return not any(check.needed and check.state == "missing" for check in checks)
