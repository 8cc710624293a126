"""Values at the edge of what can be are refused or answered, never an error inside; and no answer leaves a copy on the disk."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mneme.settings import Settings
from tests.serving.rest.conftest import WHOSE, client_of

API = "/api/v1"
MOMENTS = ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")
RANGES = ("", "bytes=x", "bytes=99999999-", "bytes=0-1", "bytes=0-1,4-5", "lines=1-2")
HALVES = ('{"\\ud800": "a"}', '{"a": "\\udfff"}')
Tried = Callable[[Sequence[Any]], Sequence[Any]]


def test_a_moment_in_no_year_is_refused_wherever_it_is_asked_for(memory_settings: Settings, tried: Tried) -> None:
    with client_of(memory_settings) as client:
        for moment in tried(MOMENTS):
            may_be = (200,) if moment.endswith("Z") else (422,)
            for name in ("since", "before"):
                for list_of in ("memories", "conversations", "documents"):
                    told = client.get(f"{API}/{list_of}", params=WHOSE | {name: moment})
                    assert told.status_code in may_be, (list_of, name, moment, told.text)
            for name in ("since", "before", "as_of"):
                filters = WHOSE | {name: moment}
                told = client.get(f"{API}/memories", params=WHOSE | {"filters": json.dumps({name: moment})})
                assert told.status_code in (*may_be, 422), (name, moment, told.text)
                told = client.post(f"{API}/memories/search", json={"query": "what happened last year?", "filters": filters})
                assert told.status_code in may_be, (name, moment, told.text)


def test_half_a_character_in_metadata_is_refused(memory_settings: Settings, tried: Tried) -> None:
    settings = memory_settings.model_copy(update={"service": memory_settings.service.model_copy(update={"intake": "inbox"})})
    with client_of(settings) as client:
        for metadata in tried(HALVES):
            told = client.post(f"{API}/documents", data={**WHOSE, "metadata": metadata}, files={"file": ("a.txt", b"x")})
            assert told.status_code == 422, told.text


def test_an_export_leaves_no_copy_of_a_memory_behind_whatever_part_of_it_is_asked_for(
    memory_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with client_of(memory_settings) as client:
        for asked in tried(RANGES):
            told = client.get(f"{API}/export", params=WHOSE, headers={"Range": asked} if asked else {})
            assert told.status_code == 200
            assert int(told.headers["content-length"]) == len(told.content)
            assert list(tmp_path.iterdir()) == [], asked
