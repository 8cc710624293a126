"""What ``from connectors import ...`` offers."""

import subprocess
import sys

import pytest

import connectors


def test_every_public_name_can_be_imported():
    assert [name for name in connectors.__all__ if getattr(connectors, name).__name__ != name] == []
    assert connectors.__all__ == sorted(connectors.__all__)


def test_another_name_is_an_error():
    with pytest.raises(AttributeError, match="Nonsense"):
        connectors.Nonsense  # noqa: B018


def test_importing_the_room_imports_no_client():
    program = (
        "import connectors, sys; print([m for m in ('kafka', 'opensearchpy', 'lancedb', 'onnxruntime') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
