"""An erasure in a file says itself when it was asked for: one of a distant future would keep its owner out for ever."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from mneme.errors import InputError
from mneme.events import parse_event

WHOSE = {
    "erase": {"user_id": "mira"},
    "forget": {"conversation_id": "c"},
    "forget_document": {"document_id": "d", "user_id": "mira"},
}


def event(kind: str, requested_at: datetime) -> bytes:
    return json.dumps({"event": kind, "requested_at": requested_at.isoformat(), **WHOSE[kind]}).encode()


@pytest.mark.parametrize("kind", WHOSE)
@pytest.mark.parametrize("later", [timedelta(days=1, minutes=1), timedelta(days=365 * 7000)])
def test_an_erasure_of_a_file_is_not_of_the_future(kind: str, later: timedelta) -> None:
    with pytest.raises(InputError, match=r"^requested_at: .* more than a day after"):
        parse_event(event(kind, datetime.now(UTC) + later), received_at=None)


@pytest.mark.parametrize("kind", WHOSE)
def test_one_that_arrived_counts_from_its_arrival_whatever_it_says(kind: str) -> None:
    assert parse_event(event(kind, datetime(9990, 1, 1, tzinfo=UTC)), received_at=datetime.now(UTC)).event == kind
    assert parse_event(event(kind, datetime.now(UTC)), received_at=None).event == kind
