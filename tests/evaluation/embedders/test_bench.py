"""The benchmark of embedders, on a made-up talk and made-up variants."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from connectors.embedders.hash_embedder import HashEmbedder
from evaluation.embedders import bench
from evaluation.embedders.bench import BATCHES, Shape, run_embedders, timed
from evaluation.embedders.variants import EXACT, Embed
from mneme.errors import InputError
from mneme.rows import Vector
from mneme.settings import Settings, load_settings
from tests.evaluation.made_up_sets import write_locomo_talk

TURNS = [("Ada", f"We spoke about subject{n} and thing{n} today") for n in range(30)]
QUESTIONS = [
    {"question": f"who spoke of subject{n} and thing{n}", "answer": "Ada", "evidence": [f"D1:{n + 1}"], "category": 4}
    for n in (3, 8, 17)
]
words = HashEmbedder().embed


def blind(texts: Sequence[str]) -> Vector:
    """Sees nothing: every text is the same."""
    vectors = np.zeros((len(texts), 384), np.float32)
    vectors[:, 0] = 1
    return vectors


def short(texts: Sequence[str]) -> Vector:
    """Vectors of another space."""
    return blind(texts)[:, :4]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write_locomo_talk(tmp_path / "talk.json", TURNS, QUESTIONS)


def test_each_variant_has_its_quality_and_its_throughput(talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variants: dict[str, Embed] = {EXACT: words, "blind": blind, "short": short}
    monkeypatch.setattr(bench, "open_variants", lambda settings: variants)
    shown = io.StringIO()
    out = tmp_path / "results" / "embedders.json"
    run_embedders([talk], load_settings({}), out, texts=20, rounds=2, console=Console(file=shown, width=200))
    written = json.loads(out.read_text())
    exact, unseeing, other = written["rows"]
    assert exact["recall@10"] == 1.0 > unseeing["recall@10"]
    assert unseeing["less_exact"] == round(unseeing["recall@10"] - 1, 4)
    assert unseeing["low"] <= unseeing["less_exact"] <= unseeing["high"]
    assert exact["cosine_min"] == pytest.approx(1, abs=1e-4)
    assert "cosine_mean" not in other
    shapes = {(row["batch"], row["sorted"], row["threads"]) for row in written["speed"] if row["variant"] == "blind"}
    assert shapes == {(1, "no", 1), (1, "no", 2)} | {(b, s, t) for b in BATCHES[1:] for s in ("no", "yes") for t in (1, 2)}
    assert all(0 < row["texts_s_least"] <= row["texts_s"] <= row["texts_s_most"] for row in written["speed"])
    assert out.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert shown.getvalue().splitlines()[-1].startswith("BENCH embedders onnx_fp32_recall@10=1.0")


def test_texts_are_handed_over_in_batches_by_length() -> None:
    given: list[list[str]] = []

    def embed(texts: Sequence[str]) -> Vector:
        given.append(list(texts))
        return blind(texts)

    timed(embed, ["ccc", "a", "bb", "dddd", "ee"], Shape(2, by_length=True, threads=1))
    timed(embed, ["ccc", "a", "bb"], Shape(2, by_length=False, threads=1))
    assert given == [["a", "bb"], ["ee", "ccc"], ["dddd"], ["ccc", "a"], ["bb"]]


def test_a_file_that_is_not_locomos_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"nothing": 1}')
    with pytest.raises(InputError, match="LoCoMo"):
        run_embedders([path], Settings(_env_file=None), tmp_path / "out.json")
