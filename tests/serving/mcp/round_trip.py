"""What a client of the MCP server goes through, whatever the transport: remember, search, ask, a timeline, forget, gone."""

from typing import Any

from mcp import Client


async def told(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """What a tool says, and the same as data."""
    result = await client.call_tool(tool, arguments)
    text = "".join(each.text for each in result.content)
    assert not result.is_error, text
    assert result.structured_content is not None
    return text, result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that does not do what it was asked."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return "".join(each.text for each in result.content)


async def finds_nothing(client: Client, query: str) -> None:
    """A search finds nothing, and says so."""
    text, found = await told(client, "search", query=query)
    assert found["memories"] == []
    assert text.startswith("nothing is remembered about this")


async def remembers_until_it_forgets(client: Client) -> None:
    """The short round, for what differs in its transport alone."""
    await finds_nothing(client, "What is Mira allergic to?")
    _, note = await told(client, "remember", note="Mira is allergic to penicillin.", wait=60)
    _, found = await told(client, "search", query="What is Mira allergic to?")
    assert found["memories"][0]["message_ids"] == note["message_ids"]
    _, gone = await told(client, "forget", target="message", id=note["message_ids"][0], confirm=True)
    assert gone["erased"]
    await finds_nothing(client, "What is Mira allergic to?")


async def goes_round(client: Client) -> None:
    """
    1. Nothing is known.
    2. What is remembered is found, answered, on the timeline and in the profile.
    3. What is forgotten is gone, and the rest is not.
    """
    # 1.
    await finds_nothing(client, "What is Mira allergic to?")
    # 2.
    _, note = await told(client, "remember", note="Mira is allergic to penicillin.", wait=60)
    assert note["searchable"]
    said = [
        {"role": "user", "name": "Mira", "content": "I moved to Lyon in March 2026.", "sent_at": "2026-04-01T09:00:00+02:00"},
        {"role": "assistant", "content": "How do you like it there?", "sent_at": "2026-04-01T09:00:10+02:00"},
    ]
    text, talk = await told(client, "remember", messages=said, conversation="moving", wait=60)
    assert talk["conversation_id"].endswith(":moving")
    assert talk["conversation_id"] in text
    text, found = await told(client, "search", query="What is Mira allergic to?")
    assert found["memories"][0]["text"].endswith("Mira is allergic to penicillin.")
    assert found["memories"][0]["message_ids"] == note["message_ids"]
    assert f"Mira is allergic to penicillin. (from {note['message_ids'][0]})" in text.splitlines()[0]
    text, answer = await told(client, "ask", question="What is Mira allergic to?")
    assert "penicillin" in answer["answer"]
    assert answer["citations"][0]["message_ids"] == note["message_ids"]
    assert "[1]" in answer["answer"]
    _, story = await told(client, "timeline", entity="Mira")
    assert any("Lyon" in event["text"] for event in story["events"])
    _, story = await told(client, "timeline", since="2026-04-01", before="2026-04-02")
    assert [event["conversation_id"] for event in story["events"]] == [talk["conversation_id"]]
    text, _ = await told(client, "profile")
    assert talk["conversation_id"] in text
    # 3.
    text, preview = await told(client, "forget", target="message", id=note["message_ids"][0])
    assert (preview["erased"], "Mira is allergic to penicillin." in preview["preview"]) == (False, True)
    _, found = await told(client, "search", query="penicillin")
    assert "penicillin" in found["memories"][0]["text"]
    _, gone = await told(client, "forget", target="message", id=note["message_ids"][0], confirm=True)
    assert gone["erased"]
    text, _ = await told(client, "search", query="What is Mira allergic to?")
    assert "penicillin" not in text
    assert "Lyon" in text
    _, gone = await told(client, "forget", target="conversation", id=talk["conversation_id"], confirm=True)
    assert gone["erased"]
    await finds_nothing(client, "Where does Mira live?")
