"""A package that runs its code when something of it is asked for."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from connectors.lance.postponed import postpone
postpone("slow")
from slow.part import PART
assert PART == 1 and "RAN" not in vars(sys), "its module alone"
import slow
assert slow.WHOLE == 2 and sys.RAN == 1
assert slow.part.PART == 1 and slow.WHOLE == 2 and sys.RAN == 1, "its code runs once"
try:
    slow.nothing
except AttributeError as error:
    print(error)
postpone("slow")
assert slow.WHOLE == 2 and sys.RAN == 1, "what ran already stays"
postpone("not_installed")
assert "not_installed" not in sys.modules
"""


def test_its_code_runs_once_and_late_and_nobody_sees_a_difference(tmp_path: Path) -> None:
    package = tmp_path / "slow"
    package.mkdir()
    (package / "__init__.py").write_text("import sys\nsys.RAN = getattr(sys, 'RAN', 0) + 1\nWHOLE = 2\n")
    (package / "part.py").write_text("PART = 1\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "slow" in ran.stdout
    assert "nothing" in ran.stdout


def test_lancedb_works_without_the_client_of_its_catalogues() -> None:
    program = (
        "import connectors.lance.index, sys; import lance_namespace_urllib3_client as client; "
        "assert 'lance_namespace_urllib3_client.api' not in sys.modules; print(client.TableApi.__name__)"
    )
    ran = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "TableApi", ran.stderr
