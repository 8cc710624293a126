"""Results of a search, by rank."""

from datetime import datetime

from queries.responses import Found, FoundEpisode, FoundFact, FoundForesight, FoundMessage, SearchResponse
from serving.console.markup import chip, count, day, expected, link, moment, nothing, notice, number, section, tag, whole_day
from serving.console.statements import cited, ended, relationship, replied_to, shown_words
from serving.console.visit import Visit
from serving.found import episodes_of, kind_of


def draw_results(visit: Visit, found: SearchResponse) -> None:
    """Show how the question was understood, the results, and the part of the graph around them."""
    query, metrics = found.query, found.metrics
    places = found.ranked()
    with section("results", count(len(places), "result"), "follows found"):
        said = [f"{query.method}", f"a {query.type} question", f"{metrics.milliseconds:.0f} ms"]
        said += [f"scored by {metrics.scoring}"] if metrics.scoring else []
        if query.period is not None:
            since, before = query.period.since, query.period.before
            said.append(f"about {day(since) if since else '…'} to {day(before) if before else '…'}")
        tag("p", " · ".join(said), "summary-line")
        for each in query.notes:
            notice(each)
        if not places:
            nothing("Nothing was found.", "Fewer filters, or another method, may find more.")
            return
        episodes = episodes_of(found)
        with tag("ol", classes="results"):
            for place in places:
                _result(visit, place, episodes)
    if found.graph.relationships:
        with tag("section", classes="card"):
            tag("h2", "What the graph knows of it")
            with tag("ul", classes="statements is-entity"):
                for edge in found.graph.relationships:
                    with tag("li", classes="is-over" if edge.valid_to else ""):
                        relationship(visit, edge.source, edge.relation, edge.target)
                        ended(edge.valid_to)


def _result(visit: Visit, place: Found, episodes: dict[str, FoundEpisode]) -> None:
    kind = "knowledge" if isinstance(place, FoundEpisode) and place.document_id else kind_of(place)
    with tag("li", classes=f"result is-{kind}", id=f"result-{place.rank}", data_record=place.id):
        tag("span", str(place.rank), "rank")
        with tag("div", classes="field"):
            tag("p", _words(place), "text")
            if brief := _brief(place):
                tag("p", brief, "brief")
            with tag("p", classes="meta"):
                chip(kind, kind)
                if at := _when(place):
                    tag("span", at)
                tag("span", f"score {number(place.score)}")
                cited(visit, getattr(place, "citation", None))
                _source(visit, place, episodes)
                _validity(place)
            if isinstance(place, FoundEpisode):
                _within(place)


def _words(place: Found) -> str:
    if isinstance(place, FoundFact):
        return shown_words(place.text, place.quote, place.citation is not None)
    return place.subject if isinstance(place, FoundEpisode) else place.text


def _brief(place: Found) -> str:
    """The summary of an episode, or the words that a quote replies to."""
    if isinstance(place, FoundFact):
        return replied_to(place.quote, place.citation is not None)
    return place.summary if isinstance(place, FoundEpisode) and place.summary != place.subject else ""


def _within(place: FoundEpisode) -> None:
    """The best facts of an episode, and its narrative."""
    if place.atomic_facts:
        with tag("details"):
            tag("summary", f"{count(len(place.atomic_facts), 'best statement')} of it")
            with tag("ul", classes="statements"):
                for each in place.atomic_facts:
                    with tag("li", classes="is-fact", data_record=each.id):
                        speaker = f"{each.quote.speaker}: " if each.quote and not each.citation else ""
                        tag("span", f"{speaker}{_words(each)}")
    if place.episode:
        with tag("details"):
            tag("summary", "The narrative")
            tag("p", place.episode, "said")


def _when(place: Found) -> str:
    if isinstance(place, FoundForesight):
        return f"expected {expected(place.start, place.end)}" if place.start or place.end else f"said {day(place.said_at)}"
    if isinstance(place, FoundFact):
        said = f"{place.quote.speaker}, {day(place.said_at)}" if place.quote and not place.citation else day(place.said_at)
        if place.event_at is None:
            return said
        when = expected(place.event_at, place.event_until) if place.event_until else whole_day(place.event_at)
        return said if when == day(place.said_at) else f"{said} · about {when}"
    if isinstance(place, FoundMessage):
        return f"{place.sender_name}, {moment(place.sent_at)}"
    if isinstance(place, FoundEpisode):
        return day(place.started_at) if place.document_id is None else ""
    return ""


def _source(visit: Visit, place: Found, episodes: dict[str, FoundEpisode]) -> None:
    """The way back to the conversation that it comes from."""
    parent = place.id if isinstance(place, FoundEpisode) else getattr(place, "parent_episode_id", None)
    episode = episodes.get(parent or "")
    conversation = place.conversation_id if isinstance(place, FoundMessage) else episode.conversation_id if episode else None
    if conversation is not None:
        link("in its conversation", visit.link("conversation", id=conversation, episode=parent))


def _validity(place: Found) -> None:
    valid_to: datetime | None = getattr(place, "valid_to", None)
    if getattr(place, "superseded_by", None):
        chip(f"no longer holds{f' since {day(valid_to)}' if valid_to else ''}", "over")
    elif isinstance(place, FoundForesight) and place.expired:
        chip("lies behind", "over")
    if isinstance(place, FoundFact | FoundForesight) and place.times_said > 1:
        chip(f"said {count(place.times_said, 'time')}")
