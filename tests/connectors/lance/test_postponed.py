"""A package whose names are there before its code runs."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from connectors.lance.postponed import postponed
with postponed("slow", "not_installed"):
    import slow
    from slow import Whole, make
    from slow.part import PART
    from slow.errors import SlowError
    assert not hasattr(sys, "RAN"), "no code ran"
    try:
        import not_installed
    except ModuleNotFoundError as error:
        assert error.name == "not_installed"
    else:
        raise AssertionError
assert sys.modules["slow"] is slow and not hasattr(sys, "RAN")
whole = make(3)
assert sys.RAN == 1 and type(whole) is slow.Whole and isinstance(whole, Whole) and not isinstance(3, Whole)
assert Whole.kind == "whole" and Whole(4).size == 4 and PART(2) == 3
class Greater(Whole):
    pass
assert issubclass(Greater, slow.Whole) and Greater(5).size == 5
try:
    make(-1)
except SlowError as error:
    assert type(error) is slow.errors.SlowError
assert slow.part.PART(1) == 2 and sys.RAN == 1, "its code runs once"
try:
    slow.nothing
except AttributeError as error:
    print(error)
with postponed("slow"):
    import slow
    assert slow.Whole is type(whole), "what ran already stays"
"""


def test_its_code_runs_once_and_late_and_nobody_sees_a_difference(tmp_path: Path) -> None:
    package = tmp_path / "slow"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import sys\nfrom slow.errors import SlowError\nsys.RAN = getattr(sys, 'RAN', 0) + 1\n"
        "class Whole:\n    kind = 'whole'\n    def __init__(self, size): self.size = size\n"
        "def make(size):\n    if size < 0: raise SlowError\n    return Whole(size)\n"
    )
    (package / "part.py").write_text("def PART(value):\n    return value + 1\n")
    (package / "errors.py").write_text("class SlowError(Exception): pass\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "slow" in ran.stdout
    assert "nothing" in ran.stdout


LANCEDB = """
import sys
import connectors.lance.index
from connectors.lance.postponed import CATALOGUES
of_catalogues = {name: module for name, module in sys.modules.items() if name.split(".")[0] in CATALOGUES}
catalogues = [module for name, module in of_catalogues.items() if not name.endswith(".errors")]
assert len(catalogues) >= 2 and not any("__builtins__" in vars(module) for module in catalogues), "their code did not run"
assert "overrides" not in sys.modules
import lance_namespace_urllib3_client as client, lance_namespace.errors, lancedb.db, lancedb.namespace, lancedb.remote.table
assert client.TableApi.__name__ == "TableApi" and client.models.version_range.VersionRange
assert lance_namespace.ListNamespacesResponse is type(lancedb.db.ListNamespacesResponse(namespaces=[]))
assert lance_namespace.errors.TableNotFoundError is lancedb.db.TableNotFoundError is lance_namespace.TableNotFoundError
assert lancedb.namespace.JsonArrowDataType(type="int32").type == "int32"
"""


def test_lancedb_works_without_the_client_of_its_catalogues() -> None:
    ran = subprocess.run([sys.executable, "-W", "error", "-c", LANCEDB], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
