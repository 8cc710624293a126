"""Clients that openapi-python-client and openapi-typescript generate publish, search and ask, typed and without a warning."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serving.embedded_service import embedded_settings, opened, over_http

GENERATORS = Path(os.environ.get("MNEME_TEST_GENERATORS", "/nowhere")).absolute()
CLIENTS = Path(__file__).parent / "generated"
FACT = "The release moves to Friday."

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with opened(embedded_settings(tmp_path_factory.mktemp("generated"))) as service, over_http(service) as url:
        yield url


def document(url: str, folder: Path) -> Path:
    path = folder / "openapi.json"
    path.write_bytes(httpx.get(f"{url}/openapi.json", timeout=120).content)
    return path


def need(program: Path) -> str:
    if not program.exists():
        pytest.skip(
            f"MNEME_TEST_GENERATORS names no folder with {program.name}: tests/serving/rest/generated/generators.sh FOLDER"
        )
    return str(program)


def run(*command: str, folder: Path) -> str:
    """What a command says; it ends well, and warns of nothing."""
    environment = {**os.environ, "PATH": f"{GENERATORS / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "warning" not in said.lower()
    return done.stdout


def test_a_python_client_is_generated_and_works_typed(url: str, tmp_path: Path):
    generator = need(GENERATORS / "bin" / "openapi-python-client")
    path = document(url, tmp_path)
    run(
        generator,
        "generate",
        "--path",
        str(path),
        "--output-path",
        "mneme_client",
        "--meta",
        "none",
        "--fail-on-warning",
        folder=tmp_path,
    )
    shutil.copy(CLIENTS / "client.py", tmp_path)
    run(need(GENERATORS / "bin" / "mypy"), "--strict", "client.py", folder=tmp_path)
    fact, answer = run(str(GENERATORS / "bin" / "python"), "client.py", url, folder=tmp_path).splitlines()
    assert FACT in fact
    assert "Friday" in answer


def test_a_typescript_client_is_generated_and_works_typed(url: str, tmp_path: Path):
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not at hand")
    tools = GENERATORS / "node_modules" / ".bin"
    generator, compiler = need(tools / "openapi-typescript"), need(tools / "tsc")
    run(generator, str(document(url, tmp_path)), "-o", "mneme.ts", "--default-non-nullable=false", folder=tmp_path)
    shutil.copy(CLIENTS / "client.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(GENERATORS / "node_modules")
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "--skipLibCheck"]
    run(compiler, *options, "client.ts", folder=tmp_path)
    fact, answer = run(node, "client.js", url, folder=tmp_path).splitlines()
    assert FACT in fact
    assert "Friday" in answer
