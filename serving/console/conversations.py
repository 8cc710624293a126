"""Conversations: the list, and each as a timeline of its episodes."""

from urllib.parse import quote

from queries.browsing.responses import ConversationSummary, InspectedEpisode, InspectedMessage, Inspection
from serving.console.markup import chip, count, heading, icon, link, moment, nothing, notice, span, tag
from serving.console.shell import page
from serving.console.statements import cited, made_of
from serving.console.visit import Visit

_CONVERSATIONS_OF_A_PAGE = 30


@page("conversations", "Conversations")
async def conversations(visit: Visit) -> None:
    """The list, page by page."""
    heading("Conversations", "What was said, the latest first. Each one opens as a timeline of its episodes.")
    conversations = await visit.fetch(
        visit.service.memories.conversations, visit.filters(), _CONVERSATIONS_OF_A_PAGE, visit.parameter("after") or None
    )
    if not conversations.items:
        nothing("No conversations here.", "What is sent for this owner appears at once.")
    with tag("ul", classes="rows"):
        for each in conversations.items:
            _conversation_row(visit, each)
    with tag("nav", classes="paging", aria_label="More conversations"):
        if visit.parameter("after"):
            link("Latest", visit.link("conversations"))
        if conversations.next:
            link("Older", visit.link("conversations", after=conversations.next))


def _conversation_row(visit: Visit, each: ConversationSummary) -> None:
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


_EPISODES_OF_A_PAGE = 25  # episodes


@page("conversation", "Conversation")
async def conversation(visit: Visit) -> None:
    """The conversation that the address names, or says that there is none."""
    identity = visit.parameter("id")
    found = await visit.fetch(visit.service.memories.inspect, identity, visit.filters(knowledge=None)) if identity else None
    link("Conversations", visit.link("conversations"), "back")
    if found is None:
        tag("h1", "No such conversation")
        nothing(
            f"{identity or 'Nothing'} is not among the conversations of this owner.", "Was it another's? Choose in the menu."
        )
        return
    begin = _begin(visit, found)
    episodes = found.episodes[begin : begin + _EPISODES_OF_A_PAGE]
    _heading(visit, found, identity)
    for each in found.notes:
        notice(each)
    texts = {each.id: each.text for episode in found.episodes for each in (*episode.facts, *episode.foresights)}
    visit.paging("conversation", begin, _EPISODES_OF_A_PAGE, len(found.episodes), id=identity)
    with tag("ol", classes="timeline"):
        for place, episode in enumerate(episodes, begin):
            _episode(visit, episode, place, texts)
        if found.open and begin + _EPISODES_OF_A_PAGE >= len(found.episodes):
            with tag("li", classes="stretch is-open"), tag("article", classes="card"):
                with tag("header"):
                    tag("h2", "Open")
                    chip(f"{count(len(found.open), 'message')} in no episode yet", "open")
                tag(
                    "p",
                    "They are found by their words already. A flush, a pause or a new subject makes an episode of them.",
                    "quiet",
                )
                _messages(found.open)
    visit.paging("conversation", begin, _EPISODES_OF_A_PAGE, len(found.episodes), id=identity)


def _heading(visit: Visit, found: Inspection, identity: str) -> None:
    """Its latest subject, as in the list, and its own name below."""
    messages = sum(len(each.messages) for each in found.episodes) + len(found.open)
    with heading(found.episodes[-1].subject if found.episodes else identity):
        sizes = [count(messages, "message"), count(len(found.episodes), "episode")]
        facts = sum(len(each.facts) for each in found.episodes)
        with tag("p", classes="quiet"):
            tag("span", " · ".join([identity, *sizes, ""]))
            link(count(facts, "fact"), visit.link("facts"))


def _begin(visit: Visit, found: Inspection) -> int:
    """The first episode of the page: by number, or the page that holds an episode."""
    if wanted := visit.parameter("episode"):
        places = [place for place, each in enumerate(found.episodes) if each.id == wanted]
        return places[0] // _EPISODES_OF_A_PAGE * _EPISODES_OF_A_PAGE if places else 0
    return visit.begin_of_page(len(found.episodes))


def _episode(visit: Visit, episode: InspectedEpisode, place: int, texts: dict[str, str]) -> None:
    with tag("li", classes="stretch", id=f"e-{quote(episode.id, safe='')}"):
        if place and episode.begins_because:
            with tag("p", classes="cut"):
                icon("scissors")
                tag("span", f"Cut: {'; '.join(episode.begins_because)}")
        with tag("article", classes="card"):
            with tag("header"):
                tag("time", span(episode.started_at, episode.ended_at), "when")
                tag("h2", episode.subject)
            if episode.summary != episode.subject:
                tag("p", episode.summary, "summary")
            with tag("p", classes="chips"):
                chip("still open, shown as it stands" if episode.provisional else f"closed by {episode.closed_by}")
                chip(f"extracted by {episode.extractor}")
                cited(visit, episode.citation)
            with tag("div", classes="makings"):
                made_of(visit, episode, texts)
            if episode.messages:
                with tag("details", classes="raw"):
                    tag("summary", count(len(episode.messages), "message"))
                    _messages(episode.messages)


def _messages(messages: tuple[InspectedMessage, ...]) -> None:
    with tag("ol", classes="messages"):
        for message in messages:
            with tag("li", classes=f"message is-{message.role}", id=f"m-{quote(message.message_id, safe='')}"):
                with tag("p", classes="who"):
                    tag("strong", message.sender_name)
                    tag("time", moment(message.sent_at))
                    if message.edited:
                        chip("edited")
                    for tool in message.tools:
                        chip(tool, "case")
                if message.deleted:
                    tag("p", "deleted", "quiet")
                else:
                    tag("p", message.text, "said")
