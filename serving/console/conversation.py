"""One conversation on a timeline: where it was cut and why, and what was made of each stretch."""

from urllib.parse import quote

from queries.browsing.responses import InspectedEpisode, InspectedMessage, Inspection
from serving.console.markup import chip, icon, link, nothing, notice, tag
from serving.console.shell import page
from serving.console.statements import cited, made_of
from serving.console.visit import Visit
from serving.console.words import count, moment, span

_ON_A_PAGE = 25  # episodes


@page("conversation", "Conversation")
async def conversation(visit: Visit) -> None:
    """The conversation that the address names, or says that there is none."""
    identity = visit.said("id")
    found = await visit.fetch(visit.service.memories.inspect, identity, visit.filters(knowledge=None)) if identity else None
    link("Conversations", visit.link("conversations"), "back")
    if found is None:
        tag("h1", "No such conversation")
        nothing(
            f"{identity or 'Nothing'} is not among the conversations of this owner.", "Was it another's? Choose in the menu."
        )
        return
    begin = _begin(visit, found)
    episodes = found.episodes[begin : begin + _ON_A_PAGE]
    _head(found, identity)
    for each in found.notes:
        notice(each)
    texts = {each.id: each.text for episode in found.episodes for each in (*episode.facts, *episode.foresights)}
    _paging(visit, found, identity, begin)
    with tag("ol", classes="timeline"):
        for place, episode in enumerate(episodes, begin):
            _episode(visit, episode, place, texts)
        if found.open and begin + _ON_A_PAGE >= len(found.episodes):
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
    _paging(visit, found, identity, begin)


def _head(found: Inspection, identity: str) -> None:
    messages = sum(len(each.messages) for each in found.episodes) + len(found.open)
    with tag("div", classes="heading"):
        tag("h1", identity)
        sizes = [count(messages, "message"), count(len(found.episodes), "episode")]
        facts = sum(len(each.facts) for each in found.episodes)
        tag("p", " · ".join([*sizes, count(facts, "fact")]), "quiet")


def _begin(visit: Visit, found: Inspection) -> int:
    """The first episode of the page: by number, or the page that holds an episode."""
    if wanted := visit.said("episode"):
        places = [place for place, each in enumerate(found.episodes) if each.id == wanted]
        return places[0] // _ON_A_PAGE * _ON_A_PAGE if places else 0
    said = visit.said("from")
    return min(int(said), max(0, len(found.episodes) - 1)) if said.isdecimal() and len(said) < 9 else 0


def _paging(visit: Visit, found: Inspection, identity: str, begin: int) -> None:
    if len(found.episodes) <= _ON_A_PAGE:
        return
    with tag("nav", classes="paging", aria_label="More episodes"):
        if begin:
            link("Earlier", visit.link("conversation", id=identity, **{"from": str(max(0, begin - _ON_A_PAGE))}))
        tag("span", f"{begin + 1} to {min(begin + _ON_A_PAGE, len(found.episodes))} of {len(found.episodes)}", "quiet")
        if begin + _ON_A_PAGE < len(found.episodes):
            link("Later", visit.link("conversation", id=identity, **{"from": str(begin + _ON_A_PAGE)}))


def _episode(visit: Visit, episode: InspectedEpisode, place: int, texts: dict[str, str]) -> None:
    with tag("li", classes="stretch", id=f"e-{quote(episode.id, safe='')}"):
        if place and episode.begins_because:
            with tag("p", classes="cut"):
                icon("scissors")
                tag("span", f"Cut: {'; '.join(episode.begins_because)}")
        with tag("article", classes="card"):
            with tag("header"):
                tag("time", span(episode.started_at, episode.ended_at, episode.timezone), "when")
                tag("h2", episode.subject)
            if episode.summary != episode.subject:
                tag("p", episode.summary, "summary")
            with tag("p", classes="chips"):
                chip("still open, shown as it stands" if episode.provisional else f"closed by {episode.closed_by}")
                chip(f"extracted by {episode.extractor}")
                if episode.dropped:
                    chip(f"{count(episode.dropped, 'statement')} dropped: not in the messages", "over")
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
                    tag("time", moment(message.sent_at, message.timezone))
                    if message.edited:
                        chip("edited")
                    for tool in message.tools:
                        chip(tool, "case")
                if message.deleted:
                    tag("p", "deleted", "quiet")
                else:
                    tag("p", message.text, "said")
