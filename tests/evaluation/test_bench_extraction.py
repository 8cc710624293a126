"""The benchmark of extraction: its labels, what counts as the same, and the whole command on the examples."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from evaluation.bench_extraction import KINDS, compare, measure, run_extraction
from evaluation.labelled_episodes import LabelledEpisode, Labels, Wanted, labelled_episodes, load_labels
from flows.cuts import (
    ExtractedEntity,
    ExtractedForesight,
    ExtractedProfileItem,
    ExtractedRelationship,
    Extraction,
)
from mneme.errors import InputError
from mneme.settings import load_settings
from serving.cli import app
from tests.flows.extraction.cuts import talk


def wanted(*columns: str, **fields: object) -> Wanted:
    return Wanted(tuple(tuple(column.split("|")) for column in columns), **fields)


def episode(**labels: tuple[Wanted, ...]) -> LabelledEpisode:
    kinds = dict.fromkeys(KINDS, ()) | labels
    return LabelledEpisode(talk("Ann: Hello.", "Bo: Hello."), Labels("f", "c", "m0", "m1", "en", held_out=False, **kinds))


def extraction(**found: tuple[object, ...]) -> Extraction:
    return Extraction("s", "s", "n", (), **found)


def figures(kind: str, labels: tuple[Wanted, ...], found: tuple[object, ...]) -> tuple[float, float]:
    """Precision and recall of one kind."""
    tally = compare(extraction(**{kind: found}), episode(**{kind: labels}))[KINDS.index(kind)]
    row = tally.row()
    return row["precision"], row["recall"]


def entity(name: str, kind: str = "person") -> ExtractedEntity:
    return ExtractedEntity(name, kind, "", (0,))


def edge(source: str, relation: str, target: str, ended: bool = False) -> ExtractedRelationship:
    return ExtractedRelationship(source, relation, target, None, (0,), ended)


def test_at_least_forty_episodes_are_labelled_and_a_third_is_held_out() -> None:
    labels = load_labels()
    assert len(labels) >= 40
    assert 0.28 <= sum(one.held_out for one in labels) / len(labels) <= 0.38
    assert {one.language for one in labels} == {"en", "zh"}
    assert (
        all(one.entities or one.relationships or one.foresights or one.profile for one in labels if not one.held_out)
        is not None
    )


def test_no_label_is_a_sentence() -> None:
    texts = [
        part
        for one in load_labels()
        for kind in KINDS
        for label in getattr(one, kind)
        for parts in label.parts
        for part in parts
    ]
    assert max(len(text.split()) for text in texts) <= 4
    assert max(len(text) for text in texts) <= 32


def test_names_are_the_same_without_case_article_and_among_alternatives() -> None:
    labels = (wanted("Red Cross|RC", "organisation"),)
    assert figures("entities", labels, (entity("the red cross"),)) == (1, 1)
    assert figures("entities", labels, (entity("RC"),)) == (1, 1)
    assert figures("entities", labels, (entity("Blue Cross"),)) == (0, 0)


def test_those_who_take_part_and_those_without_a_name_are_not_counted() -> None:
    assert figures("entities", (), (entity("Ann"), entity("Ann's husband"))) == (0, 0)
    assert figures("entities", (wanted("Rex", "pet"),), (entity("Ann"), entity("Rex", "pet"))) == (1, 1)


def test_an_optional_label_and_a_repetition_are_left_out_of_the_count() -> None:
    labels = (wanted("Rex", "pet"), wanted("Oslo", "location", optional=True))
    assert figures("entities", labels, (entity("Oslo"), entity("Rex"), entity("rex"))) == (1, 1)


def test_types_are_compared_loosely() -> None:
    labels = (wanted("Rex", "pet"), wanted("Oslo", "location"))
    found = extraction(entities=(entity("Rex", "object"), entity("Oslo", "person")))
    assert compare(found, episode(entities=labels))[0].row()["typed"] == 0.5


def test_a_symmetric_or_inverse_relation_holds_the_other_way_round() -> None:
    labels = (wanted("Ann", "married_to", "Tom"), wanted("Ann", "parent_of", "Eva"), wanted("Ann", "works_at", "Initech"))
    assert figures("relationships", labels, (edge("Tom", "married_to", "Ann"), edge("Eva", "child_of", "Ann"))) == (1, 2 / 3)
    assert figures("relationships", labels, (edge("Initech", "works_at", "Ann"),)) == (0, 0)


def test_an_ended_relationship_is_another_one() -> None:
    labels = (wanted("Ann", "works_at", "Initech", ended=True),)
    assert figures("relationships", labels, (edge("Ann", "works_at", "Initech"),)) == (0, 0)
    assert figures("relationships", labels, (edge("Ann", "works_at", "Initech", ended=True),)) == (1, 1)


def test_a_foresight_must_name_its_day() -> None:
    day = datetime(2026, 3, 6, tzinfo=UTC)
    labels = (wanted("dentist", day=day.date()),)

    def foresight(start: datetime | None, statement: str = "The dentist is on Friday.") -> ExtractedForesight:
        return ExtractedForesight(statement, statement, (0,), start, start)

    assert figures("foresights", labels, (foresight(day),)) == (1, 1)
    assert figures("foresights", labels, (foresight(None),)) == (0, 0)
    assert figures("foresights", labels, (foresight(day, "The doctor is on Friday."),)) == (0, 0)


def test_a_profile_statement_is_the_same_person_and_begins_a_word_with_a_key() -> None:
    labels = (wanted("Ann", "danc", "interest"),)

    def item(about: str, statement: str) -> ExtractedProfileItem:
        return ExtractedProfileItem(about, statement, "interest", implicit=False, sources=(0,))

    assert figures("profile", labels, (item("Ann", "Ann loves dancing."),)) == (1, 1)
    assert figures("profile", labels, (item("Bo", "Bo loves dancing."),)) == (0, 0)
    assert figures("profile", labels, (item("Ann", "Ann is redundant."),)) == (0, 0)


def test_one_statement_may_stand_for_two_labels() -> None:
    labels = (wanted("Ann", "paint", "interest"), wanted("Ann", "pottery", "interest"))
    item = ExtractedProfileItem("Ann", "Ann loves painting and pottery.", "interest", implicit=True, sources=(0,))
    assert figures("profile", labels, (item,)) == (1, 1)


@pytest.fixture(scope="module")
def memdaily(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of the form, and with the ids, of those that are labelled; its sentences are made up."""
    folder = tmp_path_factory.mktemp("data")
    said = [{"mid": at, "message": "我住在杭州。", "time": "2024年04月01日 周一 08:30", "place": "杭州"} for at in range(7)]
    trajectories = [
        {"tid": int(one.conversation), "message_list": said} for one in load_labels() if one.file.startswith("chinese/")
    ]
    (folder / "chinese").mkdir()
    (folder / "chinese" / "memdaily_simple_events.json").write_text(json.dumps(trajectories), encoding="utf-8")
    return folder


