"""An editable installation, as ``make`` makes it."""

import subprocess
import sys
from pathlib import Path


def test_a_script_beside_the_clone_finds_the_package_and_not_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mneme").mkdir()  # what ``git clone`` leaves
    script = tmp_path / "script.py"
    script.write_text("from mneme import Message\nprint(Message.__name__)\n")

    ran = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ran.stdout == "Message\n", ran.stderr
