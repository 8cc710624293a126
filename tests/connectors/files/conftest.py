"""Exports read as the flow reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from connectors.files.files import read_file
from mneme.events import Message, parse_event
from mneme.times import utc_now


@pytest.fixture
def read(tmp_path: Path):
    def read(data: Any, name: str = "chat.json", **given: str) -> list[Message]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(data), encoding="utf-8")
        messages = [parse_event(one.raw, utc_now()) for one in read_file(path, **given)]
        assert all(isinstance(message, Message) for message in messages)
        return messages

    return read
