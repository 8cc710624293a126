"""Flink Agents' own tests of its long-term memory, and the agent of its documentation, on ours; for the Python of
requirements/flink.sh, where Flink Agents is. ``MNEME_SERVICE__URL`` names a service.

    python -m tests.flink.agents_calls

Version 0.3.1 runs agents in an operator in Java, whose archive is on no index that we reach. So its context, its plan and its
action are its own, and the operator is not: what it would call is called here.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from uuid import uuid4

import pytest
from flink_agents.api.agents.agent import Agent
from flink_agents.api.decorators import action
from flink_agents.api.events.event import Event, InputEvent, OutputEvent
from flink_agents.api.runner_context import RunnerContext
from flink_agents.plan.agent_plan import AgentPlan
from flink_agents.plan.configuration import AgentConfiguration
from flink_agents.runtime import flink_runner_context
from flink_agents.runtime.memory.mem0 import mem0_long_term_memory

from serving.adapters.flink_agents import MnemeLongTermMemory, long_term_memory
from serving.adapters.mem0 import Memory

_PUBLISHED = "flink_agents.runtime.memory.mem0.tests"
_ABSENT = (("chroma.chroma_vector_store", "ChromaVectorStore"), ("mem0.mem0_vector_store", "Mem0VectorStore"))
_LEFT_OUT = (
    "mem0]",  # the same tests on another vector store, and ours uses none
    "token_usage",  # of mem0's model
    "switch_context",  # lets a set follow the key of another action, as later versions do not
)


class PersonalizedAssistant(Agent):  # type: ignore[misc]
    """The agent of the page "Long-Term Memory", as it stands there but for the first line."""

    @action(InputEvent.EVENT_TYPE)  # type: ignore[untyped-decorator]
    @staticmethod
    def process_event(event: Event, ctx: RunnerContext) -> None:
        person, user_query = InputEvent.from_event(event).input
        memory_set = long_term_memory(ctx, person, job_id="assistant").get_memory_set(name="assistant_memories")
        relevant = memory_set.search(query=user_query, limit=5)
        memory_context = "\n".join(f"- {each.value}" for each in relevant)
        memory_set.add(items=f"User asked about: {user_query}")
        ctx.send_event(OutputEvent(output=f"Known context:\n{memory_context}\n\nUser: {user_query}"))


def documented_agent() -> list[str]:
    """The answers to three inputs of two people, by the action of the plan in the context of Flink."""
    plan = AgentPlan.from_agent(PersonalizedAssistant(), AgentConfiguration())
    sent: list[str] = []
    java = SimpleNamespace(sendEventJson=sent.append)
    with ThreadPoolExecutor(1) as executor:
        context = flink_runner_context.create_flink_runner_context(java, plan.model_dump_json(), executor, None, "job")
        [reply] = plan.get_actions(InputEvent.EVENT_TYPE)
        mira, jo = f"mira-{uuid4().hex}", f"jo-{uuid4().hex}"
        for person, said in ((mira, "trains to Lyon"), (jo, "trains to Lyon"), (mira, "a seat in trains to Lyon")):
            if context.long_term_memory is not None:
                flink_runner_context.flink_runner_context_switch_action_context(context, hash(person))
            reply.exec(InputEvent(input=[person, said]), context)
        flink_runner_context.close_flink_runner_context(context)
    return [OutputEvent.from_event(Event.model_validate_json(each)).output for each in sent]


def sets_of_two_keys() -> list[list[str]]:
    """The items of a set behind a switch to another key, then those of the other key's set of this name."""
    with Memory() as memory:
        ours = MnemeLongTermMemory(memory, f"job-{uuid4().hex}")
        ours.switch_context(f"one-{uuid4().hex}")
        first = ours.get_memory_set("notes")
        ours.switch_context(f"two-{uuid4().hex}")
        [identity] = first.add(items="The key is under the mat.")
        other = ours.get_memory_set("notes")
        other.delete(ids=identity)
        return [[each.value for each in found.get(ids=identity)] for found in (first, other)]


class Counts:
    """What became of the published tests."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not any(each in item.name for each in _LEFT_OUT)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call":
            self.passed.append(report.nodeid)


def published_tests() -> Counts:
    """Their tests, as they stand, of our class in place of theirs."""
    memory = Memory()

    class LongTermMemory(MnemeLongTermMemory):
        def __init__(self, *, job_id: str, **resources: Any) -> None:
            super().__init__(memory, f"{job_id}-{uuid4().hex}")

    for module, name in _ABSENT:
        module = f"flink_agents.integrations.vector_stores.{module}"
        sys.modules[module] = ModuleType(module)
        setattr(sys.modules[module], name, MagicMock())
    mem0_long_term_memory.Mem0LongTermMemory = LongTermMemory
    [folder] = import_module(_PUBLISHED).__path__
    counts = Counts()
    with memory:
        pytest.main(["-c", "/dev/null", "-q", "-p", "no:cacheprovider", folder], plugins=[counts])
    return counts


if __name__ == "__main__":
    done = published_tests()
    told = {"passed": len(done.passed), "failed": done.failed, "answers": documented_agent(), "sets": sets_of_two_keys()}
    print(json.dumps(told))
