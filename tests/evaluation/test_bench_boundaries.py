"""Both commands, whole, on sets made up for it."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from evaluation import boundary_sets
from evaluation.bench_boundaries import run_boundaries
from evaluation.boundary_sets import FOLDS, Kind, read_kinds
from evaluation.fit_boundaries import cross_validate, cut_online, examples_of, fit, only, run_fit_boundaries
from evaluation.report import Report
from flows.boundaries.semantic import heads_from
from mneme.errors import InputError
from mneme.settings import Boundaries, load_settings
from serving.cli import app
from tests.evaluation.made_up_sets import SETS, write_locomo, write_sets
from tests.queries.world import WordEmbedder

pytestmark = pytest.mark.slow

BENCH_COLUMNS = "set method signals pk f1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    write_sets(folder)
    write_locomo(folder / "locomo.json")
    return folder


@pytest.fixture(scope="module", autouse=True)
def word_embedder() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boundary_sets, "open_embedder", lambda settings: WordEmbedder())
        yield


@pytest.fixture(scope="module")
def measured(data: Path) -> tuple[Report, list[str]]:
    """The benchmark's report, and the lines it printed."""
    printed = io.StringIO()
    console = Console(file=printed, width=100)
    report = run_boundaries(data, load_settings({}), console, locomo=data / "locomo.json")
    report.finish(console, data / "results" / "boundaries.json")
    return report, printed.getvalue().rstrip().splitlines()


def row(report: Report, name: str, signals: str) -> dict[str, float]:
    (found,) = (each for each in report.rows if (each["set"], each["signals"]) == (name, signals))
    return found  # type: ignore[return-value]


def test_every_set_is_measured_with_vectors_and_without(measured: tuple[Report, list[str]]) -> None:
    report, _ = measured
    sets = ["TIAGE", "SuperDialseg", "Dialseg711", "LoCoMo"]
    assert [(each["set"], each["signals"]) for each in report.rows] == [
        (name, signals) for name in [*sets, *(f"{name}, timed" for name in sets)] for signals in ("vectors", "words only")
    ]
    assert all(list(each) == BENCH_COLUMNS.split() for each in report.rows)


def test_segments_that_share_no_word_are_found_again(measured: tuple[Report, list[str]]) -> None:
    report, _ = measured
    assert row(report, "TIAGE", "vectors")["f1"] > 0.95
    assert row(report, "TIAGE", "words only")["f1"] > 0.95
    assert row(report, "LoCoMo, timed", "vectors")["f1"] == 1.0


def test_the_report_has_json_a_plot_tables_and_a_line(data: Path, measured: tuple[Report, list[str]]) -> None:
    report, lines = measured
    written = json.loads((data / "results" / "boundaries.json").read_text())
    assert set(written) == {"bench", "command", "date", "machine", "settings", "rows", "headline", "paces"}
    assert len(written["rows"]) == len(report.rows)
    sets = written["settings"]["sets"]
    assert sets["TIAGE"] == {
        "conversations": 25,
        "messages": 300,
        "boundaries": 50,
        "weight": 1.5,
        "times_made_up": False,
    }
    assert {name for name, each in sets.items() if each["times_made_up"]} == {f"{name}, timed" for name in list(sets)[:3]}
    assert (data / "results" / "boundaries.png").read_bytes().startswith(b"\x89PNG")
    assert any("are made up" in line for line in lines)
    assert not any("…" in line for line in lines), "a column is cut off at the width of a log"
    assert lines[-1].startswith("BENCH boundaries tiage_pk=")
    keys = [part.partition("=")[0] for part in lines[-1].split()[2:]]
    names = ("tiage", "superdialseg", "dialseg711", "locomo", "locomo_timed")
    worst = [f"{name}_pk_worst_pace" for name in names[:3]]
    assert keys == [*(f"{name}_{figure}" for name in names for figure in ("pk", "f1")), *worst, "seconds"]


def test_the_dialogues_are_cut_at_every_pace_and_without_times(measured: tuple[Report, list[str]]) -> None:
    report, _ = measured
    rows = report.parts["paces"]
    assert [(each["set"], each["pace"]) for each in rows] == [
        (name, pace)
        for name in ("TIAGE", "SuperDialseg", "Dialseg711")
        for pace in ("no times", "1 s", "10 s", "30 s", "120 s")
    ]
    assert all(each["f1"] > 0.9 for each in rows)


def test_without_locomo_its_sets_are_left_out(data: Path, tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["bench", "boundaries", str(data), "--out", str(tmp_path / "b.json")])
    assert ran.exit_code == 0, ran.output
    written = json.loads((tmp_path / "b.json").read_text())
    names = ("TIAGE", "SuperDialseg", "Dialseg711")
    assert set(written["settings"]["sets"]) == {name + times for times in ("", ", timed") for name in names}


# --- cross-validation ------------------------------------------------------------------------------------------------


def turned(kind: Kind, fold: int) -> Kind:
    """The kind with another truth for one fold."""
    dialogues = [
        replace(dialogue, boundaries=frozenset({2, 7, 9})) if at % FOLDS == fold else dialogue
        for at, dialogue in enumerate(kind.dialogues)
    ]
    return replace(kind, dialogues=tuple(dialogues))


def test_what_is_true_of_a_fold_does_not_change_how_it_is_cut(data: Path) -> None:
    kinds = read_kinds(data)[:2]
    for truth in (kinds, [turned(kind, fold=3) for kind in kinds]):
        folds = cross_validate(examples_of(truth, None)).folds
        found = [made for kind in kinds for _, made in cut_online(kind, None, folds[3:4], Boundaries())]
        if truth is kinds:
            expected = found
    assert found == expected


def test_a_set_without_boundaries_cannot_be_fitted(data: Path) -> None:
    examples = examples_of(read_kinds(data)[:1], None)
    with pytest.raises(InputError, match="nothing to fit on"):
        fit(only(examples, ~examples.labels))


def test_too_few_conversations_are_refused(tmp_path: Path) -> None:
    write_sets(tmp_path)
    lines = (tmp_path / SETS[0]).read_text().splitlines()
    (tmp_path / SETS[0]).write_text("\n".join(lines[:4]))
    with pytest.raises(InputError, match=r"TIAGE: 4 conversations, and cross-validation needs 5"):
        read_kinds(tmp_path)


# --- fit -------------------------------------------------------------------------------------------------------------


def test_fitting_writes_coefficients_that_the_detector_reads(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "coefficients.json"
    run_fit_boundaries(data, data / "locomo.json", load_settings({}), Console(quiet=True), out)
    written = json.loads(out.read_text())
    assert written["fitted"]["command"] == "mneme bench fit boundaries SEGMENTATION_FOLDER LOCOMO_FILE"
    assert written["fitted"]["data"][0] == "TIAGE: 25 conversations, weight 1.5"
    heads = heads_from(written)
    assert set(heads) == {"vectors", "words only"}
    kind = read_kinds(data)[0]
    assert all(made == dialogue.boundaries for dialogue, made in cut_online(kind, None, [heads["words only"]], Boundaries()))


@pytest.mark.parametrize("place", [".", "nowhere/coefficients.json"])
def test_a_place_that_cannot_be_written_is_named_before_anything_is_read(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match=r"out: .* is no file in a folder that exists"):
        run_fit_boundaries(tmp_path, tmp_path / "locomo.json", load_settings({}), Console(quiet=True), tmp_path / place)
