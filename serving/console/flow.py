"""The page Flow: health, lag, throughput, requests and dead letters, as they change. For the operator."""

import time
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nicegui import ui

from connectors.dead_letters import without_secrets
from connectors.telemetry.exposition import exposition, read_exposition
from mneme.errors import MnemeError
from mneme.ports import DeadLetter
from serving.console.markup import anew, chip, count, heading, moment, notice, number, seconds, section, tag
from serving.console.shell import page, show_failure
from serving.console.visit import Visit
from serving.service.dead_letters import dead_letters_of
from serving.service.health import Health
from serving.service.service import Service
from serving.terminal.format import last_line, shortened
from serving.terminal.tables import event_text

_MOST_SAMPLES = 6  # ten seconds, over which the rate is told


@dataclass(frozen=True, slots=True)
class Sample:
    """One look. ``at`` is of the monotonic clock, in seconds; ``messages`` is None where the index did not answer.

    ``routes`` are those that this process served: how many requests, and the seconds that all of them took.
    """

    at: float
    health: Health
    messages: int | None
    routes: Mapping[str, tuple[float, float]]

    @classmethod
    def take(cls, service: Service) -> "Sample":
        """Look once. Blocks."""
        try:
            messages: int | None = service.searchable_messages()
        except MnemeError:
            messages = None  # the health says why
        return cls(time.monotonic(), service.health(), messages, _routes())


def rate_of(samples: Sequence[Sample]) -> float:
    """Messages that became searchable a second, from the first of some samples to the last."""
    counted = [(each.at, each.messages) for each in samples if each.messages is not None]
    seconds_between = counted[-1][0] - counted[0][0] if counted else 0.0
    return max(0.0, counted[-1][1] - counted[0][1]) / seconds_between if seconds_between else 0.0


def _routes() -> dict[str, tuple[float, float]]:
    samples = read_exposition(exposition().decode())
    totals: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for place, name in enumerate(("count", "sum")):
        for labels, value in samples.get(f"mneme_http_request_seconds_{name}", ()):
            totals[f"{labels['method']} {labels['route']}"][place] += value
    return {route: (requests, took) for route, (requests, took) in totals.items() if requests}


_MOST_SHOWN = 50
_DEAD_LETTER_SECONDS = 5.0  # they are read whole each time
_CHARACTERS = 4_000  # of one that are shown


