"""What a client of the MCP server goes through, whatever the transport: remember, search, ask, a timeline, forget, gone."""

import re
from typing import Any

from mcp import Client


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says, which is text alone."""
    result = await client.call_tool(tool, arguments)
    text = "".join(each.text for each in result.content)
    assert not result.is_error, text
    assert result.structured_content is None
    return text


def remembered(text: str) -> tuple[str, list[str]]:
    """The conversation and the ids of the messages, as ``remember`` says them."""
    said, _, ids = text.partition("\nids: ")
    return said.removeprefix("remembered in conversation ").partition(": ")[0], ids.split(", ")


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says that does not do what it was asked."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return "".join(each.text for each in result.content)


async def finds_nothing(client: Client, query: str) -> None:
    """A search finds nothing, and says so."""
    assert (await told(client, "search", query=query)).startswith("nothing is remembered about this")


async def remembers_until_it_forgets(client: Client) -> None:
    """The short round, for what differs in its transport alone."""
    await finds_nothing(client, "What is Mira allergic to?")
    _, [note] = remembered(await told(client, "remember", note="Mira is allergic to penicillin.", wait=60))
    found = await told(client, "search", query="What is Mira allergic to?")
    assert f"from {note})" in found.splitlines()[0]
    assert "nothing is left of it" in await told(client, "forget", target="message", id=note, confirm=True)
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
    text = await told(client, "remember", note="Mira is allergic to penicillin.", wait=60)
    assert "searchable now, with the facts in it" in text
    _, [note] = remembered(text)
    said = [
        {"role": "user", "name": "Mira", "content": "I moved to Lyon in March 2026.", "sent_at": "2026-04-01T09:00:00+02:00"},
        {"role": "assistant", "content": "How do you like it there?", "sent_at": "2026-04-01T09:00:10+02:00"},
    ]
    talk, ids = remembered(await told(client, "remember", messages=said, conversation="moving", wait=60))
    assert talk.endswith(":moving")
    assert len(ids) == 2
    first = (await told(client, "search", query="What is Mira allergic to?")).splitlines()[0]
    assert re.search(rf"^\[1\] .*: Mira is allergic to penicillin\. \((id \S+; )?from {re.escape(note)}\)$", first)
    text, _, cited = (await told(client, "ask", question="What is Mira allergic to?")).partition("\n\n")
    assert "penicillin" in text
    assert "[1]" in text
    assert f"from {note})" in cited.splitlines()[0]
    assert "Lyon" in await told(client, "timeline", entity="Mira")
    story = await told(client, "timeline", since="2026-04-01", before="2026-04-02")
    assert [line.rpartition("conversation ")[2] for line in story.splitlines()[1:]] == [f"{talk})"]
    assert talk in await told(client, "profile")
    # 3.
    preview = await told(client, "forget", target="message", id=note)
    assert preview.startswith("nothing is erased yet; this would go for ever: ")
    assert "Mira is allergic to penicillin." in preview
    assert "penicillin" in (await told(client, "search", query="penicillin")).splitlines()[0]
    assert "nothing is left of it" in await told(client, "forget", target="message", id=note, confirm=True)
    text = await told(client, "search", query="What is Mira allergic to?")
    assert "penicillin" not in text
    assert "Lyon" in text
    assert "nothing is left of it" in await told(client, "forget", target="conversation", id=talk, confirm=True)
    await finds_nothing(client, "Where does Mira live?")
