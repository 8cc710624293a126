"""The benchmark of parsing: what it reads, what it counts, and the libraries alone."""

import json
from pathlib import Path

import pytest

from evaluation.parsing import run_parsing
from evaluation.parsing.alone import LIBRARIES, read_alone
from evaluation.parsing.bench import Read, overhead
from mneme.errors import InputError
from mneme.settings import Documents
from tests.samples import FORMATS, samples
from tests.samples.known_text import recall

QUICK = ["docx", "xlsx", "xls", "pptx", "eml", "html", "txt", "md", "csv", "tsv", "vtt", "srt", "pdf"]


@pytest.mark.slow
def test_files_are_read_by_both_and_what_cannot_be_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "below").mkdir()
    for format in ("html", "md"):
        sample = samples(format)[0]
        (tmp_path / "below" / sample.name).write_bytes(sample.content)
    (tmp_path / "empty.pdf").write_bytes(b"")
    report = run_parsing(tmp_path, Documents(), tmp_path / "out.json", rounds=1)
    assert [(row["format"], row["files"]) for row in report.rows] == [("html", 1), ("md", 1), ("all", 2)]
    assert (report.headline["files"], report.headline["left_out"]) == (2, 1)
    assert json.loads((tmp_path / "out.json").read_text())["bench"] == "parsing"
    assert (tmp_path / "out.png").exists()
    assert capsys.readouterr().out.splitlines()[-1].startswith("BENCH parsing files=2 left_out=1 ")


def test_a_folder_without_a_file_that_can_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "noise.docx").write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="no file that can be read"):
        run_parsing(tmp_path, Documents(), tmp_path / "out.json")


def test_overhead_is_of_the_median_rounds_of_all_files_together() -> None:
    long = Read("a", "txt", b"", pool=[11, 12, 90], library=[10, 10, 10])
    short = Read("b", "txt", b"", pool=[2, 3, 4], library=[0, 2, 9])
    assert overhead([long, short]) == pytest.approx(15 / 12 - 1)


def test_every_format_has_a_library() -> None:
    assert set(LIBRARIES) == set(FORMATS)


@pytest.mark.parametrize("format", QUICK)
def test_the_library_alone_reads_what_mneme_is_measured_beside(format: str) -> None:
    sample = samples(format)[0]
    assert recall(sample.text, read_alone(sample.content, format, ("eng",), 200)) > 0.85  # notes of slides it leaves out


@pytest.mark.slow
@pytest.mark.parametrize(("format", "name"), [("png", "scan-clean.png"), ("pdf", "scan-clean.pdf")])
def test_tesseract_alone_reads_a_scan(format: str, name: str) -> None:
    sample = next(sample for sample in samples(format) if sample.name == name)
    assert recall(sample.text, read_alone(sample.content, format, ("eng",), 200)) > 0.8
