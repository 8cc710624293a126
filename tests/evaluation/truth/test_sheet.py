"""A draw is the same for the same seed, its sheet holds no text, and its grades become shares."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.truth.draw import run_draw
from evaluation.truth.sheet import Item, Sheet, ending_row, fact_rows, kind_rows, read_sheet, run_score
from evaluation.truth.sources import Store, sources_of
from mneme.errors import InputError
from mneme.records import Validity
from mneme.settings import load_settings
from tests.queries.world import START, WordEmbedder, edge, mention

EXAMPLES = Path(__file__).parents[3] / "examples"
QUIET = Console(file=io.StringIO(), width=200)


@pytest.fixture(autouse=True)
def words_only(monkeypatch):
    monkeypatch.setattr("flows.running.open_services.open_embedder", lambda settings: WordEmbedder())
    monkeypatch.setattr("evaluation.truth.draw.SIZES", {"facts": 5, "dates": 3, "annotations": 8, "endings": 4})


def drawn(tmp_path: Path, seed: int) -> Path:
    out = tmp_path / f"sheet-{seed}.json"
    settings = load_settings({}, data=tmp_path / "untouched")
    run_draw(settings, QUIET, [f"talk={EXAMPLES / 'friends.jsonl'}"], seed, out)
    return out


@pytest.mark.slow
def test_a_sheet_has_ids_and_places_for_verdicts_but_no_text_and_the_reading_copy_has_it(tmp_path):
    out = drawn(tmp_path, 7)
    sheet = read_sheet(out)
    facts = [item for item in sheet.items if item.sample == "facts"]
    assert len(facts) == 5
    assert all(item.grades.keys() >= {"says", "alone"} and set(item.grades.values()) == {None} for item in facts)
    assert [item.number for item in sheet.items] == list(range(1, len(sheet.items) + 1))
    assert len([item for item in sheet.items if item.sample == "annotations"]) == 8
    assert "Hamburg" not in out.read_text(encoding="utf-8")
    copy = out.with_suffix(".reading.md").read_text(encoding="utf-8")
    assert all(f"> {item.message_ids[0]} " in copy for item in facts)
    assert not (tmp_path / "untouched").exists()


@pytest.mark.slow
def test_the_same_seed_draws_the_same(tmp_path):
    (tmp_path / "again").mkdir()
    first = [item.id for item in read_sheet(drawn(tmp_path, 3)).items]
    again = [item.id for item in read_sheet(drawn(tmp_path / "again", 3)).items]
    assert first == again


def graded() -> Sheet:
    def item(number, sample, kind, source, grades):
        return Item(number=number, sample=sample, kind=kind, source=source, id=str(number), message_ids=("m",), grades=grades)

    return Sheet(
        seed=1,
        facts={"a": 10, "b": 20},
        dated={"a": 2, "b": 1},
        ended={"a": 1, "b": 0},
        items=[
            item(1, "facts", "fact", "a", {"says": "yes", "alone": "no", "date": "yes"}),
            item(2, "facts", "fact", "a", {"says": "yes", "alone": "yes"}),
            item(3, "facts", "fact", "b", {"says": "no", "alone": None}),
            item(4, "dates", "fact", "b", {"date": "year"}),
            item(5, "annotations", "entity", "a", {"right": "yes"}),
            item(6, "annotations", "profile", "a", {"right": "no"}),
            item(7, "endings", "fact", "a", {"ended": "no"}),
        ],
    )


def test_shares_are_by_source_and_dates_of_both_samples_count():
    rows = {row["source"]: row for row in fact_rows(graded())}
    assert (rows["a"]["says"], rows["b"]["says"]) == (1.0, 0.0)
    assert rows["all"]["alone"] == 0.5
    assert (rows["all"]["dates"], rows["all"]["wrong dates"], rows["all"]["wrong years"]) == (2, 1, 1)
    assert {row["kind"]: row["right"] for row in kind_rows(graded())} == {"entity": 1.0, "profile": 0.0, "all": 0.5}
    assert ending_row(graded()) == {"facts": 30, "ended": 1, "graded": 1, "wrong": 1}


def test_the_score_ends_with_one_line_that_counts_what_is_missing(tmp_path):
    printed = io.StringIO()
    console = Console(file=printed, width=200)
    graded().write(tmp_path / "sheet.json")
    run_score(tmp_path / "sheet.json", console).finish(console, tmp_path / "truth.json")
    line = printed.getvalue().rstrip().splitlines()[-1]
    assert line.startswith("BENCH truth says=0.6667 says_worst_source=0.0 alone=0.5 dates=1 wrong_dates=1 annotations=0.5")
    assert line.endswith("wrong_endings=1 ungraded=1")
    assert json.loads((tmp_path / "truth.json").read_text())["settings"]["facts"] == {"a": 10, "b": 20}


def test_another_verdict_is_refused(tmp_path):
    path = tmp_path / "sheet.json"
    graded().write(path)
    path.write_text(path.read_text().replace('"year"', '"perhaps"'))
    with pytest.raises(InputError, match="verdicts are yes, no"):
        read_sheet(path)


def test_files_of_one_name_or_one_published_set_are_one_source(tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(json.dumps({"chat": [], "questions": {}}))
    sources = sources_of([str(tmp_path / "1.json"), str(tmp_path / "2.json"), f"talk={EXAMPLES / 'team.jsonl'}"])
    assert [(each.name, len(each.paths), each.data_set) for each in sources] == [("beam", 2, "beam"), ("talk", 1, None)]
    assert len(sources_of([])) == 11
    with pytest.raises(InputError, match="no file"):
        sources_of(["nowhere.json"])


@pytest.mark.parametrize(("day_named", "over"), [(None, "no longer so (told "), (START, "until ")])
def test_an_end_that_names_no_day_is_told_as_such(day_named, over):
    ended = edge("Ann", "partner_of", "Bo", mention(ended=True, date=day_named), validity=Validity(valid_to=START))
    [one] = Store("chat", [ended]).annotations["relationship"]
    assert f"Ann -- partner_of -> Bo, {over}" in one.text
