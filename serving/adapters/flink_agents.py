"""Flink Agents: long-term memory of an agent on Flink, kept by Mneme in place of mem0.

    @action(InputEvent.EVENT_TYPE)
    @staticmethod
    def process_event(event: Event, ctx: RunnerContext) -> None:
        person, said = InputEvent.from_event(event).input
        memory_set = long_term_memory(ctx, person, job_id="assistant").get_memory_set("assistant_memories")

Version 0.3 makes a memory of its own only on mem0, and tells an action no key but a hash. So the action names the key.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Any

from flink_agents.api.memory.long_term_memory import MemorySet, MemorySetItem
from flink_agents.api.runner_context import RunnerContext
from flink_agents.runtime.memory.internal_base_long_term_memory import InternalBaseLongTermMemory
from pydantic import ConfigDict, PrivateAttr

from serving.adapters.mem0 import Memory

Metadata = dict[str, Any]

_opening = Lock()


def long_term_memory(ctx: RunnerContext, key: str, *, job_id: str = "flink-agents") -> "MnemeLongTermMemory":
    """The memory of a key, opened by the first action of a process and released with its context.

    Args:
        ctx: of the action.
        key: whose memory it is: a user of Mneme.
        job_id: the agent that remembers; another agent of the same user has sets of its own.

    Raises:
        InvalidCall: the key is blank.
        StoreUnavailable: neither the service of ``MNEME_SERVICE__URL`` nor a flow of this machine can be used.
    """
    with _opening:
        current = ctx.long_term_memory
        memory = current if isinstance(current, MnemeLongTermMemory) else MnemeLongTermMemory(Memory(), job_id)
        if memory is not current:
            ctx.set_long_term_memory(memory)
    return memory.of(key, job_id)


class MnemeLongTermMemory(InternalBaseLongTermMemory):  # type: ignore[misc]  # it is not where this is checked
    """Sets of memory items. Those of a key belong to the user of that name.

    A set stays with the key that asked for it: an action that goes on in another thread reaches no other key's.

    Args:
        memory: where items are kept.
        job_id: the agent that remembers; without a key, whose memory it is.
        key: of the partition.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    job_id: str
    key: str = ""
    _memory: Memory = PrivateAttr()

    def __init__(self, memory: Memory, job_id: str, key: str = "") -> None:
        super().__init__(job_id=job_id, key=key)
        self._memory = memory

    def of(self, key: str, job_id: str | None = None) -> "MnemeLongTermMemory":
        """The memory of a key, of this agent or of another one."""
        return MnemeLongTermMemory(self._memory, job_id or self.job_id, key)

    def switch_context(self, key: str) -> None:
        """Let the sets that are asked for from now on be those of a key."""
        self.key = key

    def get_memory_set(self, name: str) -> MemorySet:
        """A set of the key, which may be empty."""
        return MemorySet(name=name, ltm=self.of(self.key))

    def delete_memory_set(self, name: str) -> bool:
        """Take all items of a set away, with all that was learnt from them."""
        self._memory.delete_all(**self._scope(name))
        return True

    def add(
        self, memory_set: MemorySet, memory_items: str | list[str], metadatas: Metadata | list[Metadata] | None = None
    ) -> list[str]:
        """Keep items, durably on return; their ids."""
        items = [memory_items] if isinstance(memory_items, str) else memory_items
        given: Sequence[Metadata] = [metadatas] if isinstance(metadatas, dict) else metadatas or []
        scope, ids = self._scope(memory_set.name), list[str]()
        for number, item in enumerate(items):
            metadata = given[number] if number < len(given) else None
            ids += [each["id"] for each in self._memory.add(item, **scope, metadata=metadata)["results"]]
        return ids

    def get(
        self, memory_set: MemorySet, ids: str | list[str] | None = None, filters: Metadata | None = None, limit: int = 100
    ) -> list[MemorySetItem]:
        """Items by id, else those that pass the filters, the newest first."""
        if ids is None:
            memories = self._memory.get_all(**self._scope(memory_set.name), filters=filters, limit=limit)["results"]
        else:
            memories = self._own(memory_set, ids)
        return [_item(memory_set.name, each) for each in memories]

    def delete(self, memory_set: MemorySet, ids: str | list[str] | None = None) -> None:
        """Take items away, with all that was learnt from them; without ids the whole set."""
        if ids is None:
            self.delete_memory_set(memory_set.name)
        else:
            for each in self._own(memory_set, ids):
                self._memory.delete(each["id"])

    def search(
        self, memory_set: MemorySet, query: str, limit: int, filters: Metadata | None = None, **kwargs: Any
    ) -> list[MemorySetItem]:
        """The items that answer a query, best first; ``threshold`` is the least score."""
        memories = self._memory.search(query, **self._scope(memory_set.name), filters=filters, limit=limit, **kwargs)
        return [_item(memory_set.name, each) for each in memories["results"]]

    def close(self) -> None:
        """Release what was opened here."""
        self._memory.close()

    def _scope(self, name: str) -> dict[str, Any]:
        """The owner of a set, and the labels of its items."""
        return {"user_id": self.key or self.job_id, "agent_id": self.job_id, "run_id": name}

    def _own(self, memory_set: MemorySet, ids: str | list[str]) -> list[dict[str, Any]]:
        """The items of these ids in this set: an id of another key or set finds nothing."""
        scope = self._scope(memory_set.name)
        memories = [self._memory.get(each) for each in ([ids] if isinstance(ids, str) else ids)]
        return [each for each in memories if each is not None and all(each.get(name) == value for name, value in scope.items())]


def _item(name: str, found: Mapping[str, Any]) -> MemorySetItem:
    created, updated = (datetime.fromisoformat(found[each]) for each in ("created_at", "updated_at"))
    return MemorySetItem(
        memory_set_name=name,
        id=found["id"],
        value=found["memory"],
        created_at=created,
        updated_at=updated,
        additional_metadata=found["metadata"],
    )
