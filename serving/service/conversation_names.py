"""The ids of conversations that a view of the service begins itself: the owner is in them.

A conversation belongs to whom its first message belongs to. Without the owner in its id, what one user's agent calls "notes"
would end in the memory of the user whose agent said so first.
"""

from mneme.ids import lasting_name, make_id
from mneme.records import Owner


def conversation_name(begun_by: str, owner: Owner, *names: str) -> str:
    """The id of a conversation: who began it, whose it is, and its name.

    >>> conversation_name("mcp", Owner(tenant_id="default", type="user", id="mira"), "trip")
    'mcp:user:mira:trip'
    """
    return ":".join(lasting_name(make_id(part)).replace(":", "%3A") for part in (begun_by, owner.type, owner.id, *names))
