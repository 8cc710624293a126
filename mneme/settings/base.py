"""The base class of all groups of settings."""

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    """Settings that belong together: read once, never changed; an unknown variable stops the program.

    A ``ClassVar`` of a group is a constant beside the settings: no variable changes it. Benchmarks and tests that need another
    value take a copy (``group.model_copy(update={...})``).
    """

    # Validators are built at the first use: a start reads a few groups only.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
