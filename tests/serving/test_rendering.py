"""How results look: one ranking over all types, days as the speakers had them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from rich.console import Console

from mneme.records import AtomicFact, Episode, Owner
from queries.responses import (
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    Metrics,
    QueryEcho,
    SearchResponse,
    TraceStep,
)
from serving.rendering import count, episode_panel, expected, search_result, span

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
BERLIN = timezone(timedelta(hours=2))


def printed(renderable: object, width: int = 100) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"), force_terminal=False)  # noqa: SIM115
    console.print(renderable)
    return console.export_text()
