import shutil
from pathlib import Path

import pytest

from connectors.documents.local import Task
from connectors.documents.office import converted
from mneme.errors import InputError
from mneme.ports import ParsedDocument
from mneme.settings import Documents
from tests.waiting import wait_until


def _task(seconds: float = 60) -> Task:
    return Task("a.doc", None, Documents(seconds=seconds), lambda *_: ParsedDocument("", ()))


def _office(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program in the place of LibreOffice."""
    program = folder / "soffice"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda _: str(program))


def test_it_is_told_to_convert_without_macros_links_and_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the profile and the arguments become the converted file
    _office(
        tmp_path,
        monkeypatch,
        'cat profile/user/registrymodifications.xcu > document.docx; echo "$@" "$HOME" "$PWD" >> document.docx',
    )
    told = converted(b"old", "doc", "docx", _task()).decode()
    for setting in ("DisableMacrosExecution", "BlockUntrustedRefererLinks", "ooInetHTTPProxyName", 'oor:name="Link"'):
        assert setting in told
    assert "--headless" in told
    assert "--convert-to docx" in told
    home = told.split()[-1]
    assert not Path(home).exists()


def test_it_knows_nothing_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEME_CHAT__API_KEY", "a-secret")
    _office(tmp_path, monkeypatch, "env > document.docx")
    assert b"a-secret" not in converted(b"old", "doc", "docx", _task())


def test_what_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "pid"
    _office(tmp_path, monkeypatch, f"sleep 300 & echo $! > {started}; wait")
    with pytest.raises(InputError, match="has not converted it in 3 s"):
        converted(b"old", "doc", "docx", _task(seconds=3))
    wait_until(lambda: not _runs(int(started.read_text())))  # it was killed, and goes in a moment


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_file_that_it_cannot_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _office(tmp_path, monkeypatch, "exit 0")
    with pytest.raises(InputError, match="cannot read it"):
        converted(b"old", "ppt", "pptx", _task())


def test_without_it_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(
        InputError, match="reading ppt files needs libreoffice; install it: apt-get install libreoffice-impress-nogui"
    ):
        converted(b"", "ppt", "pptx", _task())
