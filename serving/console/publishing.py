"""A box to write a message into a conversation: it is published, flushed, and then in the list."""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui.events import GenericEventArguments
from pydantic import ValidationError

from mneme.errors import InputError, MnemeError
from mneme.events import Message, describe
from mneme.times import utc_now
from serving.console.markup import link, notice, tag
from serving.console.shell import show_failure
from serving.console.visit import Visit
from serving.console.words import seconds

_SENT = "sent"  # what theme/console.js makes of a form that is sent, in place of loading a page; ``detail`` has its fields


def publishing(visit: Visit, on_searchable: Callable[[], Awaitable[None]]) -> None:
    """The box. ``on_searchable`` is awaited once what was written is searchable."""

    async def publish(event: GenericEventArguments) -> None:
        said = _said(event.args)
        outcome.clear()
        with outcome:
            tag("p", "Sent. Waiting until it is searchable …", "waiting")
        began = time.monotonic()
        try:
            message = _message(visit, said)
            await visit.in_thread("others", visit.service.accept, [message])
            flushed = await visit.in_thread(
                "waits",
                visit.service.flush,
                visit.tenant_id,
                [message.conversation_id],
                visit.service.settings.service.wait_seconds,
            )
        except MnemeError as error:
            outcome.clear()
            with outcome:
                show_failure(error)
            return
        outcome.clear()  # not what waits alone: who sent another message meanwhile has cleared that
        with outcome:
            if flushed.searchable:
                with tag("p", classes="notice is-done", role="status"):
                    tag("span", f"Searchable after {seconds(time.monotonic() - began)}: ")
                    link("open the conversation", visit.link("conversation", id=message.conversation_id))
            else:
                notice("It is kept, but not searchable yet: the flow is behind. Its lag is on the page Flow.")
        await on_searchable()

    with tag("details", classes="card publish"):
        tag("summary", "Write a message")
        form = tag("form", classes="fields", data_stays=True)
        form.on(_SENT, publish, args=["detail"])
        with form:
            with tag("div", classes="field"):
                tag("label", "Conversation", for_="publish-conversation")
                tag("input", name="conversation", id="publish-conversation", required=True, defaultValue="from-the-console")
            with tag("div", classes="field"):
                tag("label", "Who says it", for_="publish-sender")
                tag(
                    "input",
                    name="sender",
                    id="publish-sender",
                    required=True,
                    defaultValue=visit.owner.id if visit.owner else "",
                )
            with tag("div", classes="field is-wide"):
                tag("label", "Message", for_="publish-text")
                tag("textarea", name="text", id="publish-text", required=True, rows=2)
            tag("button", "Send and make searchable", "primary", type="submit")
        outcome = tag("div", classes="outcome")


def _said(given: Any) -> dict[str, str]:
    fields = given.get("detail") if isinstance(given, dict) else None
    return {str(name): str(value).strip() for name, value in fields.items()} if isinstance(fields, dict) else {}


def _message(visit: Visit, said: dict[str, str]) -> Message:
    """
    Raises:
        InputError: a field is empty, or too long.
    """
    if visit.owner is None:
        raise InputError("owner: nobody is chosen; choose whose memory it is to be in the menu")
    if missing := [name for name in ("conversation", "sender", "text") if not said.get(name)]:
        raise InputError(f"{', '.join(missing)}: empty; write something")
    fields = {
        "tenant_id": visit.tenant_id,
        f"{visit.owner.type}_id": visit.owner.id,
        "conversation_id": said["conversation"],
        "sender_id": said["sender"],
        "content": said["text"],
        "sent_at": utc_now(),
    }
    try:
        return Message.model_validate(fields)
    except ValidationError as error:
        raise InputError(describe(error)) from error
