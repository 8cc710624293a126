"""The page of figures that reports make."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.page import write_page
from evaluation.report import Report
from mneme.errors import InputError

MACHINE = {"system": "Linux x86_64", "python": "3.11", "processors": 2}


def retrieval_report(path: Path, milliseconds: float = 30.0, index: str = "embedded") -> Path:
    run = {
        "messages": 4,
        "episodes": 1,
        "facts": 3,
        "refused": 1,
        "notes": {"vector": {"leg off": 2}, "hybrid": {"leg off": 2}},
    }
    common = {"conversation": "all", "questions": 2, "recall@10": 0.5, "recall@10_low": 0.25, "recall@10_high": 0.75}
    difference = {"method": "hybrid", "against": "chunks", "mean": 0.5, "baseline": 0.25, "difference": 0.25}
    write(
        path,
        bench="locomo",
        settings={"index": index, "questions": 2, "left_out": 1, "runs": [run]},
        rows=[
            {"method": "hybrid", "category": "all", **common, "milliseconds": milliseconds},
            {"method": "hybrid", "category": "multi-hop", **common, "recall@10": 0.125},
        ],
        parts={"differences": [{**difference, "category": "all", "figure": "recall@10", "low": -0.1, "high": 0.4}]},
        command="mneme bench locomo talks.json",
    )
    return path


def write(path: Path, **fields: Any) -> Path:
    Report(headline={}, machine=MACHINE, **{"settings": {}, **fields}).write(path)
    return path


def answers_report(path: Path, judge: str | None) -> Path:
    accuracy = {"accuracy": 0.5, "accuracy_low": 0.25, "accuracy_high": 0.75} if judge else {}
    models = {"provider": "openai" if judge else "none"}
    Report(
        bench="eval-locomo",
        settings={"method": "hybrid", "judge": judge, "votes": 3, "models": models, "model": {"answer": "small"}},
        rows=[{"category": "all", "questions": 9, "answered": 8, **accuracy, "abstained": 0.125}],
        headline={"questions": 9, "pending": 1},
        machine=MACHINE,
    ).write(path)
    return path


def page_of(folder: Path, *files: Path) -> str:
    write_page(files, folder / "docs" / "benchmarks.md")
    return (folder / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_a_benchmark_stands_with_machine_command_intervals_and_plot(tmp_path: Path) -> None:
    report = retrieval_report(tmp_path / "locomo.json")
    report.with_suffix(".png").write_bytes(b"a plot")
    page = page_of(tmp_path, report)
    assert "## LoCoMo, embedded index" in page
    assert "on 2 processors (Linux x86_64, Python 3.11)" in page
    assert "```bash\nmneme bench locomo talks.json\n```" in page
    assert "| hybrid | .500 (.250 to .750) |" in page
    assert "| multi-hop (2) | .125 (.250 to .750) |" in page
    assert "| hybrid | chunks | recall@10 | .500 | .250 | +.250 | -.100 to +.400 |" in page
    assert "vector, hybrid: 2 questions, leg off." in page
    assert "Refused as too long: 1." in page
    assert "![locomo](plots/locomo.png)" in page
    assert (tmp_path / "docs" / "plots" / "locomo.png").read_bytes() == b"a plot"


def test_several_runs_of_one_benchmark_are_one_section_with_their_spread(tmp_path: Path) -> None:
    runs = [retrieval_report(tmp_path / f"{at}.json", milliseconds) for at, milliseconds in enumerate((30.0, 50.0, 20.0))]
    other = retrieval_report(tmp_path / "other.json", index="opensearch")
    page = page_of(tmp_path, *runs, other)
    assert page.count("## LoCoMo, embedded index") == 1
    assert ", 3 runs, " in page
    assert "| 30.0 (20.0 to 50.0) |" in page
    assert page.count("## LoCoMo, opensearch index") == 1


def test_a_benchmark_without_a_form_of_its_own_is_shown_row_by_row(tmp_path: Path) -> None:
    page = page_of(
        tmp_path, write(tmp_path / "ingest.json", bench="ingest", rows=[{"way": "a | b", "messages_per_second": 84.25}])
    )
    assert "## Ingest" in page
    assert "| way | messages per second |" in page
    assert "| a / b | 84.2 |" in page


def test_questions_of_several_hops_stand_with_what_the_systems_are(tmp_path: Path) -> None:
    settings = {"index": "embedded", "questions": 60, "left_out": 0, "model": "small"}
    rows = [{"system": "oracle, split", "of": "all", "hops@10": 0.5}]
    page = page_of(tmp_path, write(tmp_path / "multihop.json", bench="multihop", rows=rows, settings=settings))
    assert "## Several hops, embedded index" in page
    assert "60 questions (0 more were not asked)" in page
    assert "`model` (`small`) are who decided" in page
    assert "| oracle, split | all | .500 |" in page


def test_ablations_are_ordered_by_what_they_cost(tmp_path: Path) -> None:
    row = {"against": "hybrid", "category": "all", "figure": "recall@10", "mean": 0.5, "baseline": 0.5}
    rows = [{"method": name, **row, "difference": by} for name, by in (("little", -0.01), ("much", -0.2), ("gain", 0.1))]
    page = page_of(tmp_path, write(tmp_path / "ablations.json", bench="ablations", rows=rows))
    assert page.index("| much |") < page.index("| little |") < page.index("| gain |")


@pytest.mark.parametrize(
    "content", ["no", "[]", "{}", '{"bench": "x", "date": "d", "machine": {"system": "s"}, "settings": {}, "rows": []}']
)
def test_another_file_is_refused_by_its_name(content: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"other\.json: no report of a benchmark"):
        write_page([path], tmp_path / "page.md")
    with pytest.raises(InputError, match=r"absent\.json: cannot be read"):
        write_page([tmp_path / "absent.json"], tmp_path / "page.md")


def test_a_report_has_a_row_in_each_line_and_reads_back_the_same(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": 0.123456}, {"a": 2, "b": "ü"}]
    path = write(tmp_path / "r.json", bench="x", settings={"deep": {"er": [1, 2]}}, rows=rows)
    assert '    {"a": 1, "b": 0.1235},\n    {"a": 2, "b": "ü"}\n' in path.read_text(encoding="utf-8")
    read = json.loads(path.read_text(encoding="utf-8"))
    assert read["rows"][1] == {"a": 2, "b": "ü"}
    assert read["settings"] == {"deep": {"er": [1, 2]}}


def test_an_evaluation_says_who_answered_and_who_judged(tmp_path: Path) -> None:
    page = page_of(tmp_path, answers_report(tmp_path / "eval-locomo.json", "large 12ab"))
    assert "## LoCoMo, answers" in page
    assert "9 questions, 1 pending; hybrid; small; judged by 3 votes of large. Intervals" in page
    assert "| all | 8 | .500 (.250 to .750) | .125 |" in page
    without = page_of(tmp_path, answers_report(tmp_path / "eval-locomo.json", None))
    assert "hybrid; quotes, no model; no judge." in without
    assert "| all | 8 | .125 |" in without
