"""What the documentation runs, runs; what it shows as printed, is printed.

A block after ``<!-- run -->`` is run. Of one after ``<!-- output -->`` each line that begins with ``$`` is run, and what stands
below it must be printed in that order, ``...`` standing for anything; spaces and line breaks do not count. All run in this
process, on one embedded index of the examples.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from serving.cli import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# to what the blocks that are run ask
ANSWERS = {"When is Jason's birthday?": "14 May", "and his brother's?": "understood as: When is Jason's brother's birthday?"}
EXAMPLES = ("friends.jsonl", "team.jsonl", "acme.jsonl", "handbook.md")


def marked(mark: str) -> list[tuple[str, str]]:
    """The blocks that have a mark, each with the name of its page."""
    pattern = rf"^<!-- {mark} -->\n```\w+\n(.*?)^```"
    return [(page.name, block) for page in PAGES for block in re.findall(pattern, page.read_text("utf-8"), flags=re.S | re.M)]


def commands_to_run() -> list[tuple[str, str]]:
    """The calls of mneme in blocks that are run."""
    return [(page, line) for page, block in marked("run") for line in block.splitlines() if line.startswith("mneme ")]


def printed_outputs() -> list[tuple[str, str, str]]:
    """Page, command and what is printed."""
    found = []
    for page, block in marked("output"):
        for call in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, below = call.partition("\n")
            found.append((page, line, below))
    return found


def squashed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def run(line: str, typed: str = "") -> str:
    done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:], input=typed, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the examples in it and an index of them."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "examples").symlink_to(ROOT / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MNEME_DATA", str(folder / "mneme-data"))
        patch.setenv("COLUMNS", "100")
        run("mneme ingest " + " ".join(f"examples/{name}" for name in EXAMPLES))
        yield folder


def test_there_are_such_blocks() -> None:
    assert {page for page, _ in commands_to_run()} >= {"quickstart.md", "concepts.md"}
    assert {page for page, _, _ in printed_outputs()} >= {"README.md", "concepts.md"}


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(("page", "line"), commands_to_run())
def test_what_is_to_be_run_runs(page: str, line: str) -> None:
    printed = run(line)
    assert printed
    if re.match(r"mneme (?:search|ask) ", line):
        assert ANSWERS[shlex.split(line)[2]] in printed


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(("page", "line", "below"), printed_outputs())
def test_what_is_shown_is_printed(page: str, line: str, below: str) -> None:
    printed = squashed(run(line))
    pieces = [squashed(piece) for piece in re.split(r"^\.\.\.$", below, flags=re.M) if squashed(piece)]
    assert pieces
    position = 0
    for piece in pieces:
        assert piece in printed[position:], piece
        position = printed.index(piece, position) + len(piece)
