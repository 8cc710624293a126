"""Mneme as the long-term memory of agents on Flink: the real package, in the Python of requirements/flink.sh."""

import json
import os
import subprocess
from pathlib import Path

from tests.flink.conftest import flink_python
from tests.serving.embedded_service import embedded_settings, opened, over_http


def test_its_published_tests_pass_and_its_documented_agent_remembers_each_person_apart(tmp_path: Path) -> None:
    with opened(embedded_settings(tmp_path)) as service, over_http(service) as url:
        done = subprocess.run(
            [str(flink_python()), "-m", "tests.flink.agents_calls"],
            env=os.environ | {"MNEME_SERVICE__URL": url},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["failed"] == [], done.stdout
    assert told["passed"] == 9
    first, other, second = told["answers"]
    assert "asked about" not in first + other
    assert "- User asked about: trains to Lyon" in second
    assert told["sets"] == [["The key is under the mat."], []]
