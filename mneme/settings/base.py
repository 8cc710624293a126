"""The base class of all groups of settings."""

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    """Read once, never changed; a variable that is not known stops the program. Validators are made when they are needed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
