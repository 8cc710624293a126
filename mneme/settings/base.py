"""The base class of all groups of settings."""

import json
from typing import Any, Self, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
)


class Group(BaseModel):
    """Settings that belong together: read once, never changed; an unknown variable stops the program.

    A ``ClassVar`` of a group is a constant beside the settings: no variable changes it. Benchmarks and tests that need another
    value take a copy (``group.model_copy(update={...})``).
    """

    # Validators are built at the first use: a start reads a few groups only.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def from_json(cls, content: str | bytes) -> Self:
        """A group as ``model_dump_json`` wrote it, with its constants."""
        values = json.loads(content)
        constants = {name: values.pop(name) for name in cls.__class_vars__ & values.keys()}
        return cls.model_validate_json(json.dumps(values)).model_copy(update=constants)

    @field_validator("*", mode="before")
    @classmethod
    def _decoded(cls, value: Any, info: ValidationInfo) -> Any:
        """A list or a mapping from its JSON. pydantic-settings would decode it too, but does not name what it cannot decode."""
        if not isinstance(value, str) or get_origin(cls.model_fields[info.field_name or ""].annotation) not in (dict, tuple):
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError):  # the reason quotes the value, which may be a key
            raise ValueError("is not JSON, which it has to be; texts in it stand in double quotes") from None

    @model_serializer(mode="wrap")
    def _with_constants(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """Write the constants too: reports of benchmarks name every value that they were measured with."""
        values: dict[str, Any] = handler(self)
        constants = (name for name in sorted(type(self).__class_vars__) if not info.include or name in info.include)
        return values | {name: getattr(self, name) for name in constants}
