"""Facts that are corrected and retracted: events of a conversation, which change what was made of some of its words."""

from collections.abc import Sequence
from itertools import permutations

import pytest

from evaluation.pools import at_once
from flows.boundaries.semantic import SemanticDetector
from flows.decode import decode
from flows.extraction import LocalExtractor
from flows.items import Amendment, Arrived
from flows.lanes.parked_events import amendment_in, amendment_row
from mneme.events import Correct, Retract
from mneme.ports import Incoming
from mneme.records import AtomicFact, Position, StoredMessage
from mneme.rows import Collection, Row
from mneme.settings import Boundaries
from tests.flows.river import START, OneFactEach, River, contents, edit, forget, message
from tests.memory_index_reference import ReferenceIndex

ROME, DOG = "I live in Rome.", "My dog is called Bella."
MILAN = "I live in Milan."
LATER = START.replace(hour=18)


def correct(number: int, offset: int, words: str = ROME, content: str = MILAN, message_id: str = "c1", **at: int) -> list:
    event = Correct(
        conversation_id="talk",
        user_id="ann",
        sender_name="Ann",
        message_id=message_id,
        sent_at=LATER.replace(**at),
        content=content,
        corrects=f"m{number:03d}",
        words=words,
    )
    return list(decode(Incoming(event.to_bytes(), Position(topic="t", partition=0, offset=offset), LATER), buckets=1))


def retract(number: int, offset: int, words: str = ROME, conversation: str = "talk") -> Amendment:
    event = Retract(conversation_id=conversation, message_id=f"m{number:03d}", words=words)
    [amendment] = decode(Incoming(event.to_bytes(), Position(topic="t", partition=0, offset=offset), LATER), buckets=1)
    assert isinstance(amendment, Amendment)
    return amendment


def river() -> River:
    return River(ReferenceIndex(), detector=SemanticDetector(Boundaries()), extractor=LocalExtractor())


def told(*items: object) -> River:
    flow = river()
    for item in items:
        flow.feed(*(item if isinstance(item, list) else [item]))
    flow.end()
    return flow


def facts(flow: River) -> dict[str, AtomicFact]:
    """The facts that a search may find, by their words."""
    flow.index.refresh()
    rows = [row for row in flow.index.scan(Collection.FACTS) if row.kind == "fact"]
    return {record.words: record for row in rows if isinstance(record := row.record(), AtomicFact)}


def everything(flow: River) -> str:
    """All that the index holds, hidden or not, as one text."""
    flow.index.refresh()
    return "\n".join(str((row.body, row.tokens)) for each in Collection for row in flow.index.scan(each))


def stored(flow: River, number: int) -> StoredMessage:
    flow.index.refresh()
    [record] = [row.record() for row in flow.index.scan(Collection.MESSAGES) if row.id.endswith(f"m{number:03d}")]
    assert isinstance(record, StoredMessage)
    return record


TALK = [
    message(1, f"{ROME} {DOG}"),
    message(2, "The weather is lovely in spring."),
    message(3, "I work at Acme as a baker."),
]


def test_a_correction_is_a_fact_in_the_place_of_the_one_it_corrects() -> None:
    flow = told(*TALK, correct(1, 10))
    found = facts(flow)
    old, new = found[ROME], found[MILAN]
    assert (old.validity.valid_to, old.validity.superseded_by) == (LATER, new.id)
    assert old.claims == (), "it claims nothing any more"
    assert new.validity.valid_to is None
    assert new.quote is not None
    assert new.quote.context is new.quote.question is None, "it answers nothing of what was said before"
    assert found[DOG].validity.valid_to is None, "what else the message says stays"
    assert stored(flow, 1).text == f"{ROME} {DOG}", "what was said stays as it was said"


def test_what_is_derived_follows_the_correction() -> None:
    flow = told(*TALK, correct(1, 10))
    rows = [row.body for row in flow.index.scan(Collection.MEMORIES) if row.kind == "profile"]
    [profile] = rows
    lines = " ".join(line["statement"] for line in profile["explicit"])
    assert "Milan" in lines
    assert "Rome" not in lines
    edges = {(row.body["relation"], row.body["target"]) for row in flow.index.scan(Collection.GRAPH) if "relation" in row.body}
    assert ("lives_in", "Milan") in edges
    assert ("lives_in", "Rome") not in edges


