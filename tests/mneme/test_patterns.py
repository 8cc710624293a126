"""Patterns from data files: each that a rule asks for is there, and each that is there is asked for."""

import re
import tomllib
from pathlib import Path

import pytest

from mneme.patterns import Cues, Patterns, expanded

ROOT = Path(__file__).parents[2]
MODULES = [
    module
    for room in ("flows/extraction", "mneme/dates", "mneme/relations")
    for module in sorted((ROOT / room).glob("*.py"))
    if "Patterns(__file__" in module.read_text(encoding="utf-8") or "Cues(__file__" in module.read_text(encoding="utf-8")
]


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A module with a file of patterns beside it."""
    (tmp_path / "rules.toml").write_text(
        "greets = ['(?i)\\b(?:hello|', 'good {time})\\b']\nkin = 'aunt uncle'\n[chinese]\ngreets = '你好'\n"
        "typo = '(?:{tyme})'\n[fragments]\ntime = '(?:morning|{late})'\nlate = 'evening'\n"
    )
    return str(tmp_path / "rules.py")


def test_a_pattern_is_joined_and_its_fragments_are_put_in(module: str) -> None:
    assert Patterns(module).greets.search("Good evening, Ann")
    assert Patterns(module, "chinese").greets.search("你好")
    assert Patterns(module).fragment("time") == "(?:morning|evening)"


def test_a_cue_finds_what_its_pattern_does(module: str) -> None:
    assert Cues(module).greets.search("So, hello!")
    assert not Cues(module).greets.search("Bye")


def test_a_fragment_may_stand_in_another() -> None:
    assert expanded("{when} {x}", {"when": "now|{x}", "x": "then"}) == "now|then then"


def test_words_stand_with_blanks_between_them(module: str) -> None:
    assert Patterns(module).words("kin") == {"aunt", "uncle"}


def test_a_name_that_is_not_in_the_file_is_told(module: str) -> None:
    with pytest.raises(AttributeError, match=r"rules.toml has no pattern chinese.waves"):
        _ = Patterns(module, "chinese").waves


def test_a_fragment_that_is_in_no_file_is_told_with_its_pattern(module: str) -> None:
    with pytest.raises(AttributeError, match=r"rules.toml has no fragment tyme, for chinese.typo"):
        _ = Patterns(module, "chinese").typo


@pytest.mark.parametrize("module_", MODULES, ids=lambda module: f"{module.parent.name}/{module.name}")
def test_a_module_and_its_file_have_the_same_names(module_: Path) -> None:
    """A section that is read by name as a whole counts as asked for."""
    source = module_.read_text(encoding="utf-8")
    data = tomllib.loads(module_.with_suffix(".toml").read_text(encoding="utf-8"))
    made = re.findall(r"^(_\w+) = (?:Patterns|Cues)\(__file__(?:, \"(\w+)\")?", source, re.MULTILINE)
    assert made
    asked: dict[str, set[str]] = {section: set() for _, section in made}
    for name, section in made:
        asked[section] |= set(re.findall(rf"(?<![\w.]){name}\.(?!words\b|fragment\b)(\w+)", source))
        asked[section] |= set(re.findall(rf"(?<![\w.]){name}\.words\(\"(\w+)\"\)", source))
    for section, names in asked.items():
        texts = data[section] if section else {name: text for name, text in data.items() if not isinstance(text, dict)}
        assert names == set(texts), f"{module_.name} [{section}]"
