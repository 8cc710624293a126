"""The page Facts: all that is known of an owner, one by one, to be filtered, corrected and erased."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from mneme.errors import MnemeError
from mneme.events import AnyEvent
from queries.browsing.responses import Memory
from serving.clients import iterate_memories
from serving.console.markup import anew, chip, count, day, field, heading, link, nothing, notice, tag
from serving.console.shell import page, show_failure
from serving.console.statements import cited
from serving.console.visit import SENT_EVENT, Visit, fields_of
from serving.service.amending import correction_of, retractions_of

_MOST_FACTS = 2_000  # that are looked through, the newest
_OF_A_PAGE = 50
_MOST_WAITS = 50  # for a change: of them a long one takes several

Refresh = Callable[[], Awaitable[None]]


@page("facts", "Facts")
async def facts(visit: Visit) -> None:
    """The filter, and the facts that pass it."""
    said = "Each fact is what somebody said. Correct what is wrong, and erase what is not to be kept."
    heading(f"Facts of {visit.name}", said)
    visit.question_form("facts", "q", "Words", "Words of the facts", ("all", "1", "with history"), "Filter")
    told = tag("div", role="status")
    shown = tag("div")
    await _list(visit, shown, told)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts of an owner by id, the newest first, and the older ones by what stands in their place."""

    by_id: Mapping[str, Memory]
    replaced: Mapping[str, Sequence[Memory]]

    @classmethod
    def read(cls, visit: Visit) -> "_Facts":
        facts = islice(iterate_memories(visit.service.memories, "fact", visit.filters(knowledge=None)), _MOST_FACTS)
        by_id = {each.id: each for each in facts}
        replaced: dict[str, list[Memory]] = {}
        for each in by_id.values():
            if each.superseded_by:
                replaced.setdefault(each.superseded_by, []).append(each)
        return cls(by_id, replaced)

    def chosen(self, words: str, with_history: bool) -> list[Memory]:
        """Those that have all of some words in them."""
        wanted = words.casefold().split()
        return [
            each
            for each in self.by_id.values()
            if (with_history or each.valid_to is None) and all(word in each.text.casefold() for word in wanted)
        ]


async def _list(visit: Visit, place: TextElement, told: TextElement) -> None:
    with place:
        known = await visit.fetch(_Facts.read, visit)
    words = visit.parameter("q")
    chosen = known.chosen(words, bool(visit.parameter("all")))
    begin = visit.begin_of_page(len(chosen))
    with anew(place):
        tag("p", f"{count(len(chosen), 'fact')}{f' with “{words}”' if words else ''}", "summary-line")
        if len(known.by_id) == _MOST_FACTS:
            notice(f"Only the newest {_MOST_FACTS:,} facts are looked through; the search finds all.")
        if not chosen:
            nothing(
                "No facts here.", "Fewer words, or the history too, may show some." if known.by_id else "Nothing was said yet."
            )

        async def again() -> None:
            await _list(visit, place, told)

        with tag("ul", classes="rows facts"):
            for each in chosen[begin : begin + _OF_A_PAGE]:
                _row(visit, each, known, told, again)
        said = {"q": words, "all": visit.parameter("all")}
        visit.paging("facts", begin, _OF_A_PAGE, len(chosen), ("Newer", "Older"), **said)


def _row(visit: Visit, fact: Memory, known: _Facts, told: TextElement, again: Refresh) -> None:
    with tag("li", classes=f"fact-row{' is-gone' if fact.valid_to else ''}", data_record=fact.id) as row:
        tag("span", _words(fact), "text")
        with tag("p", classes="meta"):
            tag("span", f"{', '.join(fact.body['speakers'])}, {day(fact.at)}")
            if asked := _asked(fact):
                tag("span", f"in reply to “{asked}”")
            if fact.valid_to is not None:
                chip(f"no longer holds since {day(fact.valid_to)}", "over")
            cited(visit, fact.citation)
            if fact.conversation_id and fact.document_id is None:
                link("in its conversation", visit.link("conversation", id=fact.conversation_id, episode=fact.parent_episode_id))
        if newer := known.by_id.get(fact.superseded_by or ""):
            tag("small", f"now: {_words(newer)}", "newer")
        for older in known.replaced.get(fact.id, ()):
            tag("small", f"in the place of: {_words(older)}", "older")
        if fact.document_id is None and visit.service.takes_events:
            _actions(visit, fact, row, told, again)


