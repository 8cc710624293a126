"""Slack's export as events: a folder for each channel, in it a file for each day.

[{"type": "message", "user", "text", "ts"}]
"""

import html
import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from connectors.files.chat_events import Clock, Event, ExportFormat, Given, first, message

_SPEECH = (None, "bot_message", "file_share", "me_message", "thread_broadcast")


def is_day(stem: str) -> bool:
    """Tell whether a file's name without its ending is the date of a day."""
    return re.fullmatch(r"\d{4}-\d\d-\d\d", stem) is not None


def _fits(data: Any) -> bool:
    return isinstance(data, list) and isinstance(one := first(data), dict) and "ts" in one and "role" not in one


def _read(data: Any, given: Given) -> Iterator[Event]:
    folder = PurePath(given.name).parent.name
    channel = given.conversation_id or (folder if is_day(given.stem) else "") or given.stem
    names = dict(given.people) | {
        str(said["user"]): str(profile.get("real_name") or profile.get("display_name") or said["user"])
        for said in data
        if said.get("user") and (profile := said.get("user_profile"))
    }
    for said in data:
        if said.get("subtype") not in _SPEECH:
            continue
        sender = str(said.get("user") or said.get("bot_id") or "")
        yield from message(
            given,
            conversation_id=channel,
            owner=given.owner or {"group_id": channel},
            message_id=said.get("client_msg_id") or str(said["ts"]),
            sender=sender,
            sender_name=names.get(sender) or said.get("username"),
            role="assistant" if said.get("bot_id") else "user",
            sent_at=Clock(None).time(said["ts"]),
            content=_text(said, names),
        )


def _text(said: Event, names: dict[str, str]) -> str:
    text = re.sub(r"<@(\w+)(?:\|[^<>]*)?>", lambda found: "@" + names.get(found[1], found[1]), str(said.get("text") or ""))
    text = re.sub(r"<#\w+\|([^<>]*)>", r"#\1", text)
    text = re.sub(r"<([^<>|]+)\|([^<>]*)>", r"\2 (\1)", text)
    text = re.sub(r"<((?:https?|mailto):[^<>]+)>", r"\1", text)
    files = [f"[file: {file.get('name') or 'unnamed'}]" for file in said.get("files") or []]
    return "\n".join([html.unescape(text), *files]).strip()


SLACK = ExportFormat("Slack export", _fits, _read)
