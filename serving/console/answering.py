"""An answer, shown as it is written, with the memories that it cites."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui
from nicegui.elements.mixins.text_element import TextElement

from mneme.errors import MnemeError
from queries.answers.answer import AnswerResponse
from serving.console.markup import chip, notice, tag
from serving.console.shell import show_failure
from serving.console.statements import cited
from serving.console.visit import Visit
from serving.console.words import count, day

_CITED = re.compile(r"(\[\d+\])")
_Piece = str | AnswerResponse | BaseException


async def answering(visit: Visit, question: str, **how: Any) -> AnswerResponse | None:
    """Ask, and show the answer piece by piece; the whole of it at the end, None where it failed.

    Args:
        visit: whose memory.
        question: what is asked.
        how: the other arguments of ``Memories.ask_stream``.
    """
    with tag("section", classes="card answer", aria_labelledby="answer-title"):
        tag("h2", "Answer", id="answer-title")
        text = tag("p", "", "said", aria_live="polite")
        waiting = tag("p", "Reading what is remembered …", "waiting", role="status")
        below = tag("div", classes="field")
    client = ui.context.client
    await client.connected(timeout=None)
    pieces: asyncio.Queue[_Piece] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def hand_over(piece: _Piece) -> None:
        loop.call_soon_threadsafe(pieces.put_nowait, piece)

    asking = background_tasks.create(
        visit.in_thread("searches", _read, visit, question, how, hand_over, lambda: client.is_deleted), name="an answer"
    )
    while isinstance(piece := await pieces.get(), str):
        text.set_text(text.text + piece)
    await asking
    waiting.delete()
    if isinstance(piece, AnswerResponse):
        with below:
            _finished(visit, piece, text)
        return piece
    with below:
        if not isinstance(piece, MnemeError):
            raise piece
        show_failure(piece)
    return None


def _read(
    visit: Visit, question: str, how: dict[str, Any], hand_over: Callable[[_Piece], None], is_gone: Callable[[], bool]
) -> None:
    """Read an answer in a thread; whoever left the page lets it end early."""
    try:
        stream = visit.service.memories.ask_stream(question, visit.filters(**how.pop("filters")), **how)
        for piece in stream:
            if is_gone():
                stream.close()
                return
            hand_over(piece)
        hand_over(stream.response)
    except Exception as error:  # noqa: BLE001  it is raised again where the page is
        hand_over(error)


def _finished(visit: Visit, response: AnswerResponse, text: TextElement) -> None:
    """The answer with its citations as links, and what it cost."""
    known = {citation.number for citation in response.citations}
    text.set_text("")
    with text:
        for part in _CITED.split(response.answer):
            number = part[1:-1] if _CITED.fullmatch(part) else ""
            if number and int(number) in known:
                tag("a", part, href=f"#citation-{number}")
            else:
                tag("span", part)
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
