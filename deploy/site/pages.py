"""Pages of the site that are not in docs/: README, CONTRIBUTING and CHANGELOG, and the command line from its code."""

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FROM_THE_TREE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add them."""
    for page, source in FROM_THE_TREE.items():
        files.append(File.generated(config, page, content=relinked((ROOT / source).read_text(encoding="utf-8"), ROOT / source)))
    sys.path.insert(0, str(ROOT))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **kwargs: Any) -> str:
    """A page of docs/: its links to the tree around it, and names of files as titles of pages."""
    here = Path(page.file.src_uri)
    text = markdown if page.file.src_uri in FROM_THE_TREE else relinked(markdown, DOCS / here)
    titles = {path: title for group in config.nav or [] for title, path in _entries(group)}

    def link(found: re.Match[str]) -> str:
        title = titles.get(os.path.normpath(here.parent / found[2].split("#")[0]))
        return f"[{title}]({found[2]})" if title else found[0]

    return re.sub(r"\[((?:docs/)?[\w/]+\.md)\]\(([^)\s]+)\)", link, text)


def _entries(entry: Any) -> list[tuple[str, str]]:
    """The pages below an entry of the navigation, as title and path."""
    return [
        pair
        for title, below in entry.items()
        for pair in ([(title, below)] if isinstance(below, str) else [each for inner in below for each in _entries(inner)])
    ]


def relinked(text: str, page: Path) -> str:
    """Turn the links of a page of the tree into links of the site; keep a link to anything else as plain words."""
    folder = page.parent
    on_the_site = folder.relative_to(DOCS) if folder.is_relative_to(DOCS) else Path()
    names = {ROOT / source: DOCS / page for page, source in FROM_THE_TREE.items()}

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        meant = (folder / path).resolve()
        meant = names.get(meant, meant)
        if not meant.is_relative_to(DOCS):
            return label
        link = os.path.relpath(meant.relative_to(DOCS), on_the_site)
        return f"[{label}]({link}#{anchor})" if anchor else f"[{label}]({link})"

    return re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", link, text)


def command_line() -> str:
    """Every command with its arguments and options."""
    from typer.main import get_command

    from serving.cli import app

    parts = ["# Command line\n\nWritten from the program itself; [what each is for](../commands.md).\n"]
    for path, command in _commands("mneme", get_command(app)):
        parts.append(_section(path, command))
    return "\n".join(parts)


def _commands(path: str, command: Any) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        return [(path, command)]
    return [each for name, child in children.items() for each in _commands(f"{path} {name}", child)]


def _section(path: str, command: Any) -> str:
    lines = [f"## {path}\n", f"{_plain(command.help or '')}\n"]
    if command.params:
        lines += ["| | | default |", "| --- | --- | --- |"]
    for parameter in command.params:
        option = parameter.param_type_name == "option"
        names = [*parameter.opts, *parameter.secondary_opts] if option else [parameter.name.upper()]
        told, default = getattr(parameter, "show_default", None), parameter.default
        is_shown = isinstance(default, (str, int, float)) and not isinstance(default, bool)
        shown = told if isinstance(told, str) else f"`{default}`" if is_shown else ""  # in words where it is no value
        meaning = _plain(getattr(parameter, "help", "") or "")
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {meaning} | {shown} |")
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()
