import asyncio
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from mneme import Message
from mneme.errors import InputError
from serving.adapters.openai_agents import MnemeSession
from tests.serving.adapters.conftest import Connection

ITEMS: list[Any] = [
    {"role": "user", "content": "I moved to Lyon."},
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "How is it?"}, {"type": "input_image", "image_url": "x"}],
    },
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lyon"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny\n"},
    {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It is sunny in Lyon.", "annotations": []}],
    },
]


def session_of(connection: Connection, name: str = "monday", **options: Any) -> MnemeSession:
    return MnemeSession(connection.memories, connection.publisher, name, user_id=connection.user_id, **options)


def test_items_come_back_as_they_were_given(connection: Connection):
    async def run() -> None:
        session = session_of(connection)
        assert isinstance(session, Session)
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items(ITEMS[:2])
        await session.add_items(ITEMS[2:])
        assert await session.get_items() == ITEMS
        assert await session.get_items(2) == ITEMS[-2:]
        assert await session.pop_item() == ITEMS[-1]
        assert await session.get_items() == ITEMS[:-1]
        await session.add_items(ITEMS[-1:])
        session._store.wait_until_stored()
        assert await session_of(connection).get_items() == ITEMS, "another object reads the same"
        assert await session_of(connection, "tuesday").get_items() == []
        await session.clear_session()
        assert await session.get_items() == await session_of(connection).get_items() == []
        await session.add_items(ITEMS[:1])
        assert await session.get_items() == ITEMS[:1]

    asyncio.run(run())


def test_what_was_said_is_memory(here: Connection):
    async def run() -> None:
        session = session_of(here)
        await session.add_items(ITEMS)
        here.flush(session.conversation_id)
        found = here.memories.search("Lyon", filters={"user_id": here.user_id})
        assert any("moved to Lyon" in each.text for each in found.ranked())

    asyncio.run(run())


def test_two_owners_of_one_session_name_have_two_sessions(here: Connection):
    async def run() -> None:
        await session_of(here, "main").add_items(ITEMS[:1])
        other = MnemeSession(here.memories, here.publisher, "main", user_id=f"{here.user_id}-other")
        assert await other.get_items() == []
        assert other.conversation_id != session_of(here, "main").conversation_id

    asyncio.run(run())


def test_a_session_goes_on_with_what_was_said_elsewhere(here: Connection):
    conversation = f"support-{here.user_id}"
    here.publisher.send(Message(conversation_id=conversation, user_id=here.user_id, content="My order is late."))
    here.publisher.send(Message(conversation_id=conversation, user_id=here.user_id, role="assistant", content="I will look."))
    here.flush(conversation)
    items = asyncio.run(session_of(here, conversation_id=conversation).get_items())
    assert items == [{"role": "user", "content": "My order is late."}, {"role": "assistant", "content": "I will look."}]


@pytest.mark.parametrize("owners", [{}, {"user_id": "a", "group_id": "b"}])
def test_whose_memory_it_is_has_to_be_said(here: Connection, owners: dict[str, str]):
    with pytest.raises(InputError, match="give one of user_id, group_id and agent_id"):
        MnemeSession(here.memories, here.publisher, "monday", **owners)


class Echo(Model):
    """A model that says how many items it was given."""

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        text = ResponseOutputText(type="output_text", text=f"{len(input)} items", annotations=[])
        message = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def test_a_runner_goes_on_where_the_session_stands(here: Connection):
    async def run() -> None:
        agent, quiet = Agent("echo", model=Echo()), RunConfig(tracing_disabled=True)
        session = session_of(here)
        first = await Runner.run(agent, "I moved to Lyon.", session=session, run_config=quiet)
        second = await Runner.run(agent, "And now?", session=session, run_config=quiet)
        assert (first.final_output, second.final_output) == ("1 items", "3 items")
        limited = session_of(here, session_settings=SessionSettings(limit=2))
        session._store.wait_until_stored()
        assert len(await limited.get_items()) == 2

    asyncio.run(run())
