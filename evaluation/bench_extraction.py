"""``mneme bench extraction``: what an extractor finds, against episodes labelled by hand (evaluation/labelled_episodes.py).

An item of the extraction is right when a label has

- entity: the same name (case and a "the" in front aside). Participants and those without a name are not counted;
- relationship: the same two ends and relation, and both or neither ended; a symmetric relation holds both ways, and
  ``parent_of`` is ``child_of`` the other way round;
- foresight: one of the words, in its statement or evidence, and its day, where it has one, from start to end (included);
- profile statement: the same person and one of the words.

Precision is the share of right items, recall that of labels found. An item for an optional label, or for one that is found
already, is left out of the count. ``typed`` is the share of the right entities whose type is right too, loosely: person,
organisation, location, or anything else; for profile statements that of right categories.

1. Read the labelled episodes that are there, and extract each.
2. Match, and count for each kind, language and part.
3. Report.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from connectors.models import open_chat_model
from evaluation.labelled_episodes import LabelledEpisode, Wanted, labelled_episodes
from evaluation.report import Report, plot_bars, print_table
from flows.cuts import (
    ExtractedEntity,
    ExtractedForesight,
    ExtractedProfileItem,
    ExtractedRelationship,
    Extraction,
    Extractor,
)
from flows.extraction import open_extractor
from mneme.settings import Settings
from mneme.text import has_cjk

KINDS = ("entities", "relationships", "foresights", "profile")
_TYPED = ("entities", "profile")
_SYMMETRIC = frozenset("married_to partner_of sibling_of friend_of colleague_of relative_of neighbour_of".split())
_INVERSE = {"parent_of": "child_of", "child_of": "parent_of"}
_SHOWN = ("kind", "part", "language", "labels", "found", "precision", "recall", "f1", "typed")

_UNNAMED = re.compile(r"['’]s? [a-z]+$|的.+")  # "Ann's husband": an end of an edge, judged there

Same = Callable[[Any, Wanted], bool]


@dataclass
class Tally:
    """Counts of one kind. ``missed`` and ``wrong`` name what they are, for a look at the errors."""

    right: int = 0
    typed: int = 0
    recalled: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Count another one in."""
        self.right += other.right
        self.typed += other.typed
        self.recalled += other.recalled
        self.missed += other.missed
        self.wrong += other.wrong

    def row(self) -> dict[str, float | int]:
        """Its figures; 0 where there is nothing to divide."""
        found, labels = self.right + len(self.wrong), self.recalled + len(self.missed)
        precision, recall = _share(self.right, found), _share(self.recalled, labels)
        return {
            "labels": labels,
            "found": found,
            "precision": precision,
            "recall": recall,
            "f1": _share(2 * precision * recall, precision + recall),
            "typed": _share(self.typed, self.right),
        }


def run_extraction(
    data: Path | None, settings: Settings, out: Path, errors: bool = False, console: Console | None = None
) -> Report:
    """Measure and report.

    Args:
        data: the folder with your copies of the data sets; None measures on the examples only.
        settings: which extractor, and its model.
        errors: whether to print what was missed and what was wrong, of the dev part only.

    Raises:
        InputError: no labelled episode is there, or a file cannot be read or written.
        SettingsError: the extractor cannot be opened.
        ModelError: from an extractor that calls a model.
    """
    console = console or Console()
    extractor = open_extractor(settings, open_chat_model(settings))
    # 1. and 2.
    episodes = labelled_episodes(data)
    tallies, seconds = measure(episodes, extractor)
    # 3.
    rows = [
        {"method": extractor.name, "kind": kind, "part": part, "language": language, **_summed(tallies, kind, part, language)}
        for kind in KINDS
        for part in ("dev", "held out")
        for language in ("en", "zh", "all")
    ]
    messages = sum(len(episode.cut.utterances) for episode in episodes)
    report = Report(
        bench="extraction",
        settings={
            "extractor": extractor.name,
            "episodes": len(episodes),
            "held_out": sum(episode.labels.held_out for episode in episodes),
            "messages": messages,
            "milliseconds_a_message": round(1000 * seconds / messages, 3),
        },
        rows=rows,
        headline={
            f"{kind}_{'held' if part == 'held out' else 'dev'}_f1": row["f1"]
            for kind in KINDS
            for part in ("dev", "held out")
            for row in rows
            if (row["kind"], row["part"], row["language"]) == (kind, part, "all")
        },
    )
    print_table(console, f"{len(episodes)} labelled episodes, extractor {extractor.name}", rows, _SHOWN)
    if errors:
        _print_errors(console, tallies)
    drawn = [{**row, "part": f"{row['part']}, {row['language']}"} for row in rows if row["language"] != "all"]
    return report.finish(console, out, partial(plot_bars, drawn, "kind", "part", "f1", title="What is extracted, F1"))


Tallies = dict[tuple[str, str, str], Tally]
"""By kind, part and language."""


def measure(episodes: Sequence[LabelledEpisode], extractor: Extractor) -> tuple[Tallies, float]:
    """Extract and match every episode; the seconds that extraction took."""
    tallies: Tallies = {}
    seconds = 0.0
    for episode in episodes:
        began = time.perf_counter()
        extraction = extractor.extract(episode.cut)
        seconds += time.perf_counter() - began
        part = "held out" if episode.labels.held_out else "dev"
        for kind, tally in zip(KINDS, compare(extraction, episode), strict=True):
            tallies.setdefault((kind, part, episode.labels.language), Tally()).add(tally)
    return tallies, seconds