class DeadLetterPanel:
    """The dead letters of a service on a page, the newest first."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._shown: tuple[DeadLetter, ...] | None = None
        self._read_at = 0.0
        with section("letters", "Dead letters"):
            self._told = tag("div", role="status")
            self._place = tag("div", classes="letters")

    async def look(self) -> None:
        """Show what there is; what is shown already is left as it is."""
        if time.monotonic() - self._read_at < _DEAD_LETTER_SECONDS:
            return
        self._read_at = time.monotonic()
        try:
            dead_letters = await self._visit.in_thread("others", lambda: dead_letters_of(self._visit.service).dead_letters())
        except MnemeError as error:
            self._shown = None
            with anew(self._place):
                show_failure(error)
            return
        if dead_letters != self._shown:
            self._shown = dead_letters
            self._draw(dead_letters)

    def _draw(self, dead_letters: Sequence[DeadLetter]) -> None:
        with anew(self._place):
            if not dead_letters:
                tag("p", "None: everything that came could be taken in.", "quiet")
                return
            with tag("div", classes="actions"):
                newest = f", the newest {_MOST_SHOWN} of them" if len(dead_letters) > _MOST_SHOWN else ""
                tag("span", count(len(dead_letters), "letter") + newest)
                tag("button", "Replay all", type="button").on("click", lambda: self._replay(dead_letters))
            with tag("ul", classes="letters"):
                for dead_letter in reversed(dead_letters[-_MOST_SHOWN:]):
                    self._letter(dead_letter)

    def _letter(self, dead_letter: DeadLetter) -> None:
        with tag("li", classes="letter"):
            with tag("div", classes="actions"):
                chip(dead_letter.stage, "problem")
                tag("span", moment(dead_letter.at), "when")
                tag("span", str(dead_letter.position or "place unknown"), "when")
            tag("p", without_secrets(last_line(dead_letter.reason)))
            with tag("details", classes="raw"):
                tag("summary", f"{count(len(dead_letter.raw), 'byte')}")
                tag("pre", _content(dead_letter.raw), "bytes", tabindex="0", aria_label="The bytes of the event")
            with tag("div", classes="actions"):
                tag("button", "Replay", type="button").on("click", lambda: self._replay([dead_letter]))

    async def _replay(self, dead_letters: Sequence[DeadLetter]) -> None:
        box = dead_letters_of(self._visit.service)
        self._told.clear()
        try:
            refused = await self._visit.in_thread("others", box.replay, dead_letters)
        except MnemeError as error:
            with self._told:
                show_failure(error)
            return
        with self._told:
            if done := len(dead_letters) - len(refused):
                notice(f"{count(done, 'letter')} sent again. What is still wrong comes back here, with the reason.", "done")
            for reason in sorted(set(refused.values())):
                notice(f"Not replayed: {reason}", "problem")
        self._read_at = 0.0
        await self.look()


def _content(raw: bytes) -> str:
    """The first characters of an event as text."""
    text = event_text(raw)
    return text if len(text) <= _CHARACTERS else f"{shortened(text, _CHARACTERS)} ({len(raw):,} bytes in all)"


_EVERY_SECONDS = 2.0
_MUCH = 1000  # events unread that are shown as a warning


@page("flow", "Flow", needs_owner=False)
async def flow(visit: Visit) -> None:
    """The page; a timer that ends with it looks again every two seconds."""
    with heading("Flow"), tag("p", classes="quiet"):
        tag("span", "Live, every two seconds while this page is open.", "live")
    state = tag("div", role="status")
    tiles = tag("dl", classes="tiles")
    with section("requests", "Requests"):
        requests = tag("div")
    dead_letters = DeadLetterPanel(visit)
    parts = ((state, _health, "health"), (requests, _requests, "routes"))
    taken: deque[Sample] = deque(maxlen=_MOST_SAMPLES)

    async def look() -> None:
        before = taken[-1] if taken else None
        taken.append(last := await visit.in_thread("others", Sample.take, visit.service))
        for place, fill, what in parts:  # what stays as it is is left alone, for whoever reads it
            if before is None or getattr(before, what) != getattr(last, what):
                with anew(place):
                    fill(last)
        with anew(tiles):
            _tiles(last, taken)
        await dead_letters.look()

    await look()
    ui.timer(_EVERY_SECONDS, look, immediate=False)


def _health(last: Sample) -> None:
    if last.health.status == "green":
        tag("p", "All is well: the index answers and the flow keeps up.", "notice is-done")
        return
    with tag("div", classes="notice is-problem"):
        tag("strong", "Something is wrong")
        with tag("ul"):
            for problem in last.health.problems:
                tag("li", problem)


def _tiles(last: Sample, taken: Sequence[Sample]) -> None:
    lag = last.health.lag
    if lag is not None:
        alive = {True: "runs", False: "stopped", None: "elsewhere"}[lag.alive]
        _tile("The flow", alive, warns=lag.alive is False)
    unread = lag.unread if lag is not None else {}
    for lane, waiting in unread.items():
        _tile(f"Unread {lane}", f"{waiting:,}", warns=lane != "backfill" and waiting > _MUCH)
    _tile("Searchable a second, lately", number(rate_of(taken)))


def _tile(title: str, value: str, warns: bool = False) -> None:
    with tag("div", classes=f"tile{' is-warning' if warns else ''}"):
        tag("dt", title)
        tag("dd", value)


_MOST_ROUTES = 12


def _requests(last: Sample) -> None:
    """The routes that were asked most, and how long they took."""
    if not last.routes:
        tag("p", "Nobody has asked anything yet.", "quiet")
        return
    often = sorted(last.routes.items(), key=lambda each: (-each[1][0], each[0]))[:_MOST_ROUTES]
    with tag("table"):
        with tag("thead"), tag("tr"):
            for title, classes in (("route", ""), ("requests", "number"), ("mean", "number")):
                tag("th", title, classes, scope="col")
        with tag("tbody"):
            for name, (requests, took) in often:
                with tag("tr"):
                    tag("th", name, scope="row")
                    tag("td", number(requests), "number")
                    tag("td", seconds(took / requests), "number")
