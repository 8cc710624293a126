"""The benchmarks are a distribution of their own: mneme-bench, beside that of the users."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from setuptools import find_packages

ROOT = Path(__file__).parents[2]
DATA = {".toml", ".json", ".npz", ".f16", ".f32", ".txt"}


def setuptools_of(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["setuptools"]


def data_of(own: Any, packages: Iterable[str]) -> set[Path]:
    """The files that a distribution has as data of its packages; those below * are of each of them."""
    named = own["package-data"]
    return {
        file
        for package in packages
        for pattern in (*named.get("*", ()), *named.get(package, ()))
        for file in (ROOT / package.replace(".", "/")).glob(pattern)
    }


def test_the_wheel_of_users_carries_no_benchmark() -> None:
    found = find_packages(str(ROOT), include=setuptools_of(ROOT)["packages"]["find"]["include"])
    assert {"mneme", "flows", "queries", "serving"} <= set(found)
    assert not [package for package in found if package.startswith("evaluation")]


def test_the_wheel_of_the_benchmarks_carries_all_of_them_with_their_data() -> None:
    own = setuptools_of(ROOT / "evaluation")
    found = find_packages(str(ROOT), include=["evaluation*"])
    assert own["packages"] == sorted(found)
    own_files = {path for path in (ROOT / "evaluation").rglob("*") if path.suffix in (".json", ".jsonl", ".typed")}
    assert own_files <= data_of(own, found)


def test_the_wheel_of_users_carries_the_data_of_its_packages() -> None:
    own = setuptools_of(ROOT)
    found = find_packages(str(ROOT), include=own["packages"]["find"]["include"])
    rooms = sorted({package.partition(".")[0] for package in found})
    own_files = {path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in DATA}
    assert {path.suffix for path in own_files} == DATA
    assert own_files <= data_of(own, found)


def test_who_has_no_benchmarks_is_told_how_to_get_them() -> None:
    program = "import sys; sys.modules['evaluation'] = None; from serving.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", program, "bench"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install mneme-bench" in " ".join(result.stderr.split())
