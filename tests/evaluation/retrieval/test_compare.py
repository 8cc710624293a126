"""Two runs on the same questions."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.metrics import Answer
from evaluation.retrieval.bench import answer_row
from evaluation.retrieval.compare import compare, read_run, run_compare
from mneme.errors import InputError


def answers(method: str, values: list[float]) -> list[Answer]:
    """An answer for each value of recall@10; odd questions are temporal, and two belong to one conversation."""
    return [
        Answer(
            method,
            f"q{at}",
            "temporal" if at % 2 else "factual",
            f"c{at // 2}",
            {"recall@10": value},
            (f"m{at}",),
        )
        for at, value in enumerate(values)
    ]


def row_of(rows: list[Any], category: str = "all", figure: str = "recall@10") -> dict[str, Any]:
    (found,) = (row for row in rows if (row["category"], row["figure"]) == (category, figure))
    return found


def test_a_steady_gain_is_certain_however_hard_the_questions_are() -> None:
    before = [0.0, 0.9, 0.3, 0.6, 0.1, 0.8]
    found = row_of(compare(answers("new", [value + 0.1 for value in before]), answers("old", before), "new", "old"))
    assert found["difference"] == pytest.approx(0.1)
    assert (found["low"], found["high"]) == (pytest.approx(0.1), pytest.approx(0.1))
    assert (found["cluster_low"], found["cluster_high"]) == (pytest.approx(0.1), pytest.approx(0.1))
    assert (found["mean"], found["baseline"]) == (pytest.approx(0.55), pytest.approx(0.45))


def test_pairs_are_made_by_question_and_not_by_place() -> None:
    before = answers("old", [0.1, 0.5, 0.9])
    assert row_of(compare(before[::-1], before, "new", "old"))["high"] == 0.0


def test_categories_are_compared_by_themselves() -> None:
    rows = compare(answers("new", [1.0, 0.5, 1.0, 0.5]), answers("old", [0.0, 0.5, 0.0, 0.5]), "new", "old")
    assert row_of(rows, "factual")["difference"] == 1.0
    assert row_of(rows, "temporal")["difference"] == 0.0
    assert row_of(rows)["difference"] == 0.5


def test_of_one_conversation_there_is_no_interval_over_conversations() -> None:
    found = row_of(compare(answers("new", [1.0, 0.0]), answers("old", [0.0, 0.0]), "new", "old"))
    assert "low" in found
    assert "cluster_low" not in found


def test_different_questions_are_no_pair() -> None:
    with pytest.raises(ValueError, match="different questions"):
        compare(answers("new", [1.0, 0.0]), answers("old", [1.0]), "new", "old")


def write(path: Path, *answered: list[Answer], fingerprint: str = "f") -> Path:
    content = {"settings": {"fingerprint": fingerprint}, "answers": [answer_row(each) for some in answered for each in some]}
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def reports(tmp_path: Path) -> tuple[Path, Path]:
    before = write(tmp_path / "before.json", answers("hybrid", [0.0, 0.5, 0.0, 0.5]), answers("chunks", [0.0] * 4))
    after = write(tmp_path / "after.json", answers("hybrid", [1.0, 0.5, 1.0, 0.5]), answers("vector", [0.0] * 4))
    return before, after


def test_it_prints_a_table_and_writes_json(reports: tuple[Path, Path], tmp_path: Path) -> None:
    printed = io.StringIO()
    console = Console(file=printed, width=160)
    run_compare(*reports, console).finish(console, tmp_path / "out" / "compare.json")
    written = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert {row["method"] for row in written["rows"]} == {"hybrid"}  # what only one of them has is left out
    assert row_of(written["rows"])["difference"] == 0.5
    assert written["settings"]["resamples"] == 10_000
    assert "after less before" in printed.getvalue()
    last = printed.getvalue().rstrip().splitlines()[-1]
    assert last.startswith("BENCH compare hybrid_recall@10=0.5 hybrid_recall@10_low=")


def test_runs_on_other_questions_or_by_other_methods_are_refused(reports: tuple[Path, Path], tmp_path: Path) -> None:
    other = write(tmp_path / "other.json", answers("hybrid", [0.0, 0.5, 0.0, 0.5]), fingerprint="g")
    with pytest.raises(InputError, match="other questions, or of other evidence"):
        run_compare(reports[0], other, Console(quiet=True))
    only = write(tmp_path / "only.json", answers("keyword", [0.0] * 4))
    with pytest.raises(InputError, match="no method in common"):
        run_compare(reports[0], only, Console(quiet=True))


@pytest.mark.parametrize("content", ["{}", "[]", "no", '{"answers": [], "settings": {"fingerprint": ""}}', '{"answers": [1]}'])
def test_another_file_is_refused_by_its_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"other\.json: no report with answers"):
        read_run(path)
    with pytest.raises(InputError, match=r"absent\.json: cannot be read"):
        read_run(tmp_path / "absent.json")
