"""Shared parts of the `mneme bench fit` commands: scikit-learn, the check before a run, and the files of fitted entries."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from mneme.errors import InputError, SettingsError

Entry = TypeVar("Entry", bound=BaseModel)


def logistic_regression() -> Any:
    """The class of scikit-learn. Commands call this first, so that nobody waits for vectors in vain.

    Raises:
        SettingsError: it is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ModuleNotFoundError as error:
        raise SettingsError(
            "fitting needs scikit-learn, which only development installs: pip install 'scikit-learn>=1.6'"
        ) from error
    return LogisticRegression


def check_ready(out: Path) -> None:
    """Refuse to begin where the result could not be fitted or written.

    Args:
        out: the file that will be written.

    Raises:
        InputError: ``out`` is a folder, or in none.
        SettingsError: scikit-learn is not installed.
    """
    logistic_regression()
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"out: {out} is no file in a folder that exists; choose another")


def write_entry(out: Path, entry: Entry, key: Callable[[Entry], Any]) -> None:
    """Write an entry into a file of several, in place of that with the same key; the others are kept.

    Raises:
        InputError: the file cannot be written, or holds something else.
    """
    entries: TypeAdapter[list[Entry]] = TypeAdapter(list[type(entry)])  # type: ignore[misc, arg-type]
    try:
        kept = entries.validate_json(out.read_text(encoding="utf-8")) if out.exists() else []
        kept = sorted([*(each for each in kept if key(each) != key(entry)), entry], key=key)
        out.write_bytes(entries.dump_json(kept, indent=1) + b"\n")
    except (OSError, ValueError) as error:
        raise InputError(f"out: {out} cannot be written or holds no coefficients ({error}); choose another file") from error
