"""Checks of ``mneme doctor``, by group. Each check says what is wrong and how to fix it."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from connectors.durable import is_locked
from mneme.errors import MnemeError, ModelTimeout, StoreUnavailable

State = Literal["ready", "partly", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        group: what it belongs to: ``documents``.
        name: what it is.
        by: what does it, or what was found.
        state: ready, partly (less works, or at a risk), missing, or unknown (it could not be asked).
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
    """Tell that all that is needed is there; of what could not be asked nobody knows."""
    return not any(check.needed and check.state in ("missing", "unknown") for check in checks)


def room_at(folder: Path) -> int:
    """Free bytes where a folder lies, or will lie.

    Raises:
        StoreUnavailable: it cannot be written.
    """
    at = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not os.access(at, os.W_OK):
        raise StoreUnavailable(f"{at} cannot be written; mend it, or set MNEME_DATA to another folder")
    return shutil.disk_usage(at).free


def flows_running(data: Path) -> frozenset[str]:
    """The names of the flows whose recovery stores below a data folder are held by a process."""
    return frozenset(folder.name for folder in data.glob("recovery/*/") if is_locked(folder))


def failed(group: str, name: str, by: str, error: MnemeError, needed: bool = True) -> Check:
    """A check that ended with an error: unknown where nobody answered, missing where the answer is no."""
    state: State = "unknown" if isinstance(error, StoreUnavailable | ModelTimeout) else "missing"
    return Check(group, name, by, state, str(error), needed)
