"""How the flow is, as it goes: health, lag, throughput, models, and what could not be taken in. For the operator."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from mneme.rows import Collection
from serving.console.letters import Letters
from serving.console.markup import tag
from serving.console.samples import Sample, Samples, rates
from serving.console.shell import page
from serving.console.visit import Visit
from serving.console.words import number

SAMPLES = "mneme.samples"  # where the mount lays the samples into the scope of a request

_EVERY_SECONDS = 2.0
_WIDTH, _HEIGHT, _LEFT, _BELOW = 760, 190, 44, 22
_MUCH = 1000  # events unread that are shown as a warning
_LANES = ("messages", "documents", "backfill")


@page("flow", "Flow", needs_owner=False)
async def flow(visit: Visit) -> None:
    """The page; a timer that ends with it looks again every two seconds."""
    samples: Samples = visit.request.scope[SAMPLES]
    with tag("div", classes="heading"):
        tag("h1", "Flow")
        with tag("p", classes="quiet"):
            tag("span", "Live, every two seconds while this page is open.", "live")
    state = tag("div", role="status")
    tiles = tag("dl", classes="tiles")
    with tag("section", classes="card chart", aria_labelledby="throughput-title"):
        tag("h2", "Messages that became searchable, a second", id="throughput-title")
        drawing = tag("div")
    with tag("div", classes="pair"):
        with tag("section", classes="card", aria_labelledby="index-title"):
            tag("h2", "The index", id="index-title")
            rows = tag("div")
        with tag("section", classes="card", aria_labelledby="models-title"):
            tag("h2", "Models", id="models-title")
            models = tag("div")
    letters = Letters(visit)
    parts = ((state, _health, "health"), (rows, _counts, "counts"), (models, _models, "models"))
    shown: list[Sample] = []

    async def look() -> None:
        taken = await visit.in_thread("others", samples.look)
        last = taken[-1]
        for place, fill, what in parts:  # what stays as it is is left alone, for whoever reads it
            if not shown or getattr(shown[0], what) != getattr(last, what):
                _again(place, fill, last)
        shown[:] = [last]
        _again(tiles, lambda last: _tiles(last, taken), last)
        _again(drawing, lambda last: _chart(rates(taken)), last)
        await letters.look()

    await look()
    ui.timer(_EVERY_SECONDS, look, immediate=False)


def _again(place: TextElement, fill: Callable[[Sample], None], last: Sample) -> None:
    place.clear()
    with place:
        fill(last)


def _health(last: Sample) -> None:
    if last.health.status == "green":
        tag("p", "All is well: the index answers and the flow keeps up.", "notice is-done")
        return
    with tag("div", classes="notice is-problem"):
        tag("strong", "Something is wrong")
        with tag("ul"):
            for problem in last.health.problems:
                tag("li", problem)


def _tiles(last: Sample, taken: tuple[Sample, ...]) -> None:
    lag = last.health.lag
    if lag is not None:
        alive = {True: "runs", False: "stopped", None: "elsewhere"}[lag.alive]
        _tile("The flow", alive, warns=lag.alive is False)
    unread = lag.unread if lag is not None else {}
    for lane in (*_LANES, *(each for each in unread if each not in _LANES)):
        if lane in unread:
            _tile(f"Unread {lane}", f"{unread[lane]:,}", warns=lane != "backfill" and unread[lane] > _MUCH)
    lately = rates(taken)[-5:]
    _tile("A second, lately", number(sum(rate for _, rate in lately) / len(lately)) if lately else "0")
    _tile("Model calls", number(sum(calls for calls, _ in last.models.values())))
    _tile("Tokens", number(sum(tokens for _, tokens in last.models.values())))


def _tile(title: str, value: str, warns: bool = False) -> None:
    with tag("div", classes=f"tile{' is-warning' if warns else ''}"):
        tag("dt", title)
        tag("dd", value)


def _counts(last: Sample) -> None:
    if last.counts is None:
        tag("p", "The index does not answer, or there is none yet.", "quiet")
        return
    names = {
        Collection.GRAPH: "entities and relationships",
        Collection.MEMORIES: "other memories",
        Collection.CONTROL: "kept by the flow",
    }
    _table(("", "rows"), [(names.get(each, each.value), f"{count:,}") for each, count in last.counts.items()])


def _models(last: Sample) -> None:
    if not last.models:
        tag("p", "No model behind an endpoint was called. What runs on this machine costs nothing.", "quiet")
        return
    rows = [(name, number(calls), number(tokens)) for name, (calls, tokens) in sorted(last.models.items())]
    _table(("model", "calls", "tokens"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    with tag("table"):
        with tag("thead"), tag("tr"):
            for place, title in enumerate(head):
                tag("th" if title else "td", title, "number" if place else "", scope="col" if title else None)
        with tag("tbody"):
            for row in rows:
                with tag("tr"):
                    for place, cell in enumerate(row):
                        tag("td" if place else "th", cell, "number" if place else "", scope=None if place else "row")


def _chart(points: list[tuple[float, float]]) -> None:
    """A line over the last minutes; what it says is in words beside it, for whoever cannot see it."""
    width, height = _WIDTH - _LEFT, _HEIGHT - _BELOW - 10
    longest = max([60.0, *(ago for ago, _ in points)])
    most = max([1.0, *(rate for _, rate in points)])
    at = [(_LEFT + width * (1 - ago / longest), 10 + height * (1 - rate / most)) for ago, rate in points]
    said = f"Highest {number(most)}, now {number(points[-1][1])} a second" if points else "Nothing was written yet"
    with tag("svg", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=said):
        for share in (0.0, 0.5, 1.0):
            y = 10 + height * (1 - share)
            tag("line", classes="axis", x1=_LEFT, x2=_WIDTH, y1=y, y2=y)
            tag("text", number(most * share), x=_LEFT - 8, y=y + 4, text_anchor="end")
        tag("text", f"{longest / 60:.0f} min ago", x=_LEFT, y=_HEIGHT - 4)
        tag("text", "now", x=_WIDTH, y=_HEIGHT - 4, text_anchor="end")
        if at:
            line = " L".join(f"{x:.1f} {y:.1f}" for x, y in at)
            tag("path", classes="area", d=f"M{at[0][0]:.1f} {10 + height} L{line} L{at[-1][0]:.1f} {10 + height} Z")
            tag("path", classes="line", d=f"M{line}")
