"""The tests that frameworks publish for their own stores, run as they stand against ours (``published.py``)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.adapters.published import FRAMEWORKS

FOLDER = Path(os.environ.get("MNEME_TEST_FRAMEWORKS", "/nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most_skipped"), [("langgraph", 8), ("openai-agents", 20)])
def test_the_published_tests_of_a_framework_pass_on_ours(name: str, most_skipped: int):
    root = FOLDER / FRAMEWORKS[name].root
    if not root.is_dir():
        pytest.skip(f"MNEME_TEST_FRAMEWORKS names no folder with a checkout of {FRAMEWORKS[name].root.partition('/')[0]}")
    command = [sys.executable, "-m", "tests.serving.adapters.published", name, str(FOLDER)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    counts = json.loads(next(line for line in reversed(done.stdout.splitlines()) if line.startswith('{"passed"')))
    assert counts["failed"] == 0
    assert counts["passed"] > counts["skipped"] <= most_skipped, counts
