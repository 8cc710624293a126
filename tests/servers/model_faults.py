"""What can go wrong with a request to the model server, and what is noted of each."""

from dataclasses import dataclass
from typing import Any, Literal

FaultKind = Literal[
    "rate_limited", "error", "hang", "slow", "drop", "malformed", "truncated", "wrong_schema", "refusal", "empty", "status"
]


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    ``rate_limited``: 429, with ``retry_after`` as its header; ``error``: 500; ``status``: that ``status`` with
    ``message``; ``hang``: no answer for ``seconds``; ``slow``: the answer in drops over ``seconds``; ``drop``: the
    connection is closed, in the middle of a stream; ``malformed``: prose; ``truncated``: half of the answer;
    ``wrong_schema``: another object; ``refusal``: the content is refused; ``empty``: no text.
    """

    kind: FaultKind
    retry_after: str | None = None
    status: int = 500
    message: str = "as the test wanted it"
    seconds: float = 60.0


RATE_LIMITED = Fault("rate_limited")
SERVER_ERROR = Fault("error")


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    fault: Fault | None
