"""Lint the prose: ``python -m tests.docs.prose``, a part of ``make lint``.

The pages that people write, the docstrings and the messages of errors pass proselint and two rules of our own: a sentence has
at most ``MOST_WORDS`` words, and no docstring opens with one of ``OPENING_WORDS``.
"""

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROOMS = ("mneme", "connectors", "flows", "queries", "serving", "evaluation")
GENERATED = {"settings.md", "rest.md", "formats.md"}  # their words are descriptions in the code
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in GENERATED),
]
MOST_WORDS = 32
OPENING_WORDS = ("What", "Who", "Which", "Where", "When", "Whether", "How", "Of", "By")
# By room: docstrings that still open so, and longer sentences in docstrings and messages. A number only falls.
ALLOWED_OPENINGS = {"mneme": 0, "connectors": 3, "flows": 0, "queries": 2, "serving": 0, "evaluation": 0}
ALLOWED_LENGTHS = {"mneme": 7, "connectors": 15, "flows": 14, "queries": 20, "serving": 1, "evaluation": 18}
# Checks of proselint that contradict how we write, such as straight quotes, or that take "for everybody" for "for ever".
SILENT = (
    "restricted",
    "typography",
    "archaism",
    "weasel_words",
    "hedging",
    "dates_times",
    "spelling.consistency",
    "misc.preferred_forms",
)
SILENT_IN_CODE = ("lexical_illusions", "redundancy.misc.after_the_deadline")  # columns of figures; "enter in", "cancel out"


class Finding(NamedTuple):
    """One fault of the prose, with its place."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.text}"


class Passage(NamedTuple):
    """A run of prose that stands together: a paragraph, an item of a list, a cell of a table, a docstring."""

    path: Path
    line: int
    text: str


def plain(text: str) -> str:
    """Replace code by one word and a link by its label."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    names = itertools.cycle(("codeA", "codeB"))  # two, so that no word stands twice in a row
    text = re.sub(r"``[^`]+``|`[^`]+`", lambda _: next(names), text)
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>\n]+>|\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


def passages_of_page(path: Path) -> Iterator[Passage]:
    """Yield the prose of a Markdown page, without its code."""
    begin, lines, fenced = 0, [], False
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        starts = re.match(r"\s*(?:[-*] |\d+\. |#|\||> |<!--)", line)
        if lines and (fence or fenced or starts or not line.strip() or line.startswith("    ")):
            yield Passage(path, begin, plain(" ".join(lines)))
            lines = []
        if fence or fenced or not line.strip() or line.startswith(("<!--", "    ")):
            continue
        if line.startswith("|"):
            yield from (
                Passage(path, number, plain(cell)) for cell in re.split(r"(?<!\\)\|", line) if re.search(r"[a-z]", cell)
            )
        else:
            begin = begin if lines else number
            lines.append(re.sub(r"^\s*(?:[-*] |\d+\. |#+ |> )", "", line).strip())


def docstrings(path: Path, tree: ast.Module) -> Iterator[Passage]:
    """Yield the docstrings of a module, those of its constants and fields too."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) and isinstance(child.value.value, str):
                yield Passage(path, child.lineno, inspect.cleandoc(child.value.value))


def messages(path: Path, tree: ast.Module) -> Iterator[Passage]:
    """Yield the texts of the errors that a module raises."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args[:1]:
                parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
                texts = [part.value if isinstance(part, ast.Constant) else "`value`" for part in parts]
                if all(isinstance(text, str) for text in texts):
                    yield Passage(path, node.lineno, plain("".join(texts)))


def prose_of(docstring: str) -> list[str]:
    """Split a docstring into paragraphs and entries, without examples, tables and drawings."""
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*] |\w+: |\d+\. ))", docstring)
    return [plain(each) for each in paragraphs if ">>>" not in each and not re.search(r"\S {3,}\S|[|─└├]", each)]


def sentences(text: str) -> list[str]:
    """Split at full stops, colons, question and exclamation marks."""
    return re.split(r"(?<=[.:!?])[)\"']?\s+(?=\S)", text)


def too_long(text: str) -> list[str]:
    """Return the sentences with more than ``MOST_WORDS`` words."""
    return [each for each in sentences(text) if len(re.findall(r"[^\W_][\w'’.,/-]*", each)) > MOST_WORDS]


def opens_with_a_question(docstring: str) -> bool:
    """Tell whether a docstring begins with one of ``OPENING_WORDS``."""
    return re.match(rf"(?:{'|'.join(OPENING_WORDS)})\b", docstring) is not None


def proselint(passages: list[Passage], silent: tuple[str, ...]) -> Iterator[Finding]:
    """Yield the findings of proselint, without those of some checks."""
    from proselint.checks import __register__
    from proselint.config import DEFAULT
    from proselint.registry import CheckRegistry
    from proselint.tools import LintFile

    if not CheckRegistry().checks:
        CheckRegistry().register_many(__register__)
    config = {**DEFAULT, "checks": {name: name not in silent for name in DEFAULT["checks"]}}
    flat = [" ".join(passage.text.split()) for passage in passages]  # one line each, so that a line names its passage
    file = LintFile("prose", "\n.\n".join(flat))  # begins its text with an empty line
    for found in file.lint(config):
        passage = passages[(file.content.count("\n", 1, found.check_result.span[0] + 1)) // 2]
        path, message = found.check_result.check_path, found.check_result.message
        if not path.startswith(silent) and not re.search(r"illusion in '\W*\d", message):  # two cells with one figure
            yield Finding(passage.path, passage.line, f"{path}: {message}")


def code() -> Iterator[tuple[str, Path, ast.Module]]:
    """Yield each file of the product code with its room."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield room, path, ast.parse(path.read_text(encoding="utf-8"))


def beyond(found: dict[str, list[Finding]], allowed: dict[str, int]) -> list[Finding]:
    """Return all findings of each room that has more than it may."""
    return [each for room, findings in found.items() if len(findings) > allowed[room] for each in findings]


def lint_pages() -> list[Finding]:
    """Return the faults of the pages that people write."""
    passages = [passage for page in PAGES for passage in passages_of_page(page)]
    long = [
        Finding(passage.path, passage.line, f"{len(sentence.split())} words in a sentence: {sentence[:60]} ...")
        for passage in passages
        for sentence in too_long(passage.text)
    ]
    return [*long, *proselint(passages, SILENT)]


def lint_code() -> list[Finding]:
    """Return the faults of docstrings and messages."""
    openings: dict[str, list[Finding]] = {room: [] for room in ROOMS}
    lengths: dict[str, list[Finding]] = {room: [] for room in ROOMS}
    passages: list[Passage] = []
    for room, path, tree in code():
        for docstring in docstrings(path, tree):
            if opens_with_a_question(docstring.text):
                openings[room].append(Finding(path, docstring.line, f"opens badly: {docstring.text[:60]!r}"))
            passages += [Passage(path, docstring.line, text) for text in prose_of(docstring.text)]
        passages += messages(path, tree)
    for passage in passages:
        room = passage.path.relative_to(ROOT).parts[0]
        lengths[room] += [
            Finding(passage.path, passage.line, f"{len(each.split())} words in a sentence: {each[:60]!r} ...")
            for each in too_long(passage.text)
        ]
    return [
        *beyond(openings, ALLOWED_OPENINGS),
        *beyond(lengths, ALLOWED_LENGTHS),
        *proselint(passages, (*SILENT, *SILENT_IN_CODE)),
    ]


if __name__ == "__main__":
    faults = [*lint_pages(), *lint_code()]
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)
