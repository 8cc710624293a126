"""Questions for all of a kind: their items stand in the context that a writer gets."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from connectors.models import open_embedder
from evaluation.bench_lists import run_lists
from mneme.errors import MnemeError
from mneme.settings import load_settings

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_nine_of_ten_items_stand_in_a_context_of_1500_tokens(tmp_path: Path) -> None:
    settings = load_settings({}, data=tmp_path / "data", index={"backend": "embedded"})
    try:
        open_embedder(settings).close()
    except MnemeError as error:
        pytest.skip(str(error))
    report = run_lists(EXAMPLES, settings, Console(file=io.StringIO()))
    assert report.settings["context_tokens"] == 1500
    assert report.rows[0]["share"] >= 0.9, report.parts["missing"]
