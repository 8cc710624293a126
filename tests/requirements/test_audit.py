"""The audit of the pinned packages, with a database of the test's own; and what can be held without one."""

import importlib.metadata
import json
import re
import runpy
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
audit: dict[str, Any] = runpy.run_path(str(ROOT / "requirements" / "audit.py"))
LOCK = "good==1.0\nbad[extra]==2.0 ; python_version < '3.12'\n# a remark\n"
_ALLOWED = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|Unlicense|0BSD|Zlib|HPND|CC0)", re.I
)
_READ_BY_HAND = frozenset({"axe-playwright-python", "crc32c"})  # crc32c: LGPL, used unchanged as a library
_NAME_NONE = {"bytewax": "Apache License", "resvg-py": "Permission is hereby granted, free of charge"}  # in their metadata


def run(tmp_path: Path, answer: httpx.Response | Exception, *options: str, lock: str = LOCK) -> int:
    def respond(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        names = [query["package"]["name"] for query in json.loads(request.content)["queries"]]
        assert names == ["good", "bad"]
        return answer

    path = tmp_path / "requirements.lock"
    path.write_text(lock)
    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        return int(audit["main"]([*options, str(path)], client))


def test_a_known_vulnerability_fails_and_is_named(tmp_path, capsys):
    answer = httpx.Response(200, json={"results": [{}, {"vulns": [{"id": "GHSA-1"}]}]})
    assert run(tmp_path, answer) == 1
    assert "bad 2.0: https://osv.dev/vulnerability/GHSA-1" in capsys.readouterr().err


def test_nothing_known_passes(tmp_path, capsys):
    assert run(tmp_path, httpx.Response(200, json={"results": [{}, {}]})) == 0
    assert "2 packages audited, 0 vulnerabilities known" in capsys.readouterr().out


@pytest.mark.parametrize("answer", [httpx.ConnectError("no network"), httpx.Response(503), httpx.Response(200, text="<html>")])
def test_a_database_that_does_not_answer_is_never_taken_for_a_clean_one(tmp_path, capsys, answer):
    assert run(tmp_path, answer) == 2
    assert run(tmp_path, answer, "--offline-ok") == 0
    shown = capsys.readouterr()
    assert shown.err.count("NOT AUDITED") == 2
    assert "audited," not in shown.out


def test_a_package_that_is_not_pinned_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not pinned"):
        run(tmp_path, httpx.Response(200), lock="good>=1.0\n")


def test_hashes_of_a_lock_are_no_part_of_its_versions():
    lock = "good==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nbad==2.0 ; extra == 'x' \\\n  --hash=sha256:cc\n"
    assert audit["pinned"](lock) == [("good", "1.0"), ("bad", "2.0")]


def test_every_package_of_the_lock_is_pinned_to_one_version():
    packages = audit["pinned"]((ROOT / "requirements-dev.lock").read_text())
    assert len(packages) > 50
    assert all(re.fullmatch(r"[\w.!+-]+", version) for _, version in packages)


def test_every_installed_package_of_the_lock_has_a_licence_that_allows_its_use():
    unclear = []
    for name, _ in audit["pinned"]((ROOT / "requirements-dev.lock").read_text()):
        try:
            metadata = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # of another platform
        said = [metadata.get("License-Expression") or "", (metadata.get("License") or "")[:200]]
        said += [each for each in metadata.get_all("Classifier") or () if each.startswith("License ::")]
        if not _ALLOWED.search(" ".join(said)) and name not in _READ_BY_HAND | _NAME_NONE.keys():
            unclear.append((name, said))
    assert unclear == []


@pytest.mark.parametrize(("name", "licence"), _NAME_NONE.items())
def test_a_package_whose_metadata_name_no_licence_brings_its_text_and_stands_in_the_documentation(name, licence):
    [path] = [each for each in importlib.metadata.files(name) or () if each.name == "LICENSE"]
    assert licence in " ".join(path.read_text().split())
    assert f"| {name} {importlib.metadata.version(name)} |" in (ROOT / "docs" / "internals" / "dependencies.md").read_text()
