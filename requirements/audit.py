"""Asks the OSV database whether a pinned package has a known vulnerability: ``make audit``.

    python requirements/audit.py [--offline-ok] [LOCK]

Exit code 0: the database knows of none. 1: it knows of some, each is printed. 2: it could not be asked, and nothing was
audited; with ``--offline-ok`` that is a warning only, so that a machine without a network can still run the CI.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import httpx

DATABASE = "https://api.osv.dev/v1/querybatch"
_AT_ONCE = 500  # packages of one request; the database takes 1,000
_SECONDS = 30.0


def pinned(lock: str) -> list[tuple[str, str]]:
    """Name and version of each package of a lock.

    Raises:
        ValueError: a line that pins no version: nobody could say what was audited.
    """
    packages = []
    for line in lock.replace("\\\n", " ").splitlines():
        requirement = line.split("#")[0].split(" --hash=")[0].split(";")[0].strip()
        if requirement:
            name, equals, version = requirement.partition("==")
            if not equals or not version.strip():
                raise ValueError(f"{requirement!r} is not pinned by ==; run make lock")
            packages.append((name.split("[")[0].strip().lower(), version.strip()))
    return packages


def vulnerabilities(packages: Sequence[tuple[str, str]], client: httpx.Client) -> list[tuple[str, str, str]]:
    """Name, version and identifier of every vulnerability that the database knows.

    Raises:
        httpx.HTTPError: it could not be asked.
    """
    found = []
    for start in range(0, len(packages), _AT_ONCE):
        part = packages[start : start + _AT_ONCE]
        queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in part]
        answer = client.post(DATABASE, json={"queries": queries}, timeout=_SECONDS).raise_for_status().json()
        for (name, version), result in zip(part, answer["results"], strict=True):
            found += [(name, version, each["id"]) for each in result.get("vulns", ())]
    return found


def main(arguments: Sequence[str], client: httpx.Client) -> int:
    """The command; see the top of this file."""
    offline_ok = "--offline-ok" in arguments
    paths = [each for each in arguments if not each.startswith("--")]
    packages = pinned(Path(paths[0] if paths else "requirements-dev.lock").read_text(encoding="utf-8"))
    try:
        found = vulnerabilities(packages, client)
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        print(f"NOT AUDITED: {DATABASE} gave no answer ({type(error).__name__}: {error})", file=sys.stderr)
        print("Run make audit on a machine that reaches it before a release.", file=sys.stderr)
        return 0 if offline_ok else 2
    for name, version, identifier in found:
        print(f"{name} {version}: https://osv.dev/vulnerability/{identifier}", file=sys.stderr)
    print(f"{len(packages)} packages audited, {len(found)} vulnerabilities known")
    return 1 if found else 0


if __name__ == "__main__":
    with httpx.Client() as asking:
        sys.exit(main(sys.argv[1:], asking))
