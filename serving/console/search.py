"""The page Search: results, their trace and, if it is asked for, an answer."""

import re
from typing import Any

from nicegui import Client, ui

from mneme.errors import InputError
from queries.answers.answer import AnswerResponse
from queries.responses import SearchResponse
from serving.console.markup import chip, choice, count, day, field, heading, notice, section, tag
from serving.console.results import draw_results
from serving.console.shell import page
from serving.console.statements import cited
from serving.console.trace import draw_trace, shown_ids
from serving.console.visit import Visit
from serving.found import texts_of

_METHODS = (("hybrid", "Hybrid"), ("keyword", "Keyword"), ("vector", "Vector"), ("agentic", "Agentic"))
_AGENTS = ("router", "direct", "split", "chain", "reflect")
_KINDS = ("fact", "episode", "message", "foresight", "profile", "case", "skill", "knowledge")
_OF_DOCUMENTS_ALONE = 3  # results where nobody said anything yet
_DATES = (("since", "Since"), ("before", "Before"), ("as_of", "As it was known on"))


@page("search", "Search")
async def search(visit: Visit) -> None:
    """The form, and what the address asks for."""
    question = visit.parameter("q")
    heading("Search", "" if question else "Everything that answers is in the address: keep it, or send it to somebody.")
    _form(visit)
    if not question:
        return
    how, memories = _how(visit) | {"filters": visit.filters(**_filters(visit)), "explain": True}, visit.service.memories
    if not visit.has_memories:
        notice(f"Nothing is remembered of {visit.name} yet. This is what the documents of everybody say.")
        how["top_k"] = min(how["top_k"] or _OF_DOCUMENTS_ALONE, _OF_DOCUMENTS_ALONE)
    if visit.parameter("ask"):
        answer = await visit.fetch(whole_answer, visit, ui.context.client, question, **how)
        if answer is None:
            return
        _answer(visit, answer)
        found = answer.found
    else:
        found = await visit.fetch(memories.search, question, **how)
    texts = await visit.fetch(_texts, visit, found)
    draw_results(visit, found)
    draw_trace(found, texts)


def whole_answer(visit: Visit, reader: Client, question: str, **how: Any) -> AnswerResponse | None:
    """The whole answer; None, and the model's call is ended, once its reader has left."""
    answer = visit.service.memories.ask_stream(question, **how)
    for _ in answer:
        if reader.is_deleted:
            answer.close()
            return None
    return answer.response


def _texts(visit: Visit, found: SearchResponse) -> dict[str, str]:
    """The texts of all that the trace shows; what the response does not hold is fetched."""
    texts = texts_of(found)
    for identity in shown_ids(found.trace or ()):
        if identity not in texts:
            memory = visit.service.memories.get(identity, visit.filters())
            if memory is not None:
                texts[identity] = str(memory.body.get("subject") or memory.text)
    return texts


def _how(visit: Visit) -> dict[str, Any]:
    """
    Raises:
        InputError: ``top_k`` is no number.
    """
    method, top_k = visit.parameter("method", "hybrid"), visit.parameter("top_k")
    if top_k and not (top_k.isdecimal() and len(top_k) < 9):
        raise InputError(f"top_k: {top_k!r} is no number; leave it empty, or give one from 1")
    agent = visit.parameter("agent") if method == "agentic" else ""
    return {"method": method, "top_k": int(top_k) if top_k else None, "agent": agent or None}


def _filters(visit: Visit) -> dict[str, Any]:
    participants = tuple(name.strip() for name in visit.parameter("participants").split(",") if name.strip())
    kinds = tuple(visit.request.query_params.getlist("kind"))
    dates = {name: visit.parameter(name) for name, _ in _DATES}
    return {**dates, "participants": participants, "kinds": kinds, "expired": visit.parameter("expired") == "on"}


