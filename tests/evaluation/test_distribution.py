"""The benchmarks are a distribution of their own: mneme-bench, beside that of the users."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from setuptools import find_packages

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


def test_who_has_no_benchmarks_is_told_how_to_get_them() -> None:
    program = "import sys; sys.modules['evaluation'] = None; from serving.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", program, "bench"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install mneme-bench" in " ".join(result.stderr.split())
