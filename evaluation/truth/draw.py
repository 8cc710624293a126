"""``mneme bench truth draw``: what a grader reads, drawn by a seed.

1. Ingest each source through the flow into an index of its own.
2. Draw from it: facts of each source; and of all sources together dated facts, annotations of each kind as evenly as there
   are any, and facts that are marked as no longer so.
3. Write the sheet, which has ids alone and a place for each verdict (sheet.py), and beside it the reading copy, which has
   the text, its messages, and one neighbour on either side. The reading copy of a set that may not be copied is not kept.

The same seed draws the same from the same store.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from evaluation.truth.sheet import ASKED, Criterion, Item, Sample, Sheet
from evaluation.truth.sources import Annotation, Store, filled, sources_of
from mneme.errors import InputError
from mneme.ids import short_hash
from mneme.records import AtomicFact, StoredMessage
from mneme.settings import Settings
from mneme.times import zone

SIZES = {"facts": 100, "dates": 200, "annotations": 60, "endings": 50}  # of facts: of each source
_NEIGHBOUR = 300  # characters of a message beside those that something was made of
_FENCE = "~~~~"  # messages may have others in them
Drawn = TypeVar("Drawn")


@dataclass(frozen=True, slots=True)
class _Shown:
    """An item of the sheet, what it is drawn from, and where that lies."""

    item: Item
    drawn: Annotation
    store: Store


def run_draw(
    settings: Settings,
    console: Console,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[[NAME=]PATH]...",
            help="Chats in any form that `mneme ingest` reads, or files of BEAM, MemDaily or LongMemEval. Files of one name, or"
            " of one published set, are one source.",
            show_default="the shipped chats",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="What the draw begins with.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The sheet; the reading copy lies beside it.")] = Path(
        "bench-results/truth-sheet.json"
    ),
) -> Sheet:
    """Draw what a grader reads: a sheet of ids with a place for each verdict, and a reading copy with the text.

    Raises:
        InputError: a file is not there or not of a known form, or a file cannot be written.
        MnemeError: whatever the flow or the index raises.
    """
    # 1.
    stores = []
    for source in sources_of(sources or ()):
        with console.status(f"ingesting {source.name}"):
            stores.append(filled(source, settings))
    # 2.
    shown = list(draw(stores, seed))
    sheet = Sheet(
        seed=seed,
        facts={store.name: len(store.facts) for store in stores},
        dated={store.name: len(store.dated) for store in stores},
        ended={store.name: len(store.ended) for store in stores},
        items=[each.item for each in shown],
    )
    # 3.
    sheet.write(out)
    copy = out.with_suffix(".reading.md")
    try:
        copy.write_text("\n\n".join([_head(seed), *map(_reading, shown)]) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"out: {copy} cannot be written ({error.strerror}); choose another file") from error
    counts = {name: sum(item.sample == name for item in sheet.items) for name in SIZES}
    console.print(f"{out}: {len(sheet.items)} to grade; read {copy}", soft_wrap=True, highlight=False)
    line = " ".join(f"{name}={count}" for name, count in counts.items())
    console.print(f"BENCH truth-draw seed={seed} sources={len(stores)} {line}", soft_wrap=True, highlight=False)
    return sheet


def draw(stores: Sequence[Store], seed: int) -> Iterator[_Shown]:
    """Draw ``SIZES`` facts of each store, and of all stores together the others, numbered from 1.

    Each sample has a chance of its own, so that none moves another.
    """
    chosen: list[tuple[Sample, Store, Annotation, Sequence[Criterion]]] = []
    for store in stores:
        for fact in _some(store.facts, SIZES["facts"], f"{seed} facts {store.name}"):
            criteria: list[Criterion] = ["says", "alone", *(["date"] if fact.event_at else [])]  # type: ignore[list-item]
            chosen.append(("facts", store, _of_fact(fact, store), criteria))
    dated = [(store, fact) for store in stores for fact in store.dated]
    for store, fact in _some(dated, SIZES["dates"], f"{seed} dates"):
        chosen.append(("dates", store, _of_fact(fact, store), ["date"]))
    for store, annotation in _annotations(stores, seed, SIZES["annotations"]):
        chosen.append(("annotations", store, replace(annotation, id=short_hash(annotation.id)), ["right"]))
    ended = [(store, fact) for store in stores for fact in store.ended]
    for store, fact in _some(ended, SIZES["endings"], f"{seed} endings"):
        chosen.append(("endings", store, _of_fact(fact, store), ["ended"]))
    for number, (sample, source, drawn, asked) in enumerate(chosen, start=1):
        item = Item(
            number=number,
            sample=sample,
            kind=drawn.kind,
            source=source.name,
            id=drawn.id,
            message_ids=tuple(message for _, message in drawn.sources),
            grades=dict.fromkeys(asked),
        )
        yield _Shown(item, drawn, source)


def _annotations(stores: Sequence[Store], seed: int, size: int) -> Iterator[tuple[Store, Annotation]]:
    """So many, by kind as evenly as there are any: the rarest kind first, and each takes its part of what is left."""
    kinds = {kind for store in stores for kind in store.annotations}
    pools = {kind: [(store, each) for store in stores for each in store.annotations[kind]] for kind in kinds}
    for left, kind in zip(range(len(pools), 0, -1), sorted(pools, key=lambda kind: (len(pools[kind]), kind)), strict=True):
        some = _some(pools[kind], size // left, f"{seed} {kind}")
        size -= len(some)
        yield from some


def _some(pool: Sequence[Drawn], size: int, chance: str) -> list[Drawn]:
    """So many by chance, or all that there are."""
    return random.Random(chance).sample(pool, min(size, len(pool)))


def _of_fact(fact: AtomicFact, store: Store) -> Annotation:
    """A fact as what can be drawn of any kind."""
    sources = tuple((fact.conversation_id, message) for message in fact.message_ids)
    return Annotation("fact", fact.id, _told(fact, store.zone_of(fact)), sources)


def _told(fact: AtomicFact, where: tzinfo) -> str:
    """A fact with its dates there, and the claims and marks that came of it."""
    lines = [fact.atomic_fact]
    dates = [f"{date.astimezone(where):%a %Y-%m-%d %H:%M}" for date in (fact.event_at, fact.event_until) if date]
    if dates:
        lines.append(f"- happens {' until '.join(dates)}")
    for claim in fact.claims:
        ended = f", until {claim.valid_to:%Y-%m-%d}, by {claim.superseded_by}" if claim.valid_to else ""
        lines.append(f"- claim: {claim.subject} | {claim.attribute} | {claim.value}{' (ends)' if claim.ends else ''}{ended}")
    if fact.validity.valid_to:
        lines.append(f"- no longer so since {fact.validity.valid_to:%Y-%m-%d}, by {fact.validity.superseded_by}")
    return "\n".join(lines)


def _head(seed: int) -> str:
    asked = "\n".join(f"- `{criterion}`: {words}" for criterion, words in ASKED.items())
    return (
        f"# What was drawn by seed {seed}\n\n"
        "Write the verdicts into the sheet, by number. An item is asked what its line names:\n\n"
        f"{asked}\n\nMessages that it was made of are marked with `>`. Times are those of the sender."
    )


def _reading(shown: _Shown) -> str:
    """An item as a grader reads it: what was made, and the messages that it was made of among their neighbours."""
    item = shown.item
    lines = [f"## {item.number}. {item.source}, {item.kind}: {', '.join(item.grades)}", "", shown.drawn.text, "", _FENCE]
    for conversation, messages in shown.store.conversations.items():
        wanted = {message for where, message in shown.drawn.sources if where == conversation}
        made_of = {at for at, message in enumerate(messages) if message.message_id in wanted}
        around = sorted({near for at in made_of for near in (at - 1, at, at + 1) if 0 <= near < len(messages)})
        lines += [_said(messages[at], at in made_of) for at in around]
    return "\n".join([*lines, _FENCE])


def _said(message: StoredMessage, is_source: bool) -> str:
    """A message with its sender's time, cut short unless something was made of it."""
    sent = message.sent_at.astimezone(zone(message.timezone))
    text = message.text if is_source or len(message.text) <= _NEIGHBOUR else f"{message.text[:_NEIGHBOUR]} ..."
    mark = ">" if is_source else " "
    return f"{mark} {message.message_id} {message.sender_name} ({sent:%a %Y-%m-%d %H:%M}): {text}"
