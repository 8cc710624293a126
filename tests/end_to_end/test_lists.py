"""Questions for all of a kind: their items stand in the context that a writer gets."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import flows
from connectors.models import open_embedder
from mneme.errors import MnemeError
from mneme.settings import load_settings
from queries import Memories

pytestmark = pytest.mark.slow

FRIENDS = Path(__file__).parents[2] / "examples" / "friends.jsonl"

ITEMS = {
    "Which pets do Mira and Jason have?": ("Pixel", "Semikolon", "Biscuit"),
    "Which places have Jason and Mira planned to travel to?": ("Lofoten", "Föhr"),
    "Which restaurants have Mira and Jason talked about?": ("Trattoria Lupo", "Quan Do"),
    "Which companies has Jason worked for?": ("Hafenlinie", "Tideworks"),
    "Who are the people in Jason's family?": ("Adaeze", "Mum", "Tom"),
    "What are all the costs of the trip to Lofoten?": ("412 euros", "890 euros", "860 euros"),
    "Which health problems has Jason had?": ("left knee", "allergic to hazelnuts"),
    "How many kilos has Biscuit weighed, all times?": ("17 kilos", "Fourteen", "15.8 kilos"),
    "What are all plans for Jason's last week at Hafenlinie?": (
        "customs module",
        "gauge seven",
        "dentist",
        "cake",
        "Mum",
    ),
    "Which salaries and working days have been offered to Jason?": ("74,000", "68,000", "70,500", "four days"),
}


def test_nine_of_ten_items_stand_in_a_context_of_1500_tokens(tmp_path: Path) -> None:
    settings = load_settings({}, data=tmp_path / "data", index={"backend": "embedded"})
    try:
        open_embedder(settings).close()
    except MnemeError as error:
        pytest.skip(str(error))
    flows.ingest([FRIENDS], settings)
    missing = []
    with Memories.open(settings, clock=lambda: datetime(2025, 6, 30, tzinfo=UTC)) as memories:
        for question, items in ITEMS.items():
            context = memories.context(question, {"user_id": "mira"}, max_tokens=1500)
            missing += [(question, item) for item in items if item not in context.text]
    assert len(missing) <= 0.1 * sum(map(len, ITEMS.values())), missing
