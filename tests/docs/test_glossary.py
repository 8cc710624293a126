"""No identifier of the product code bears a word that was replaced: docs/internals/renamed.md."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("mneme", "connectors", "flows", "queries", "serving", "evaluation")
RENAMED = (ROOT / "docs" / "internals" / "renamed.md").read_text(encoding="utf-8")


def replaced_words() -> set[str]:
    """The names in the left column: identifiers, and files with their folder."""
    cells = re.findall(r"^\| (`[^|]+) \| [^|]+ \|", RENAMED, flags=re.M)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def identifiers(tree: ast.AST) -> set[str]:
    """Every name that a module defines or uses."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name):
                names.update(name.split("."))
    return names


def test_every_replaced_word_is_an_identifier_or_a_file() -> None:
    words = replaced_words()
    assert words
    assert {word for word in words if not re.fullmatch(r"\w+|[\w/]+\.py|[\w/]+/", word)} == set()


def test_no_identifier_bears_a_replaced_word() -> None:
    words = {word for word in replaced_words() if word.isidentifier()}
    found = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            written = not words.isdisjoint(re.findall(r"\w+", text))  # else there is nothing to parse
            if borne := words & {*(identifiers(ast.parse(text)) if written else ()), path.stem, path.parent.name}:
                found[str(path.relative_to(ROOT))] = borne
    assert found == {}


def test_no_file_bears_a_replaced_name() -> None:
    assert [word for word in replaced_words() if "/" in word and (ROOT / word).exists()] == []
