"""A flow in processes of its own gets the settings it is given, and nothing of what is around."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

import mneme.settings
import serving.cli
from evaluation.faults import with_constants
from evaluation.faults.flow_process import FlowProcess, command, environment
from evaluation.process_costs import family_of, resident_bytes
from mneme.errors import StoreError
from mneme.settings import Flow, Models, Settings, load_settings


def test_the_environment_gives_a_process_the_same_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    base = Settings(_env_file=None)
    models = base.models.model_copy(update={"api_key": SecretStr("secret"), "by_role": {"judge": "strict"}})
    flow = base.flow.model_copy(update={"change_feed": False, "epoch_seconds": 0.5})
    wanted = base.model_copy(update={"models": models, "flow": flow, "data": tmp_path / "data"})
    monkeypatch.setenv("MNEME_FLOW__PENDING_LIMIT", "7")  # of this process, and not meant for the other
    written = environment(wanted)
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    assert load_settings() == wanted
    assert written["MNEME_FLOW__PENDING_LIMIT"] == "2000"


def test_a_process_gets_the_constants_that_no_variable_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted = Settings(_env_file=None).replace(data=tmp_path, flow={"source_batch": 7}, models={"retry_base_seconds": 0.1})
    assert command(wanted, "run", python="python") == ["python", "-m", "evaluation.faults.with_constants", "run"]
    assert command(wanted.replace(flow=Flow(), models=Models()), "run", python="python") == ["python", "-m", "serving", "run"]
    for name, value in environment(wanted).items():
        monkeypatch.setenv(name, value)
    seen: list[Settings] = []
    monkeypatch.setattr(mneme.settings, "load_settings", load_settings)  # what the program puts there goes after the test
    monkeypatch.setattr(serving.cli, "main", lambda: seen.append(mneme.settings.load_settings()))
    with_constants.main()
    [settings] = seen
    assert settings == wanted
    assert (settings.flow.source_batch, settings.models.retry_base_seconds) == (7, 0.1)


def test_a_family_is_a_process_and_all_that_came_of_it() -> None:
    code = "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            assert family_of(parent.pid) == [parent.pid, child]
            assert resident_bytes(parent.pid) > resident_bytes(child) > 0
        finally:
            subprocess.run(["kill", str(child)], check=True)
            parent.kill()
    assert family_of(parent.pid) == []
    assert resident_bytes(parent.pid) == 0


def test_who_waits_for_a_flow_that_ended_hears_what_it_said(tmp_path: Path) -> None:
    base = Settings(_env_file=None)
    nowhere = base.kafka.model_copy(update={"bootstrap_servers": "127.0.0.1:1"})
    from_kafka = base.service.model_copy(update={"intake": "kafka"})
    with (
        FlowProcess(base.model_copy(update={"data": tmp_path, "kafka": nowhere, "service": from_kafka})) as flow,
        pytest.raises(StoreError, match=r"(?s)exit status 1.*127\.0\.0\.1:1"),
    ):
        flow.until(lambda: False, timeout=60)
