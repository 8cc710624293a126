"""What callers import from ``queries``."""

import pytest

import queries


def test_every_public_name_is_there_and_sorted() -> None:
    assert [name for name in queries.__all__ if getattr(queries, name).__name__ != name] == []
    assert queries.__all__ == sorted(queries.__all__)


def test_any_other_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memory'"):
        _ = queries.Memory
