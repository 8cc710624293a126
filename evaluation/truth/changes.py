"""``mneme bench truth changes``: whether what is so now comes first, and what was so before is marked as ended.

1. Ingest the talks of the changes through the flow into an index of their own, without a model.
2. Ask for each present state by hybrid search and by ``ask``, a day after the last message; and ask what must not be disturbed.
3. Look at the first ten places, and at the marks on the facts, and report.

A statement stands at a place by its message and, where the message says other things too, by its words (places.py). An
ending of a fact that is not of an old statement is counted as *another ending*: nothing else in these talks ends, so each
ought to be read (``--out`` lists their ids).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from rich.console import Console

from connectors.indices import open_index
from evaluation.report import Report, Row, print_table, searched_with
from evaluation.retrieval.bench import searched
from evaluation.truth.material import (
    CHANGE_MESSAGES,
    Change,
    changes,
    disturbed,
    facts_of,
    is_ended,
    marked_ended,
    place_of,
    places_of,
    stands_before,
    told,
)
from mneme.records import AtomicFact
from mneme.rows import Collection
from mneme.settings import Settings
from queries import Memories

_DEPTH = 10
_COLUMNS = (
    "of",
    "changes",
    "present first",
    "present in ten",
    "ask tells it",
    "must end",
    "ended",
    "kept asked",
    "kept",
    "kept ended",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one change: the places of both statements, what ``ask`` answered, the marks, and what was to be kept."""

    change: Change
    new_at: int | None
    old_at: int | None
    present_first: bool
    answer: str
    abstained: bool
    ended: bool
    kept: tuple[bool, ...]
    kept_ended: tuple[bool, ...]

    @property
    def tells_present(self) -> bool:
        """True if ``ask`` tells the present state, and not the old one before it."""
        says, before = self.answer.casefold(), self.change.old.says.casefold()
        at = says.find(self.change.new.says.casefold())
        return not self.abstained and at >= 0 and before not in says[:at]


def run_changes(settings: Settings, console: Console) -> Report:
    """Check after changes in everyday words that the current fact comes first and the old one is marked as ended.

    The JSON has what came of each change.

    Raises:
        MnemeError: whatever the flow or a search raises.
    """
    asked = changes()
    # 1.
    with searched(told("truth-changes", [CHANGE_MESSAGES]), settings, console) as (own, memories, _):
        # 2.
        facts = stored_facts(own)
        by_owner: dict[str, list[AtomicFact]] = defaultdict(list)
        for fact in facts:
            by_owner[fact.owner.id].append(fact)
        outcomes = [_outcome(memories(each.question), each, by_owner[each.question.conversation]) for each in asked]
    # 3.
    others = sorted(_other_endings(asked, facts))
    rows = list(_rows(outcomes))
    print_table(console, "What is so now, in everyday words", rows, _COLUMNS)
    wrong = [_shown(each) for each in outcomes if not each.present_first]
    print_table(console, "The present state does not come first", wrong, ["change", "question", "new at", "old at"])
    return Report(
        bench="truth-changes",
        settings=searched_with(settings),
        rows=rows,
        headline=_headline(rows) | {"other_endings": len(others), "facts": len(facts)},
        parts={"changes": [_shown(each) for each in outcomes], "other endings": [{"id": each} for each in others]},
    )


def stored_facts(settings: Settings) -> list[AtomicFact]:
    """Every fact of an index that is found: one that only repeats another is not."""
    with closing(open_index(settings, read_only=True)) as index:
        records = [row.record() for row in index.scan(Collection.FACTS) if row.kind == "fact"]
    return sorted((each for each in records if isinstance(each, AtomicFact)), key=lambda fact: fact.id)


def _outcome(memories: Memories, change: Change, facts: Sequence[AtomicFact]) -> Outcome:
    text, owner = change.question.text, change.question.owner
    places = places_of(memories.search(text, filters=owner, top_k=_DEPTH))
    answer = memories.ask(text, filters=owner)
    kept = []
    for one in change.undisturbed:
        found = places_of(memories.search(one.question, filters=owner, top_k=_DEPTH))
        at = place_of(one.answer, found)
        # The change itself may not lead; where it says the answer too, it may.
        leads = one.answer.message_id == change.new.message_id or stands_before(one.answer, change.new, found)
        kept.append(leads and at is not None and at <= 3)
    return Outcome(
        change,
        place_of(change.new, places),
        place_of(change.old, places),
        stands_before(change.new, change.old, places),
        answer.answer,
        answer.abstained,
        marked_ended(change.old, facts),
        tuple(kept),
        tuple(disturbed(one.answer, facts) for one in change.undisturbed),
    )


def _other_endings(asked: Sequence[Change], facts: Sequence[AtomicFact]) -> Iterator[str]:
    """Ids of the facts that are marked as ended and are no old state."""
    old = {fact.id for change in asked for fact in facts_of(change.old, facts)}
    return (fact.id for fact in facts if is_ended(fact) and fact.id not in old)


def _rows(outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """A row for each group; those of several languages for each language as well."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for each in outcomes:
        name = each.change.question.category
        several = name != "assistant"
        if name != "everyday":
            groups[name].append(each)
        if several:
            groups[f"{name} {each.change.language}"].append(each)
    for name, some in groups.items():
        ending = [each for each in some if each.change.must_end]
        yield {
            "of": name,
            "changes": len(some),
            "present first": sum(each.present_first for each in some),
            "present in ten": sum(each.new_at is not None for each in some),
            "ask tells it": sum(each.tells_present for each in some),
            "must end": len(ending),
            "ended": sum(each.ended for each in ending),
            "kept asked": sum(len(each.kept) for each in some),
            "kept": sum(sum(each.kept) for each in some),
            "kept ended": sum(sum(each.kept_ended) for each in some),
        }


def _headline(rows: Sequence[Row]) -> dict[str, str | float | int]:
    headline: dict[str, str | float | int] = {}
    for row in rows:
        if row["of"] in ("everyday en", "everyday zh", "assistant", "languages"):
            name = str(row["of"]).replace(" ", "_")
            headline |= {name: f"{row['present first']}/{row['changes']}", f"{name}_ended": f"{row['ended']}/{row['must end']}"}
    main = [row for row in rows if not str(row["of"]).startswith("languages ")]
    kept, asked, ended = (sum(int(row[column]) for row in main) for column in ("kept", "kept asked", "kept ended"))
    return headline | {"kept": f"{kept}/{asked}", "kept_ended": ended}


def _shown(outcome: Outcome) -> dict[str, str | int]:
    change = outcome.change
    return {
        "change": change.question.id,
        "question": change.question.text,
        "new at": outcome.new_at or "-",
        "old at": outcome.old_at or "-",
        "first": int(outcome.present_first),
        "answer": "" if outcome.abstained else outcome.answer,
        "told": int(outcome.tells_present),
        "ended": int(outcome.ended),
        "kept": f"{sum(outcome.kept)}/{len(outcome.kept)}",
        "kept ended": sum(outcome.kept_ended),
    }
