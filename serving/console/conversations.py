"""Whose conversations there are, the latest first; and a box to write into one."""

from nicegui.elements.mixins.text_element import TextElement

from queries.browsing.responses import ConversationSummary
from serving.console.markup import chip, link, nothing, tag
from serving.console.publishing import publishing
from serving.console.shell import page
from serving.console.visit import Visit
from serving.console.words import count, moment

_ON_A_PAGE = 30


@page("conversations", "Conversations")
async def conversations(visit: Visit) -> None:
    """The list, page by page."""
    with tag("div", classes="heading"):
        tag("h1", "Conversations")
        tag("p", "What was said, the latest first. Each one opens as a timeline of its episodes.", "quiet")
    if visit.service.intake != "none" and not visit.said("after"):
        publishing(visit, lambda: _list(visit, shown))
    shown = tag("div")
    await _list(visit, shown)


async def _list(visit: Visit, place: TextElement) -> None:
    with place:
        found = await visit.fetch(
            visit.service.memories.conversations, visit.filters(), _ON_A_PAGE, visit.said("after") or None
        )
    place.clear()
    with place:
        if not found.items:
            nothing("No conversations here.", "What is sent for this owner appears at once.")
        with tag("ul", classes="rows"):
            for each in found.items:
                _row(visit, each)
        with tag("nav", classes="paging", aria_label="More conversations"):
            if visit.said("after"):
                link("Latest", visit.link("conversations"))
            if found.next:
                link("Older", visit.link("conversations", after=found.next))


def _row(visit: Visit, each: ConversationSummary) -> None:
    with tag("li"), link("", visit.link("conversation", id=each.conversation_id), "row"):
        with tag("span", classes="row-main"):
            tag("strong", each.title or each.conversation_id)
            tag(
                "small",
                f"{each.conversation_id} · {', '.join(each.participants)}" if each.participants else each.conversation_id,
            )
        with tag("span", classes="row-side"):
            if each.open_messages:
                chip(f"{each.open_messages} open", "open")
            tag("span", f"{count(each.messages, 'message')} · {count(each.episodes, 'episode')}")
            tag("span", moment(each.last_at), "when")