def _words(fact: Memory) -> str:
    return str((fact.body.get("quote") or {}).get("words") or fact.text)


def _asked(fact: Memory) -> str:
    quote = fact.body.get("quote") or {}
    before = quote.get("question") or quote.get("context")
    return str(before["words"]) if before else ""


def _actions(visit: Visit, fact: Memory, row: TextElement, told: TextElement, again: Refresh) -> None:
    """Buttons, and in their place what they ask."""

    def offer() -> None:
        with anew(place), tag("div", classes="actions"):
            if fact.valid_to is None:
                tag("button", "Correct …", type="button").on("click", ask_for_words)
            tag("button", "Erase …", "danger", type="button").on("click", ask_for_consent)

    def ask_for_words() -> None:
        with anew(place), tag("form", classes="fields", data_stays=True) as form:
            given = {"rows": 2, "required": True, "defaultValue": _words(fact), "data_focuses": True}
            field("What is right", "content", "textarea", "field is-wide", id=f"right-{row.id}", **given)
            with tag("div", classes="actions"):
                tag("button", "Correct it", "primary", type="submit")
                tag("button", "Leave it", type="button").on("click", offer)
        form.on(SENT_EVENT, correct, args=["detail"])

    def ask_for_consent() -> None:
        with anew(place):
            tag("p", "The words go for good: from every message that says them, and all that was made of them.", "quiet")
            with tag("div", classes="actions"):
                tag("button", "Erase it", "danger", type="button").on("click", erase)
                tag("button", "Keep it", type="button").on("click", offer)

    async def correct(event: GenericEventArguments) -> None:
        content = fields_of(event.args).get("content", "")
        await do(
            lambda: [correction_of(visit.service.memories, fact, content)], "Corrected. What it said before is its history."
        )

    async def erase() -> None:
        await do(lambda: list(retractions_of(visit.service.memories, fact)), "Erased. No memory says it any more.")

    async def do(make: Callable[[], Sequence[AnyEvent]], done: str) -> None:
        with anew(place):
            tag("p", "Waiting until it is done …", "waiting", role="status")
        try:
            flush_ids = await visit.in_thread("others", _sent, visit, make)
            is_done = await _done(visit, flush_ids)
        except MnemeError as error:
            offer()
            with place:
                show_failure(error)
            return
        except Exception:
            offer()
            raise
        with anew(told):
            notice(
                done if is_done else "It is kept, but not done yet: the flow is behind. Its lag is on the page Flow.", "done"
            )
        await again()

    place = tag("div", classes="change")
    offer()


async def _done(visit: Visit, flush_ids: Sequence[str]) -> bool:
    """Wait until all that was sent before some flushes is searchable, as long as that may take; whether it is."""
    service, left = visit.service, list(flush_ids)
    for _ in range(_MOST_WAITS):
        if not left:
            break
        wait = service.settings.service.wait_seconds
        is_searchable = await visit.in_thread("waits", service.wait_for_flush, visit.tenant_id, left[0], wait)
        if is_searchable:
            left.pop(0)
    return not left


def _sent(visit: Visit, make: Callable[[], Sequence[AnyEvent]]) -> Sequence[str]:
    """Send events that change facts, and flushes behind them, whose names are returned. Blocks.

    Raises:
        MnemeError: they cannot be made or sent.
    """
    events = make()
    visit.service.accept(events)
    changed = dict.fromkeys(str(getattr(each, "conversation_id", "")) for each in events)
    return visit.service.flush(visit.tenant_id, list(changed), timeout=0.0).flush_ids
