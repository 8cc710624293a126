"""The shell completes commands, options and choices, and a script that does so is printed for each shell."""

import pytest
from typer.testing import CliRunner

from serving.cli import app


def answered(**environment: str) -> str:
    """What the program answers to a shell that asks by these variables."""
    return CliRunner().invoke(app, [], env=environment, prog_name="mneme").stdout


def complete(*words: str) -> set[str]:
    """What bash is offered for the last word."""
    words = ("mneme", *words)
    return set(answered(_MNEME_COMPLETE="complete_bash", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1)).split())


def test_commands_are_completed():
    assert complete("his") == {"history"}
    assert complete("admin", "dead-letters", "s") == {"show"}


def test_options_are_completed():
    assert {"--user", "--url"} <= complete("search", "--u")


def test_choices_are_completed():
    assert complete("search", "--method", "h") == {"hybrid"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed(shell: str):
    script = answered(_MNEME_COMPLETE=f"source_{shell}")
    assert f"complete_{shell}" in script
    assert "mneme" in script


def test_the_program_offers_to_install_it():
    told = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    assert "--install-completion" in told
    assert "--show-completion" in told
