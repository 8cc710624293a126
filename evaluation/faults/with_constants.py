"""``python -m evaluation.faults.with_constants``: the command line with other constants beside the settings.

No variable of a user changes a constant. The variable of this program holds those of a run, as JSON by group and name.
"""

import json
import os
from typing import Any

import mneme.settings
from mneme.settings import Settings

VARIABLE = "BENCH_CONSTANTS"


def changed_constants(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the constants that differ from those of the program, by group and name."""
    groups = {name: getattr(settings, name) for name in type(settings).model_fields}
    changed = {
        name: {
            constant: value
            for constant in sorted(getattr(type(group), "__class_vars__", ()))
            if (value := getattr(group, constant)) != getattr(type(group), constant)
        }
        for name, group in groups.items()
    }
    return {name: constants for name, constants in changed.items() if constants}


def main() -> None:
    """Run ``mneme`` with the constants of the variable."""
    tree: Any = mneme.settings
    load, changed = tree.load_settings, json.loads(os.environ[VARIABLE])

    def with_constants(*args: Any, **groups: Any) -> Settings:
        settings: Settings = load(*args, **groups)
        update = {name: getattr(settings, name).model_copy(update=constants) for name, constants in changed.items()}
        return settings.model_copy(update=update)

    tree.load_settings = with_constants
    from serving.cli import main as mneme_command

    mneme_command()


if __name__ == "__main__":
    main()
