"""How long the tests of faults take: ``MNEME_TEST_FAULTS=long pytest --timeout 0 tests/faults`` gives them their full size."""

import os

import pytest

from evaluation.faults.scenario import Size


@pytest.fixture
def size() -> Size:
    """Short, unless the environment asks for the long form."""
    return Size(os.environ.get("MNEME_TEST_FAULTS", Size.SHORT))
