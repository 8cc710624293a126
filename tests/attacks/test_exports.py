"""What a service writes to make an answer of it: nothing of it stays on the disk, however the answer is asked for."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mneme.settings import Settings
from tests.serving.rest.conftest import WHOSE, client_of, memory_settings

__all__ = ["memory_settings"]  # a fixture

RANGES = ("", "bytes=x", "bytes=99999999-", "bytes=0-1", "bytes=0-1,4-5", "lines=1-2")
Tried = Callable[[Sequence[Any]], Sequence[Any]]


def test_an_export_leaves_no_copy_of_a_memory_behind_whatever_part_of_it_is_asked_for(
    memory_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with client_of(memory_settings) as client:
        for asked in tried(RANGES):
            told = client.get("/api/v1/export", params=WHOSE, headers={"Range": asked} if asked else {})
            assert told.status_code == 200
            assert int(told.headers["content-length"]) == len(told.content)
            assert list(tmp_path.iterdir()) == [], asked
