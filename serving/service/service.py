"""The service: memories to ask, a way in for what is new, and the flow between them where it is its own.

``mneme serve`` opens one, and REST, the MCP server and the console are views of it; ``mneme mcp`` opens one of its own.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Literal, Self

from connectors import Publisher
from mneme.errors import InputError
from mneme.events import AnyEvent, Erase, Forget, ForgetDocument
from mneme.ports import Lag
from mneme.settings import Settings
from queries import Memories

Erasing = Forget | ForgetDocument | Erase


@dataclass(frozen=True, slots=True)
class Flushed:
    """A flush of one or several conversations: ``searchable`` once everything sent before is; ``seconds`` it took so far."""

    flush_ids: tuple[str, ...]
    searchable: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure that was sent. ``receipt`` counts what was removed from where, once nothing is left; None until then."""

    erasure_id: str
    receipt: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Health:
    """How the service is. ``problems`` name what is red, each with its remedy; none when all is well."""

    status: Literal["green", "red"]
    problems: tuple[str, ...]
    lag: Lag | None


class Service:
    """Everything behind the views. Safe for several threads; a context manager.

    Args:
        settings: where and how.

    Raises:
        SettingsError: a setting is wrong.
        StoreUnavailable, StoreRejected: the index or the broker cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = ExitStack()

    @cached_property
    def memories(self) -> Memories:
        """The memories, to be asked."""
        return self._stack.enter_context(Memories.connect(self.settings))

    @property
    def intake(self) -> Literal["kafka", "inbox", "none"]:
        """Where what is sent goes: ``MNEME_SERVICE__INTAKE``, with ``auto`` decided."""
        chosen = self.settings.service.intake
        if chosen == "auto":
            return "inbox" if self.settings.index.backend == "embedded" else "kafka"
        return chosen

    @cached_property
    def publisher(self) -> Publisher:
        """The way in.

        Raises:
            InputError: this service only answers.
        """
        if self.intake == "none":
            raise InputError(
                "this service only answers (MNEME_SERVICE__INTAKE=none); send events to the one that takes them in"
            )
        return self._stack.enter_context(Publisher(self.settings.kafka, documents=self.settings.documents))

    def accept(self, events: Sequence[AnyEvent], backfill: bool = False) -> None:
        """Take in events; durable on return.

        Raises:
            InputError: an event is too large, or this service only answers.
            StoreUnavailable, StoreRejected: they could not be kept; to send them again is safe.
        """
        self.publisher.send_many(events, backfill)
        self.publisher.flush()

    def flush(self, tenant_id: str, conversation_ids: Sequence[str], timeout: float) -> Flushed:
        """Make everything that was sent to these conversations searchable, and wait for it, at most ``timeout`` seconds."""
        raise NotImplementedError

    def flush_owner(self, tenant_id: str, owner_key: str, timeout: float) -> Flushed:
        """The same for all conversations of an owner that have anything open."""
        raise NotImplementedError

    def erase(self, event: Erasing, timeout: float) -> Erasure:
        """Erase, and wait for the receipt, at most ``timeout`` seconds."""
        raise NotImplementedError

    def lag(self) -> Lag:
        """What the flow has not read yet, by lane.

        Raises:
            StoreUnavailable: the broker does not answer.
        """
        raise NotImplementedError

    def health(self) -> Health:
        """Whether the index answers and the flow keeps up."""
        raise NotImplementedError

    def close(self) -> None:
        """Release everything; a flow of the service's own is stopped in order."""
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
