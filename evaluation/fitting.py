"""What every `mneme bench fit` command that fits a regression checks before it takes anything in."""

from pathlib import Path

from evaluation.boundary_model import logistic_regression
from mneme.errors import InputError


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
