"""The benchmarks are a distribution of their own: mneme-bench, beside that of the users."""

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from setuptools import find_packages
from typer.testing import CliRunner

from serving.cli import app

ROOT = Path(__file__).parents[2]


def setuptools_of(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_the_wheel_of_users_carries_no_benchmark() -> None:
    found = find_packages(str(ROOT), include=setuptools_of(ROOT)["packages"]["find"]["include"])
    assert {"mneme", "flows", "queries", "serving"} <= set(found)
    assert not [package for package in found if package.startswith("evaluation")]


def test_the_wheel_of_the_benchmarks_carries_all_of_them_with_their_data() -> None:
    own = setuptools_of(ROOT / "evaluation")
    found = find_packages(str(ROOT), include=["evaluation*"])
    assert own["packages"] == sorted(found)
    data = {
        file
        for package, patterns in own["package-data"].items()
        for pattern in patterns
        for file in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    own_files = (path for path in (ROOT / "evaluation").rglob("*") if path.suffix in (".json", ".jsonl", ".typed"))
    assert set(own_files) <= data


def test_who_has_no_benchmarks_is_told_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "evaluation"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "evaluation", None)
    result = CliRunner().invoke(app, ["bench", "granularity"])
    assert result.exit_code == 1
    assert "pip install mneme-bench" in result.output
