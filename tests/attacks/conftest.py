"""Count what the attacks try: each test says how many inputs it sent, and a run ends with their sum.

A test fails at the first input that gets through, so in a green run all that were tried were held. ``make attacks`` runs the
long forms.
"""

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from tests.serving.rest.conftest import memory_settings

__all__ = ["memory_settings"]  # a fixture

Input = TypeVar("Input")
_NAME = "inputs tried"


@pytest.fixture(scope="session")
def is_long() -> bool:
    """True where the long form of each attack is wanted (``MNEME_TEST_ATTACKS=long``)."""
    return os.environ.get("MNEME_TEST_ATTACKS") == "long"


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[[Sequence[Input]], Sequence[Input]]:
    """Count inputs and give them back: ``for name in tried(NAMES): ...``."""

    def count(inputs: Sequence[Input]) -> Sequence[Input]:
        record_property(_NAME, len(inputs))
        return inputs

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the sum of all that was tried, and how many tests held."""
    reports = terminalreporter.stats.get("passed", [])
    counts = [int(str(value)) for report in reports for name, value in report.user_properties if name == _NAME]
    if counts:
        terminalreporter.write_line(f"attacks: {sum(counts)} inputs tried in {len(counts)} counts, all held")