def test_a_correction_may_be_corrected_and_one_that_goes_brings_nothing_back() -> None:
    again = correct(0, 11, MILAN, "I live in Turin.", "c2", minute=5)
    again = [*again[:1], *(Amendment(**{**_fields(each), "message_id": "c1"}) for each in again[1:])]
    flow = told(*TALK, correct(1, 10), again)
    found = facts(flow)
    assert found[ROME].validity.superseded_by == found[MILAN].id
    assert found[MILAN].validity.superseded_by == found["I live in Turin."].id
    gone = Amendment(**{**_fields(retract(0, 12, "I live in Turin.")), "message_id": "c2"})
    flow.feed(gone)
    flow.end()
    assert "Turin" not in everything(flow)
    assert facts(flow)[MILAN].validity.valid_to is not None, "it was wrong, whatever is right"


def _fields(amendment: Amendment) -> dict:
    return {name: getattr(amendment, name) for name in Amendment.__dataclass_fields__}


def test_what_was_retracted_is_in_no_row_at_all() -> None:
    flow = told(*TALK, retract(1, 10))
    assert "Rome" not in everything(flow)
    assert "rome" not in everything(flow)
    assert DOG in facts(flow)
    assert stored(flow, 1).text == DOG
    assert contents_but_words(flow) == contents_but_words(told(message(1, DOG), *TALK[1:]))


def contents_but_words(flow: River) -> dict:
    return {
        identity: {name: value for name, value in body.items() if name not in ("retracted", "corrected")}
        for identity, body in contents(flow.index).items()
    }


def test_a_message_that_says_nothing_else_is_deleted() -> None:
    flow = told(*TALK, retract(3, 10, "I work at Acme as a baker."))
    assert stored(flow, 3).deleted
    assert "Acme" not in everything(flow)
    assert contents_but_words(flow) == contents_but_words(told(*TALK[:2]))


def test_a_part_of_a_quote_may_be_corrected_and_its_other_part_still_holds() -> None:
    flow = told(message(1, f"{DOG} {ROME}"), correct(1, 10))
    assert facts(flow)[ROME].validity.valid_to == LATER
    assert facts(flow)[DOG].validity.valid_to is None


@pytest.mark.parametrize("again", [lambda: correct(1, 20), lambda: [retract(1, 20)]])
def test_what_arrives_twice_counts_once(again: object) -> None:
    first = [*again()]  # type: ignore[operator]
    once, twice = told(*TALK, first), told(*TALK, first)
    twice.feed(*again())  # type: ignore[operator]
    twice.end()
    assert contents(twice.index) == contents(once.index)
    assert not twice.letters.letters


def test_changes_of_one_message_that_come_together_build_on_each_other() -> None:
    together = told([*TALK, *correct(1, 10), retract(1, 11, DOG), retract(1, 12)])
    assert "Rome" not in everything(together)
    assert "Bella" not in everything(together)
    assert stored(together, 1).deleted
    assert MILAN in facts(together)


def test_changes_of_one_message_wait_for_one_another_in_the_pool() -> None:
    waiting: list = []

    def later(call: object) -> object:
        """A pool that works only when it is told."""
        from concurrent.futures import Future

        future: Future = Future()
        waiting.append((call, future))
        return future

    flow = River(ReferenceIndex(), detector=SemanticDetector(Boundaries()), extractor=LocalExtractor(), submit=later)  # type: ignore[arg-type]

    def work() -> None:
        jobs, waiting[:] = waiting[:], []
        for call, future in jobs:
            done = at_once(call)
            future.set_exception(done.exception()) if done.exception() else future.set_result(done.result())

    flow.feed(*TALK)
    work()
    flow.turn()
    flow.feed(retract(1, 11, DOG), *correct(1, 12))
    for _ in range(50):
        work()  # both read the message as it was
        flow.wait(0.1)
    assert stored(flow, 1).text == ROME
    assert list(stored(flow, 1).corrected) == [ROME]


