"""Chats and memories as other programs keep them, as events (mneme/events/). Pure: the same file always gives the same events.

- chats.py: a list of events, LoCoMo, EverOS, ChatGPT's export.
- role_messages.py: messages with role and content (Claude's export too). slack.py: Slack's export.
- whatsapp.py: WhatsApp's export.
- memories.py: mem0, MemMachine, Graphiti.

A message without a time of its own stands 30 s after the one before it; the first of a chat without any time stands
at 1970-01-01, which says that the time is unknown. Messages of one time stand 1 ms apart, in the order of the file. Messages
without text are left out.
"""

from typing import Any

from connectors.files.chat_events import ExportFormat
from connectors.files.exports.chats import CHATGPT, EVENTS, EVEROS, LOCOMO, is_event
from connectors.files.exports.memories import GRAPHITI, MEM0, MEMMACHINE
from connectors.files.exports.role_messages import ROLE_MESSAGES
from connectors.files.exports.slack import SLACK, is_day
from connectors.files.exports.whatsapp import WHATSAPP

__all__ = ["SHAPES", "SLACK", "WHATSAPP", "ExportFormat", "is_day", "is_event", "shape_of"]

SHAPES = (EVENTS, LOCOMO, EVEROS, CHATGPT, MEM0, MEMMACHINE, GRAPHITI, ROLE_MESSAGES, SLACK, WHATSAPP)


def shape_of(data: Any) -> ExportFormat | None:
    """The form that parsed JSON, or a text, has, if it is one of ``SHAPES``."""
    return next((shape for shape in SHAPES if shape.fits(data)), None)
