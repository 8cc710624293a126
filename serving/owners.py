"""Whose memory is meant, where it must be that of one owner."""

from mneme.errors import InputError
from mneme.records import Owner, OwnerType

_KINDS: tuple[OwnerType, ...] = ("user", "group", "agent")


def one_owner(
    user_id: str | None,
    group_id: str | None,
    agent_id: str | None,
    tenant_id: str,
    called: tuple[str, str, str] = ("user_id", "group_id", "agent_id"),
) -> Owner:
    """The owner that exactly one of the ids names; ``called`` is what they are called where they were given.

    Raises:
        InputError: none is given, or several.
    """
    named = [(kind, name) for kind, name in zip(_KINDS, (user_id, group_id, agent_id), strict=True) if name]
    if len(named) != 1:
        raise InputError(f"give one of {called[0]}, {called[1]} and {called[2]}: it says whose memory is meant")
    [(kind, name)] = named
    return Owner(tenant_id=tenant_id, type=kind, id=name)