def test_the_order_of_conversations_makes_no_difference() -> None:
    """What one said in another conversation, before and after: told in any order it is the same."""
    earlier = message(1, ROME, "earlier", after=-600)
    after = message(1, ROME, "after", after=24 * 3600)
    parts: list[Sequence[object]] = [[message(1, ROME), correct(1, 10)], [earlier], [after]]
    found = [contents(told(*(item for part in order for item in part)).index) for order in permutations(parts)]
    assert all(each == found[0] for each in found)
    flow = told(*(item for part in parts for item in part))
    holding = [row.id for row in flow.index.scan(Collection.FACTS) if _is_rome(row) and row.valid_to is None]
    assert [identity.split("/")[1] for identity in holding] == ["after"], "what is said again later is news"


def _is_rome(row: Row) -> bool:
    return row.kind == "fact" and row.body["quote"]["words"] == ROME


def test_words_that_nobody_said_are_a_dead_letter_and_the_message_stays() -> None:
    flow = told(*TALK, retract(1, 10, "I live in Paris."), retract(9, 11))
    reasons = [letter.reason for letter in flow.letters.letters]
    assert "does not say these words" in reasons[0]
    assert "is not known here" in reasons[1]
    assert stored(flow, 1).text == f"{ROME} {DOG}"


def test_an_edit_says_the_message_anew_but_what_was_corrected_stays_wrong() -> None:
    flow = told(*TALK, correct(1, 10), retract(1, 11, DOG), edit(1, f"{ROME} {DOG} Hello!", 12))
    assert facts(flow)[ROME].validity.valid_to == LATER
    assert any(DOG in words for words in facts(flow))


@pytest.mark.parametrize("change", [lambda: correct(1, 10), lambda: [retract(1, 10)]])
def test_a_crash_changes_nothing(change: object) -> None:
    whole = told(*TALK, change())  # type: ignore[operator]
    for crash_behind in range(3):
        flow = river()
        flow.feed(*TALK)
        flow.epoch()
        flow.feed(*change())  # type: ignore[operator]
        if crash_behind:
            flow.end()
        if crash_behind == 2:
            flow.epoch()
        flow.crash()
        flow.end()
        assert contents(flow.index) == contents(whole.index)


def test_a_forgotten_conversation_takes_its_corrections_along() -> None:
    flow = told(*TALK, correct(1, 10), forget(11))
    assert flow.receipt("gone") is not None
    assert "Milan" not in everything(flow)
    assert contents(flow.index) == {}


class InOtherWords(OneFactEach):
    """Writes its facts itself, as a model does."""

    calls_a_model = True

    def extract(self, cut: object) -> object:  # type: ignore[override]
        from dataclasses import replace

        found = super().extract(cut)  # type: ignore[arg-type]
        return replace(found, facts=tuple(replace(each, statement=f"Ann said: {each.statement}") for each in found.facts))


def test_what_a_model_wrote_is_corrected_and_not_made_again_once_it_is_retracted() -> None:
    for change, left in ((correct(1, 10, "Ann said: a"), {"Ann said: a": False}), ([retract(1, 10, "Ann said: a")], {})):
        flow = River(ReferenceIndex(), extractor=InOtherWords())  # type: ignore[arg-type]
        flow.feed(message(1, "a"), message(2, "b"))
        flow.feed(*change)
        flow.end()
        holds = {words: fact.validity.valid_to is None for words, fact in facts(flow).items()}
        assert {words: each for words, each in holds.items() if words.endswith(": a")} == left
        assert holds["Ann said: b"]


def test_a_waiting_change_is_read_again_from_its_row() -> None:
    for amendment in (correct(1, 10)[1], retract(1, 10)):
        assert amendment_in(amendment_row(amendment, 1)) == amendment


def test_a_correction_is_a_message_and_a_change() -> None:
    arrived, amendment = correct(1, 10)
    assert isinstance(arrived, Arrived)
    assert (arrived.message.text, arrived.message.corrects) == (MILAN, "m001")
    assert isinstance(amendment, Amendment)
    assert amendment.corrected is not None
    assert amendment.corrected.by.startswith("default/talk/")
