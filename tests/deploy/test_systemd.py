"""The unit files start commands that exist, with settings that are some."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from mneme.settings import Settings
from serving.cli import app

UNITS = sorted((Path(__file__).parents[2] / "deploy" / "systemd").glob("*.service"))


def test_there_are_two() -> None:
    assert [unit.name for unit in UNITS] == ["mneme-flow.service", "mneme-serve.service"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_a_command_with_settings(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    (call,) = re.findall(r"^ExecStart=\S+/mneme (.*)$", text, flags=re.M)
    commands: Any = get_command(app)
    (name,) = [word for word in call.split() if not word.startswith("--")]
    assert name in commands.commands
    variables = re.findall(r"MNEME_([A-Z]+)=", text)
    assert variables
    assert {variable.lower() for variable in variables} <= set(Settings.model_fields)