def compare(extraction: Extraction, episode: LabelledEpisode) -> tuple[Tally, Tally, Tally, Tally]:
    """Tally an extraction: entities, relationships, foresights and profile."""
    labels = episode.labels
    present = {_plain(one.message.sender_name) for one in episode.cut.utterances}
    entities = [
        entity for entity in extraction.entities if _plain(entity.name) not in present and not _UNNAMED.search(entity.name)
    ]
    return (
        _tally(entities, labels.entities, _same_entity, _same_type),
        _tally(extraction.relationships, labels.relationships, _same_relationship),
        _tally(extraction.foresights, labels.foresights, _same_foresight),
        _tally(extraction.profile, labels.profile, _same_profile, _same_category),
    )


def _tally(items: Sequence[Any], labels: Sequence[Wanted], same: Same, typed: Same | None = None) -> Tally:
    tally = Tally()
    met: set[Wanted] = set()
    for item in items:
        meant = [label for label in labels if same(item, label)]
        required = [label for label in meant if not label.optional]
        if not meant:
            tally.wrong.append(_shown(item))
        elif new := [label for label in required if label not in met]:
            tally.right += 1
            tally.typed += typed is not None and any(typed(item, label) for label in new)
            met.update(new)
    tally.recalled = len(met)
    tally.missed = [
        " ".join("|".join(part) for part in label.parts) + (f" {label.day}" if label.day else "")
        for label in labels
        if not label.optional and label not in met
    ]
    return tally


# --- what is the same ------------------------------------------------------------------------------------------------


def _same_entity(entity: ExtractedEntity, label: Wanted) -> bool:
    return _names(entity.name, label.parts[0])


def _same_type(entity: ExtractedEntity, label: Wanted) -> bool:
    return _group(entity.type) in {_group(kind) for kind in label.parts[1]}


def _group(kind: str) -> str:
    kind = kind.lower().replace("organization", "organisation")
    return kind if kind in ("person", "organisation", "location") else "thing"


def _same_relationship(edge: ExtractedRelationship, label: Wanted) -> bool:
    if edge.ended != label.ended:
        return False
    source, relations, target = label.parts
    if edge.relation in relations and _names(edge.source, source) and _names(edge.target, target):
        return True
    turned = edge.relation if edge.relation in _SYMMETRIC else _INVERSE.get(edge.relation)
    return turned in relations and _names(edge.target, source) and _names(edge.source, target)


def _same_foresight(foresight: ExtractedForesight, label: Wanted) -> bool:
    if not _says(f"{foresight.statement} {foresight.evidence}", label.parts[0]):
        return False
    if label.day is None:
        return True
    start, end = foresight.start, foresight.end or foresight.start
    return start is not None and end is not None and start.date() <= label.day <= end.date()


def _same_profile(item: ExtractedProfileItem, label: Wanted) -> bool:
    return _names(item.about, label.parts[0]) and _says(item.statement, label.parts[1])


def _same_category(item: ExtractedProfileItem, label: Wanted) -> bool:
    return item.category in label.parts[2]


def _names(name: str, alternatives: Iterable[str]) -> bool:
    return _plain(name) in {_plain(alternative) for alternative in alternatives}


def _plain(name: str) -> str:
    return re.sub(r"^(?:the|an?)\s+", "", name.replace("’", "'").casefold().strip())


def _says(text: str, words: Iterable[str]) -> bool:
    """Return whether a text holds one of the words; a word of letters begins where one of the text begins."""
    lowered = text.casefold()
    return any(
        word.casefold() in lowered if has_cjk(word) else re.search(rf"(?<![^\W_]){re.escape(word.casefold())}", lowered)
        for word in words
    )


# --- figures ---------------------------------------------------------------------------------------------------------


def _summed(tallies: Tallies, kind: str, part: str, language: str) -> dict[str, float | int]:
    total = Tally()
    for (one_kind, one_part, one_language), tally in tallies.items():
        if (one_kind, one_part) == (kind, part) and language in (one_language, "all"):
            total.add(tally)
    row = total.row()
    if kind not in _TYPED:
        del row["typed"]
    return row


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _shown(item: ExtractedEntity | ExtractedRelationship | ExtractedForesight | ExtractedProfileItem) -> str:
    match item:
        case ExtractedEntity():
            return f"{item.name} ({item.type})"
        case ExtractedRelationship():
            return f"{item.source} {item.relation} {item.target}{' (ended)' if item.ended else ''}"
        case ExtractedForesight():
            return f"{item.statement} [{item.start:%Y-%m-%d}]" if item.start else item.statement
        case ExtractedProfileItem():
            return f"{item.about}: {item.statement} ({item.category})"


def _print_errors(console: Console, tallies: Tallies) -> None:
    for (kind, part, language), tally in sorted(tallies.items()):
        if part == "dev":
            lines = [
                f"{kind}, {language}",
                *(f"  missed: {one}" for one in tally.missed),
                *(f"  wrong: {one}" for one in tally.wrong),
            ]
            console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
