"""Groups of settings with other values, of their constants too."""

from typing import Any, TypeVar

from mneme.settings.base import Group

AnyGroup = TypeVar("AnyGroup", bound=Group)


def group_of(kind: type[AnyGroup], **values: Any) -> AnyGroup:
    """A group: settings are checked, constants are taken as they are."""
    settings = {name: value for name, value in values.items() if name in kind.model_fields}
    constants = {name: value for name, value in values.items() if name not in settings}
    assert all(hasattr(kind, name) for name in constants), f"{constants} are not of {kind.__name__}"
    return kind(**settings).model_copy(update=constants)
