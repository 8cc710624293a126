"""docs/settings.md and the table of metrics in docs/observability.md, written from the code: ``make docs``.

tests/docs and tests/deploy compare them, so that they cannot go stale.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from prometheus_client import Counter, Gauge, Histogram
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from connectors.telemetry import metrics
from mneme.settings import PREFIX, Settings
from serving.environment_file import first_line, group_of, limits, type_name

HEADER = """# Settings

<!-- Written by `make docs` from mneme/settings/. Do not edit. -->

Every setting is an environment variable, or a line of a file `.env` in the working directory; the environment wins.
Settings are read once, when a program starts. An unknown or wrong variable stops the program with its name.
An empty one counts as not set.
Lists and mappings are written as JSON: `MNEME_MODELS__BY_ROLE='{"extraction": "gpt-4.1"}'`.
"""


def settings_page() -> str:
    """The whole page, as Markdown."""
    return HEADER + "".join(_group(Settings, PREFIX, "General"))


def _group(model: type[BaseModel], prefix: str, title: str) -> list[str]:
    """The table of a group's own settings, then the groups within it."""
    own, groups = [], []
    for name, field in model.model_fields.items():
        if group := group_of(field):
            groups.extend(_group(group, f"{prefix}{name.upper()}__", f"{title} › {name}".removeprefix("General › ")))
        else:
            own.append(_row(f"{prefix}{name.upper()}", field))
    head = f"\n## {title}\n\n{first_line(model)}\n\n| variable | value | default | meaning |\n| --- | --- | --- | --- |\n"
    return [head, *own, *groups]


def _row(variable: str, field: FieldInfo) -> str:
    type_in_words = type_name(field.annotation).replace("`true` or `false`", "boolean").replace("` or `", "`, `")
    value = ", ".join([type_in_words, *limits(field)])
    return f"| `{variable}` | {value} | {_default(field)} | {field.description or ''} |\n"


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    if default is None or default in ("", {}, ()):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    return f"`{default}`"


def metrics_table() -> str:
    """All metrics as a table in Markdown, in the order in which they are defined."""
    return "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n" + "".join(_rows())


def _rows() -> Iterator[str]:
    for metric in vars(metrics).values():
        if not isinstance(metric, Counter | Gauge | Histogram):
            continue
        (family,) = metric.describe()
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = ", ".join(f"`{label}`" for label in metric._labelnames)  # there is no public way to them
        yield f"| `{name}` | {family.type} | {labels} | {family.documentation} |\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_page(), encoding="utf-8")
