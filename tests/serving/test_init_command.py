"""``mneme admin init`` writes a .env that loads, tells every setting, and replaces nothing unasked."""

import itertools
import re
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mneme.settings import Settings, load_settings
from serving.cli import app
from serving.environment_file import environment_file
from serving.rest.keys import Keys
from tests.docs.settings_page import settings_page


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["admin", "init", *arguments])


def test_what_is_commented_out_is_every_setting_with_its_default(folder: Path):
    documented = set(re.findall(r"^\| `(MNEME_\w+)` \|", settings_page(), flags=re.M))
    lines = environment_file({}).splitlines()
    told = {line.removeprefix("#").split("=")[0]: line for line in lines if re.match(r"#MNEME_\w+=", line)}
    assert set(told) == documented
    active = [line.removeprefix("#") for line in told.values() if not line.endswith("=")]  # what is left out has no default
    (folder / "all.env").write_text("\n".join(active))
    assert Settings(_env_file="all.env") == Settings(_env_file=None)  # type: ignore[call-arg]


def test_every_setting_has_a_line_that_says_what_it_is():
    lines = environment_file({}).splitlines()
    for before, line in itertools.pairwise(lines):
        if re.match(r"#MNEME_\w+=", line):
            assert before.startswith("# "), line


def test_a_key_is_made_and_shown_once(folder: Path):
    result = init("--key", "acme")
    assert result.exit_code == 0
    assert (folder / ".env").stat().st_mode & 0o777 == 0o600
    settings = load_settings({})
    key = re.findall(r"[0-9a-f]{48}", result.stdout)[0]
    assert settings.service.keys == {f"sha256:{sha256(key.encode()).hexdigest()}": "acme"}
    assert key not in (folder / ".env").read_text()
    caller = Keys(settings.service.keys).caller(key)
    assert caller is not None
    assert caller.tenant == "acme"


def test_without_options_it_has_the_defaults():
    assert init().exit_code == 0
    assert load_settings({}) == Settings(_env_file=None)  # type: ignore[call-arg]


def test_a_file_that_is_there_is_replaced_only_when_told(folder: Path):
    (folder / ".env").write_text("MNEME_DATA=mine\n")
    refused = init()
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert (folder / ".env").read_text() == "MNEME_DATA=mine\n"
    assert init("--print").stdout.startswith("# Settings of Mneme")
    assert (folder / ".env").read_text() == "MNEME_DATA=mine\n"
    assert init("--force").exit_code == 0
    assert "#MNEME_INDEX__BACKEND=embedded" in (folder / ".env").read_text()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--file", "nowhere/.env"), "nowhere"),
        (("--key", "it's"), "MNEME_SERVICE__KEYS"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments: tuple[str, ...], named: str, folder: Path):
    result = init(*arguments)
    assert result.exit_code == 2
    assert named in result.stderr
    assert not list(folder.iterdir())
