"""Written cases, run through the steps of the flow: what is remembered of a conversation, and what is wrong with it.

python -m tests.cases.runner [--model] [CLASS ...]
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from flows.consistency.judge import Judge, ModelJudge
from flows.cuts import Extractor
from flows.extraction import LocalExtractor, ModelExtractor
from flows.items import Arrived
from mneme.records import AtomicFact, Foresight, Position, Relationship
from mneme.rows import Collection
from mneme.settings import Extraction
from mneme.times import zone
from tests.cases.case import Case, cases, word_pattern
from tests.cases.scripted import ScriptedChat
from tests.flows.river import River
from tests.memory_index_reference import ReferenceIndex

# --- what is remembered ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CaseStatement:
    """A fact or foresight: its text and own words, its local days, and whether it holds at the end."""

    text: str
    first: date | None
    last: date | None
    holds: bool
    over: bool
    sources: int
    own: str

    def has(self, words: Sequence[str]) -> bool:
        """Whether all words are in it."""
        return all(word_pattern(word).search(self.text) for word in words)

    def says(self, words: Sequence[str]) -> bool:
        """Whether all words are in its own, without what a quote takes along of what was said before."""
        return all(word_pattern(word).search(self.own) for word in words)


@dataclass(frozen=True)
class Outcome:
    """Everything in the index after a case."""

    statements: list[CaseStatement]
    edges: set[tuple[str, str, str]]
    quoted: bool

    def mistakes(self, case: Case) -> Iterator[str]:
        """What is not as the case says."""
        current = [each for each in self.statements if each.holds]
        for wanted in case.fields.get("holds", ()):
            words = self._words(wanted)
            having = [each for each in current if each.has(words)]
            if not having:
                yield f"nothing holds with {words}"
            elif "on" in wanted and not any(_happens(each, wanted, self.quoted) for each in having):
                yield f"{words} is not on {wanted['on']}..{wanted.get('until', '')} but {_days(having)}"
        for wanted in case.fields.get("over", ()):
            words = self._words(wanted)
            if not any(each.over and each.has(words) for each in self.statements):
                yield f"nothing is over with {words}"
        for wanted in case.fields.get("never", ()):
            words = self._words(wanted)
            if wrong := [each.text for each in current if each.says(words)]:
                yield f"{words} must not hold: {wrong[0]}"
        for wanted in case.fields.get("merged", ()):
            words = self._words(wanted)
            having = [each.sources for each in current if each.has(words)]
            # Quotes in other words each stay; of those in the same words one does.
            if having != [wanted["sources"]] and not (self.quoted and having and sum(having) == wanted["sources"]):
                yield f"{words} has sources {having}, not [{wanted['sources']}]"
        for edge in case.fields.get("edges", ()):
            if not any(_fits(edge, each) for each in self.edges):
                yield f"no edge {edge}"
        for edge in case.fields.get("no_edges", ()):
            if wrong_edges := [each for each in self.edges if _fits(edge, each)]:
                yield f"edge {wrong_edges[0]} must not be"

    def _words(self, wanted: dict[str, Any]) -> list[str]:
        """What is looked for: where facts are quotes, the words that were said."""
        words: list[str] = wanted.get("said", wanted["words"]) if self.quoted else wanted["words"]
        return words


def outcome_of(case: Case, extractor: Extractor, judge: Judge | None) -> Outcome:
    """The case through embed, segment, extract, reconcile and write: one episode for each conversation."""
    river = River(ReferenceIndex(), extractor=extractor, judge=judge)
    messages = case.messages
    for number, message in enumerate(messages):
        if number and message.conversation_id != messages[number - 1].conversation_id:
            river.end()
        river.feed(
            Arrived(message.stored(message.owner, Position(topic="cases", partition=0, offset=number), message.sent_at, 1))
        )
    river.end()
    assert not river.letters.letters, river.letters.letters
    index, end = river.index, messages[-1].sent_at
    index.refresh()
    zones = {message.message_id: zone(message.timezone or "UTC") for message in messages}
    statements, edges = [], set()
    for record in (row.record() for part in Collection if part is not Collection.CONTROL for row in index.scan(part)):
        match record:
            case AtomicFact(atomic_fact=text, event_at=first, event_until=until, claims=claims):
                pass
            case Foresight(statement=text, start=first, end=until, claims=claims):
                pass
            case Relationship(validity=validity):
                if validity.valid_to is None or validity.valid_to > end:
                    edges.add((record.source, record.relation, record.target))
                continue
            case _:
                continue
        local, validity = zones[record.message_ids[0]], record.validity
        statements.append(
            CaseStatement(
                text,
                first.astimezone(local).date() if first else None,
                (until - timedelta(microseconds=1)).astimezone(local).date() if until else None,
                validity.merged_into is None and (validity.valid_to is None or validity.valid_to > end),
                validity.merged_into is not None
                or validity.valid_to is not None
                or any(claim.valid_to is not None for claim in claims),
                len({*record.message_ids, *validity.also_said_in}),
                record.words,
            )
        )
    return Outcome(statements, edges, quoted=judge is None)


def _happens(held: CaseStatement, wanted: dict[str, Any], quoted: bool) -> bool:
    if wanted["on"] is None or (quoted and wanted.get("unsure") and held.first is None):
        return held.first is None
    days = (date.fromisoformat(wanted["on"]), date.fromisoformat(wanted.get("until", wanted["on"])))
    return (held.first, held.last) == days


def _days(found: Sequence[CaseStatement]) -> str:
    return ", ".join(f"{each.first}..{each.last} ({each.text})" for each in found)


def _fits(edge: Sequence[str], found: Sequence[str]) -> bool:
    return all(wanted in ("*", value) for wanted, value in zip(edge, found, strict=True))


# --- the report ------------------------------------------------------------------------------------------------------


def mistakes(case: Case, by_model: bool = False) -> list[str]:
    """What is wrong with a case by rules alone, or by the model's way. Of graphs the scripted model tells nothing."""
    if not by_model:
        return list(outcome_of(case, LocalExtractor(), None).mistakes(case))
    case = Case(case.name, case.kind, case.unseen, {**case.fields, "edges": (), "no_edges": ()})
    chat = ScriptedChat(case)
    extractor = ModelExtractor(chat, Extraction(), "scripted")
    return list(outcome_of(case, extractor, ModelJudge(chat)).mistakes(case))


def shares(found: Sequence[tuple[Case, list[str]]]) -> dict[str, float]:
    """The share of each class that is right."""
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for case, wrong in found:
        right[case.kind].append(not wrong)
    return {kind: sum(each) / len(each) for kind, each in sorted(right.items())}


def main(arguments: Sequence[str]) -> None:
    """Print every failure, then the shares of each class, seen and unseen."""
    model = "--model" in arguments
    chosen = cases(*[each for each in arguments if each != "--model"])
    found = [(case, mistakes(case, model)) for case in chosen]
    for case, wrong in found:
        for each in wrong:
            print(f"{case.name}{' (unseen)' if case.unseen else ''}: {each}")
    counts: Counter[tuple[str, str, bool]] = Counter()
    for case, wrong in found:
        counts[case.kind, "unseen" if case.unseen else "seen", not wrong] += 1
    for kind, share in shares(found).items():
        parts = [
            f"{part} {counts[kind, part, True]}/{counts[kind, part, True] + counts[kind, part, False]}"
            for part in ("seen", "unseen")
        ]
        print(f"{kind:18} {share:6.1%}  {'  '.join(parts)}")


if __name__ == "__main__":
    main(sys.argv[1:])