def test_data_that_are_not_there_are_left_out(memdaily: Path) -> None:
    examples = {one.labels.file for one in labelled_episodes(None)}
    assert examples
    assert all(file.startswith("examples/") for file in examples)
    assert {one.labels.file for one in labelled_episodes(memdaily)} - examples == {"chinese/memdaily_simple_events.json"}


def test_another_version_of_the_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chinese").mkdir()
    (tmp_path / "chinese" / "memdaily_simple_events.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="another version"):
        labelled_episodes(tmp_path)


def test_a_perfect_extractor_has_the_score_one() -> None:
    class Perfect:
        name = "perfect"
        calls_a_model = False

        def extract(self, cut: object) -> Extraction:
            labels = next(one.labels for one in episodes if one.cut is cut)
            return extraction(entities=tuple(entity(one.parts[0][0], one.parts[1][0]) for one in labels.entities))

    episodes = labelled_episodes(None)
    tallies, _ = measure(episodes, Perfect())
    rows = [tally.row() for (kind, _, _), tally in tallies.items() if kind == "entities"]
    assert all((row["precision"], row["recall"], row["typed"]) == (1, 1, 1) for row in rows if row["labels"])


def test_the_report_has_a_row_for_each_kind_part_and_language(tmp_path: Path) -> None:
    printed = io.StringIO()
    report = run_extraction(
        None, load_settings({}), tmp_path / "out.json", errors=True, console=Console(file=printed, width=120)
    )
    assert {(row["kind"], row["part"], row["language"]) for row in report.rows} == {
        (kind, part, language) for kind in KINDS for part in ("dev", "held out") for language in ("en", "zh", "all")
    }
    assert printed.getvalue().rstrip().splitlines()[-1].startswith("BENCH extraction entities_dev_f1=")
    assert "missed:" in printed.getvalue()
    assert json.loads((tmp_path / "out.json").read_text())["bench"] == "extraction"
    assert (tmp_path / "out.png").stat().st_size > 0


def test_the_command_measures_the_examples(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bench", "extraction", "--out", str(tmp_path / "out.json")])
    assert result.exit_code == 0
    assert "BENCH extraction" in result.output