def _form(visit: Visit) -> None:
    given = {name: value for name, value in _filters(visit).items() if value}
    with tag(
        "form",
        classes=f"ask-form{' is-asked' if visit.parameter('q') else ''}",
        method="get",
        action="search",
        role="search",
        aria_label="Search",
    ):
        visit.hidden_fields()
        with tag("div", classes="question"):
            tag(
                "input",
                name="q",
                id="question",
                type="search",
                required=True,
                defaultValue=visit.parameter("q"),
                placeholder="What do you want to know?",
                aria_label="Question",
                aria_keyshortcuts="/",
                autocomplete="off",
            )
            tag("button", "Search", "primary", type="submit")
            tag("button", "Ask", type="submit", name="ask", value="1", title="Search, and write an answer from what is found")
        with tag("div", classes="how"):
            with tag("fieldset", classes="segments"):
                tag("legend", "Method", "hidden")
                for name, title in _METHODS:
                    choice(title, "method", "radio", visit.parameter("method", "hybrid") == name, name)
            limits: dict[str, Any] = {"min": 1, "max": 200, "placeholder": "auto"}
            field("Results", "top_k", id="top-k", type="number", **limits, defaultValue=visit.parameter("top_k"))
            if visit.parameter("method") == "agentic":
                with tag("div", classes="field"):
                    tag("label", "Strategy", for_="agent")
                    with tag("select", name="agent", id="agent"):
                        for name in _AGENTS:
                            tag("option", name, value=name, selected=visit.parameter("agent") == name or None)
            with tag("details", classes="filters", open=bool(given) or None):
                tag("summary", f"Filters{f' ({len(given)})' if given else ''}")
                _fields(visit)


def _fields(visit: Visit) -> None:
    with tag("div", classes="fields"):
        for name, title in _DATES:
            field(title, name, id=f"filter-{name}", type="date", defaultValue=visit.parameter(name))
        people = visit.parameter("participants")
        field("Participants, with commas", "participants", id="filter-participants", defaultValue=people)
        with tag("fieldset", classes="field is-wide"):
            tag("legend", "Kinds of memory; none chosen: all")
            chosen = visit.request.query_params.getlist("kind")
            with tag("div", classes="choices"):
                for kind in _KINDS:
                    choice(kind, "kind", "checkbox", kind in chosen, kind)
                choice("what lies behind, too", "expired", "checkbox", visit.parameter("expired") == "on")


_CITED = re.compile(r"(\[\d+\])")


def _answer(visit: Visit, response: AnswerResponse) -> None:
    """The answer with its citations as links, and what it cost."""
    known = {citation.number for citation in response.citations}
    with section("answer", "Answer", "card answer"):
        with tag("p", classes="said"):
            for part in _CITED.split(response.answer):
                number = part[1:-1] if _CITED.fullmatch(part) else ""
                if number and int(number) in known:
                    tag("a", part, href=f"#citation-{number}")
                else:
                    tag("span", part)
        with tag("div", classes="field"):
            _citations(visit, response)


def _citations(visit: Visit, response: AnswerResponse) -> None:
    if response.citations:
        with tag("ol", classes="citations"):
            for citation in response.citations:
                with tag("li", id=f"citation-{citation.number}"):
                    tag("span", f"[{citation.number}]", "when")
                    with tag("span"):
                        tag("span", citation.text)
                        said = [citation.kind, *([day(citation.said_at)] if citation.said_at else [])]
                        tag("small", f" {' · '.join(said)} ")
                        cited(visit, citation.document)
    metrics = response.metrics
    with tag("p", classes="chips"):
        chip("quoted, not written by a model" if response.extractive else "written by a model")
        if response.abstained:
            chip("the memories do not tell", "open")
        chip(f"{metrics.memories} of {count(metrics.candidates, 'memory', 'memories')} read")
        chip(f"{metrics.milliseconds:.0f} ms")
        if metrics.llm_called:
            chip(f"{metrics.input_token + metrics.output_token:,} tokens")
    for each in response.notes:
        notice(each)
