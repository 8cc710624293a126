"""Pages of the site that are not in docs/: README, CONTRIBUTING and CHANGELOG of the tree, and the command line from its code."""

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
FROM_THE_TREE = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add them."""
    for page, source in FROM_THE_TREE.items():
        files.append(File.generated(config, page, content=relinked((ROOT / source).read_text(encoding="utf-8"))))
    sys.path.insert(0, str(ROOT))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    return files


def relinked(text: str) -> str:
    """A page of the tree as a page of docs/: links into docs/ lose that part, what lies elsewhere stays as words."""
    names = {source: page for page, source in FROM_THE_TREE.items()}

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        path, anchor = (*target.split("#", 1), "")[:2]
        anchor = f"#{anchor}" if anchor else ""
        if "://" in target or not path:
            return found[0]
        if path.startswith("docs/"):
            return f"[{label}]({path.removeprefix('docs/')}{anchor})"
        return f"[{label}]({names[path]}{anchor})" if path in names else label

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
        name = (
            ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
            if option
            else f"`{parameter.human_readable_name}`"
        )
        default = parameter.show_default if isinstance(getattr(parameter, "show_default", None), str) else parameter.default
        shown = "" if default in (None, False, (), []) or callable(default) or "Sentinel" in repr(default) else f"`{default}`"
        lines.append(f"| {name} | {_plain(getattr(parameter, 'help', '') or '')} | {shown} |")
    return "\n".join([*lines, ""])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()
