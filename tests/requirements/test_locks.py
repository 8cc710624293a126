"""The locks have a hash of every file, and whoever installs from them asks for it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements/flink.lock")
_HASH = re.compile(r" --hash=sha256:[0-9a-f]{64}(?= |$)")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_has_hashes(lock: str) -> None:
    lines = (ROOT / lock).read_text().replace("\\\n", " ").splitlines()
    assert len(lines) > 50
    assert [line for line in lines if not _HASH.search(line)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_packages_and_no_place_to_fetch_them_from(lock: str) -> None:
    for line in (ROOT / lock).read_text().replace("\\\n", " ").splitlines():
        assert re.fullmatch(r"[\w.\[\],-]+==[\w.!+-]+(?: ; [^:/]+?)?\s*", _HASH.sub("", line)), line


def test_what_runs_is_pinned_as_in_development() -> None:
    def packages(lock: str) -> set[str]:
        lines = (ROOT / lock).read_text().replace("\\\n", " ").splitlines()
        return {line.split(" ")[0] + str(_HASH.findall(line)) for line in lines}

    assert packages("requirements.lock") - packages("requirements-dev.lock") == set()


def asked_by_install(words: str, program: str, tmp_path: Path, home: str = ".venv") -> list[str]:
    """The calls of ``install.sh`` in a folder of its own, with programs that write down what they are asked."""
    asked = tmp_path / "asked"
    (tmp_path / "requirements").mkdir()
    shutil.copy(ROOT / "requirements" / "install.sh", tmp_path / "requirements")
    (tmp_path / "requirements.lock").write_text("good==1.0 --hash=sha256:aa\n")
    programs = tmp_path / "programs"
    for path in (programs / "uv", tmp_path / home / "bin" / "python"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\ncase "$*" in *install*) echo "$@" >>{asked} ;; esac\n')
        path.chmod(0o755)
    if program == "pip":
        (programs / "uv").unlink()
    for tool in ("bash", "grep", "dirname", "sh", "mktemp", "rm"):
        (programs / tool).symlink_to(shutil.which(tool) or "")
    command = ["bash", "requirements/install.sh", *words.split()]
    subprocess.run(command, cwd=tmp_path, env={"PATH": str(programs)}, check=True, timeout=60)
    return asked.read_text().splitlines()


@pytest.mark.parametrize("program", ["uv", "pip"])
def test_what_make_installs_must_have_a_hash_of_the_lock(program: str, tmp_path: Path) -> None:
    lines = asked_by_install("requirements.lock", program, tmp_path)
    *brought, packages, own = [line for line in lines if " uninstall " not in line]
    assert [("--require-hashes" in line, line.split()[-1]) for line in brought] == (
        [] if program == "uv" else [(True, "requirements/installer.lock")]
    )
    assert packages.startswith("pip install" if program == "uv" else "-m pip install")
    assert {"--no-deps", "--require-hashes"} <= set(packages.split())
    assert packages.endswith("-r requirements.lock")
    assert {"--no-deps", "--no-build-isolation"} <= set(own.split())
    assert own.endswith("-e .")
    removed = [line.split()[-2:] for line in lines if " uninstall " in line]
    assert removed == ([["pip", "setuptools"]] if program == "uv" else []), "what only installs stays nowhere that uv can empty"


def test_another_environment_has_the_packages_of_its_lock_and_not_mneme(tmp_path: Path) -> None:
    (packages,) = asked_by_install("requirements.lock other", "uv", tmp_path, home="other")
    assert "--python other/bin/python" in packages
    assert packages.endswith("-r requirements.lock")


@pytest.mark.parametrize("page", ["Dockerfile", "docs/deployment.md"])
def test_who_else_installs_the_lock_asks_for_its_hashes(page: str) -> None:
    installs = [line for line in (ROOT / page).read_text().splitlines() if re.search(r"pip install .*-r \S*\.lock", line)]
    assert installs
    assert all("--require-hashes" in line and "--no-deps" in line for line in installs)


def test_make_lock_asks_for_hashes() -> None:
    told = subprocess.run(["make", "--dry-run", "--always-make", "lock"], cwd=ROOT, capture_output=True, text=True, check=True)
    resolved = [line for line in told.stdout.replace("\\\n", " ").splitlines() if "pip compile" in line]
    assert len(resolved) == len((*LOCKS, "requirements/installer.lock"))
    assert all("--generate-hashes" in line and "--no-emit-index-url" in line for line in resolved)
