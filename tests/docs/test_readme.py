"""What the documentation says is there: commands, files, Python, settings."""

import ast
import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from mneme.events import parse_event
from serving.cli import app
from tests.docs.rest_page import rest_page
from tests.docs.settings_page import settings_page
from tests.docs.test_glossary import replaced_words

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)


def command_of(words: list[str]) -> Any:
    """The command that these words name, as far as they are names of commands."""
    command: Any = get_command(app)
    for word in words:
        children = getattr(command, "commands", None)
        if children is None:
            break
        assert word in children, f"mneme has no command {' '.join(words)}"
        command = children[word]
    return command


def mneme_lines() -> list[tuple[str, str]]:
    """Every line of a shell block, and every cell of a table, that calls mneme; with its page."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shell = [line for block in blocks(page, "bash") for line in block.splitlines()]
        cells = re.findall(r"^\| `(mneme [^`]+)` \|", text, flags=re.M)
        for line in [*shell, *cells]:
            call = re.match(r"(?:[A-Z_]+=\S+ )*(mneme .*)", line)
            if call:
                found.append((page.name, call.group(1)))
    return found


@pytest.mark.parametrize(("page", "line"), mneme_lines())
def test_every_command_that_is_named_exists_with_its_options(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    names = [word for word in words if not word.startswith("-")]
    command = command_of(names)
    known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    assert {word for word in words if word.startswith("-")} <= known


def commands_in_the_table_of(page: Path) -> list[str]:
    """The commands that the tables of a page name."""
    return [line.split()[1] for line in re.findall(r"^\| `(mneme [^`]+)` \|", page.read_text(encoding="utf-8"), flags=re.M)]


def test_every_command_is_in_the_table_of_commands() -> None:
    named = set(commands_in_the_table_of(ROOT / "docs" / "commands.md"))
    assert named == set(get_command(app).commands)  # type: ignore[attr-defined]


def test_a_newcomer_reads_the_readme_in_some_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_the_pages_for_users_stay_short() -> None:
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "internals" not in page.parts]
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "README.md", *pages)]
    assert sum(len(text.split()) for text in texts) <= 25_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_quotes_are_quoted_as_they_are(page: Path) -> None:
    quoted = re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for path, text in quoted:
        assert text == (ROOT / path).read_text(encoding="utf-8"), path


def test_the_examples_of_publishing_are_quoted_or_linked() -> None:
    text = (ROOT / "docs" / "publishing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^<!-- file: |\]\(\.\./)(examples/publish/[\w.-]+)(?: -->|\))", text, flags=re.M))
    assert named == {f"examples/publish/{path.name}" for path in (ROOT / "examples" / "publish").iterdir()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_compiles(page: Path) -> None:
    for block in blocks(page, "python"):
        ast.parse(block)


def test_the_names_that_python_snippets_import_exist() -> None:
    for page in PAGES:
        for block in blocks(page, "python"):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom):
                    module = __import__(node.module or "", fromlist=["*"])
                    assert all(hasattr(module, name.name) for name in node.names), f"{page.name}: {node.module}"


def test_each_conversation_has_one_owner_on_all_pages() -> None:
    said = r'conversation_id"?\s*[:=]\s*"([^"]+)"[^{}()]*?\b((?:user|group|agent)_id)"?\s*[:=]\s*"([^"]+)"'
    found = {owned for page in PAGES for owned in re.findall(said, page.read_text(encoding="utf-8"))}
    assert ("standup", "user_id", "mira") in found
    assert sorted(conversation for conversation, _, _ in found) == sorted({conversation for conversation, _, _ in found})


def test_the_events_of_the_documentation_are_taken_in() -> None:
    examples = [
        text
        for block in blocks(ROOT / "docs" / "events.md", "json")
        for text in ([block] if block.startswith("{\n") or block.count("\n{") == 0 else block.splitlines())
    ]
    assert len(examples) >= 8
    for text in examples:
        parse_event(json.dumps(json.loads(text)).encode(), datetime.now(UTC))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_of_the_project(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    rooms = "mneme|connectors|flows|queries|serving|evaluation|tests|deploy|examples|requirements"
    named = re.findall(rf"`((?:{rooms})/[\w./-]*)`", page.read_text(encoding="utf-8"))
    gone = replaced_words()
    assert [name for name in named if not (ROOT / name).exists() and name not in gone] == []


def test_the_page_of_settings_is_current() -> None:
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == settings_page(), "run `make docs`"


def test_the_page_of_the_rest_api_is_current() -> None:
    assert (ROOT / "docs" / "rest.md").read_text(encoding="utf-8") == rest_page(), "run `make docs`"


def test_every_operation_is_on_the_page_of_the_rest_api() -> None:
    page = (ROOT / "docs" / "rest.md").read_text(encoding="utf-8")
    assert {"### POST /api/v1/memories/search", "### POST /api/v1/memories", "### GET /health"} <= set(page.splitlines())
    assert "](#" not in re.sub(r"settings\.md#\w+", "", page)


def test_make_targets_that_are_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.M))
    named = {name for page in PAGES for name in re.findall(r"(?:^|`)make ([a-z]+)", page.read_text(), flags=re.M)}
    assert named <= targets


def test_every_direct_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = [package for packages in project["project"]["optional-dependencies"].values() for package in packages]
    required = [*project["project"]["dependencies"], *extras, *project["dependency-groups"]["dev"]]
    names = {re.split(r"[<>=\[ ]", package)[0] for package in required} - {"mneme-river"}
    page = (ROOT / "docs" / "internals" / "dependencies.md").read_text()
    assert {name for name in names if not re.search(rf"\b{re.escape(name)}\b", page)} == set()
