"""Erasing a conversation, or an owner: nothing is left, nothing else is touched, and what is older stays out."""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.items import Arrived, Erasure, Pause
from flows.lanes.scheduling import NotReady
from mneme.ports import Filter, Put, Remove, Scope, Write, WriteResult
from mneme.records import Owner, Position
from mneme.rows import Collection, Row
from tests.flows.river import START, River, contents, document, edit, episodes, erase, few, forget, lucks, message
from tests.flows.test_river_chaos import SlowPool
from tests.memory_index_reference import ReferenceIndex

ANN = Owner(tenant_id="default", type="user", id="ann")


def talk(conversation: str = "talk", first: int = 0, **fields: str) -> list[Arrived]:
    texts = [f"coffee with Bob in {conversation}", "NEW topic: Paris", "rain in Paris", "NEW job at Acme"]
    return [message(first + at, text, conversation, **fields) for at, text in enumerate(texts)]


def everything(index: ReferenceIndex) -> list[Row]:
    """All rows, hidden ones and those of the flow itself included, but the tombstones and receipts, which name nobody."""
    index.refresh()
    return [row for place in Collection for row in index.scan(place) if row.kind not in ("erased", "erasure", "flush")]


def test_of_a_forgotten_conversation_nothing_is_left_and_of_the_others_everything() -> None:
    flow, clean = River(ReferenceIndex()), River(ReferenceIndex())
    flow.feed(*talk(), *talk("other", 10))
    flow.end()
    flow.feed(forget(20))
    flow.settle()
    clean.feed(*talk("other", 10))
    clean.end()
    assert contents(flow.index) == contents(clean.index)
    assert not [row.id for row in everything(flow.index) if "talk" in row.id or "talk" in str(row.body)]
    assert (receipt := flow.receipt("gone")) is not None
    assert receipt["removed"] == {
        "messages": 4,
        "episodes": 3,
        "facts": 4,
        "control": 2,
        "answers": 0,
        "claims": 0,
        "dead_letters": 0,
    }


def test_what_only_a_forgotten_conversation_told_leaves_the_shared_records_of_its_owner() -> None:
    flow = River(ReferenceIndex())
    flow.feed(message(0, "Bob likes Paris", "talk"), message(1, "Bob paints", "other"))
    flow.end()
    [bob] = [row for row in flow.index.scan(Collection.GRAPH) if row.body["name"] == "Bob"]
    assert len(bob.body["mentions"]) == 2
    flow.feed(forget(20))
    flow.settle()
    flow.index.refresh()
    assert {row.body["name"] for row in flow.index.scan(Collection.GRAPH)} == {"Bob"}
    [bob] = flow.index.scan(Collection.GRAPH)
    assert [mention["text"] for mention in bob.body["mentions"]] == ["Bob in Bob paints"]


def test_a_fact_that_a_forgotten_one_had_ended_holds_again() -> None:
    flow = River(ReferenceIndex())
    flow.feed(message(0, "I live in Paris", "other"), message(1, "I moved to Rome", "talk"))
    flow.end()
    before = {row.body["atomic_fact"]: row.valid_to for row in flow.index.scan(Collection.FACTS)}
    flow.feed(forget(20))
    flow.settle()
    flow.index.refresh()
    [fact] = flow.index.scan(Collection.FACTS)
    assert fact.valid_to is None
    assert before.keys() == {"I live in Paris", "I moved to Rome"}


def test_of_an_erased_owner_nothing_is_left() -> None:
    flow, clean = River(ReferenceIndex()), River(ReferenceIndex())
    eve = talk("eve's", 10, user_id="eve")
    flow.feed(*talk(), *eve, *talk("other", 20), erase(30))
    flow.end()
    clean.feed(*eve)
    clean.end()
    assert contents(flow.index) == contents(clean.index)
    assert not [row.id for row in everything(flow.index) if row.owner_id == "ann" or "/talk" in row.id or "/other" in row.id]
    scope = Filter("default", (ANN.key,), hidden=True)
    assert sum(flow.index.count(place, scope) for place in Collection) == 0
    assert (receipt := flow.receipt("gone")) is not None
    assert receipt["removed"]["messages"] == 8


def test_the_traces_outside_the_index_are_erased_with_what_they_are_about() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), erase(30, erasure_id="all"))
    flow.end()
    flow.feed(*talk("second", 40, after=90_000), forget(50, "second", erasure_id="one"))
    flow.settle()
    assert flow.letters.erased == [Scope("default", ("talk",), ANN), Scope("default", ("second",), None)]
    assert [erased.erasure.erasure_id for erased in flow.answers_erased] == ["all", "one"]
    assert [erased.erasure.owner for erased in flow.answers_erased] == [ANN, ANN]


def test_an_erasure_of_what_nobody_knows_is_acknowledged_all_the_same() -> None:
    flow = River(ReferenceIndex())
    flow.feed(forget(0, "never seen", erasure_id="a"), erase(1, "nobody", erasure_id="b"))
    flow.settle()
    assert flow.receipt("a") is not None
    assert flow.receipt("b") is not None


def test_what_is_older_than_an_erasure_stays_out_and_what_is_newer_begins_anew() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), forget(20))
    flow.end()
    older = message(5, "Zebra again", after=300)  # from another partition, behind the erasure, but it had arrived before
    other_place = older.message.position.model_copy(update={"partition": 1, "offset": 77})
    flow.feed(Arrived(older.message.model_copy(update={"position": other_place})))
    newer, erased = message(21, "hello again").message, talk()[0].message
    same_id = {"id": erased.id, "message_id": erased.message_id}
    flow.feed(Arrived(newer.model_copy(update=same_id)))
    flow.end()
    assert [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)] == ["hello again"]
    assert episodes(flow.index) == [("m000",)]
    assert flow.tally["erased"] == 1


def test_older_messages_stay_out_after_a_restart_too() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), forget(20))
    flow.end()
    flow.epoch()
    flow.crash()
    flow.feed(*talk())
    flow.end()
    assert contents(flow.index) == {}
    assert not [row for row in everything(flow.index) if row.kind == "conversation"]


def test_a_message_of_the_same_moment_behind_the_erasure_is_newer() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), forget(20))
    behind = message(21, "hello", after=86_400)
    assert behind.message.created_at == START + timedelta(days=1)
    flow.feed(behind)
    flow.end()
    assert episodes(flow.index) == [("m021",)]


def test_an_edit_that_is_older_than_an_erasure_leaves_no_dead_letter_with_its_text() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), forget(20))
    flow.end()
    flow.feed(edit(1, "Zebra secrets", 30, topic="backfill"))
    flow.settle()
    flow.epoch()
    flow.crash()
    flow.feed(edit(1, "Zebra secrets", 31, topic="backfill"))
    flow.settle()
    assert flow.letters.letters == []
    assert "Zebra" not in str([row.body for row in everything(flow.index)])


def elsewhere(number: int, text: str) -> Arrived:
    """A message of another partition than that of erasures."""
    came = message(number, text).message
    return Arrived(came.model_copy(update={"position": came.position.model_copy(update={"topic": "backfill"})}))


@pytest.mark.parametrize("is_known", [False, True], ids=["its message came behind the erasure, too", "its message had come"])
@pytest.mark.parametrize("has_restarted", [False, True])
def test_an_edit_that_is_older_than_the_erasure_of_its_owner_leaves_nothing(is_known: bool, has_restarted: bool) -> None:
    flow = River(ReferenceIndex())
    flow.feed(*([elsewhere(1, "hello")] if is_known else []), erase(20))
    flow.end()
    if has_restarted:
        flow.epoch()
        flow.crash()
    flow.feed(elsewhere(1, "hello"), edit(1, "Zebra secrets", 30, topic="backfill"))
    flow.settle()
    assert flow.letters.letters == []
    assert "Zebra" not in str([row.body for row in everything(flow.index)])
    assert flow.tally["erased"] == 2


def test_an_edit_behind_an_erasure_still_tells_that_its_message_is_not_known() -> None:
    flow = River(ReferenceIndex())
    newer = replace(edit(1, "hello", 30, topic="backfill"), received_at=START + timedelta(days=2))
    before_a_forget = edit(3, "hello", 31, topic="backfill")  # of another conversation: that names whose it is
    flow.feed(forget(19, "other"), before_a_forget)
    flow.settle()
    flow.feed(erase(20), newer)
    flow.settle()
    flow.epoch()
    flow.crash()
    flow.feed(edit(1, "in the same partition", 40), replace(newer, message_id="m002"))
    flow.settle()
    assert [letter.stage for letter in flow.letters.letters] == ["embed"] * 4


@pytest.mark.parametrize("erasure", [erase(20), erase(20, "bob"), forget(20)], ids=["owner", "another owner", "conversation"])
@pytest.mark.parametrize("has_restarted", [False, True])
def test_an_edit_in_a_file_of_an_unknown_message_is_told_but_not_kept_where_it_may_be_erased(
    erasure: Erasure, has_restarted: bool
) -> None:
    flow = River(ReferenceIndex())
    flow.feed(erasure)
    flow.settle()
    if has_restarted:
        flow.epoch()
        flow.crash()
    flow.feed(replace(edit(30, "Zebra secrets", 1, topic="file:a"), received_at=None))
    flow.settle()
    [letter] = flow.letters.letters
    assert (str(letter.position), letter.raw, flow.tally["erased"]) == ("file:a/0/1", b"", 0)
    assert "not known here" in letter.reason
    assert "talk" not in letter.reason, "not even its conversation is told"
    assert "Zebra" not in str([row.body for row in everything(flow.index)])


@pytest.mark.parametrize("has_restarted", [False, True])
def test_edits_in_a_file_of_a_message_that_is_kept_out_go_with_it_at_once(has_restarted: bool) -> None:
    flow = River(ReferenceIndex())
    flow.feed(erase(20))
    flow.settle()
    if has_restarted:
        flow.epoch()
        flow.crash()
    began, in_a_file = flow.now, Position(topic="file:a", partition=0, offset=0)
    edits = [replace(edit(1, "Zebra secrets", offset, topic="file:a"), received_at=None) for offset in (1, 2)]
    flow.feed(Arrived(message(1, "hello").message.model_copy(update={"position": in_a_file})), *edits)
    flow.settle()
    assert flow.now - began < timedelta(seconds=30), "none waits for a message that does not come"
    assert (flow.letters.letters, flow.tally["erased"]) == ([], 3)
    assert "Zebra" not in str([row.body for row in everything(flow.index)])


def test_an_edit_in_a_file_is_as_new_as_its_message() -> None:
    flow = River(ReferenceIndex())
    flow.feed(erase(20))
    flow.settle()
    newer, in_a_file = message(30, "hello", after=172_800).message, Position(topic="file:a", partition=0, offset=0)
    change = edit(30, "hello again", 1, topic="file:a")
    flow.feed(Arrived(newer.model_copy(update={"position": in_a_file})), replace(change, received_at=None))
    flow.end()
    assert [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)] == ["hello again"]


def test_a_conversation_that_was_erased_may_begin_again_with_another_owner() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*talk(), forget(20), message(21, "mine now", user_id="eve"), message(22, "still mine", user_id="ann"))
    flow.end()
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"eve"}
    flow.epoch()
    flow.forget_conversations()
    flow.feed(message(23, "and mine", user_id="ann"))
    flow.end()
    assert {row.owner_id for row in everything(flow.index) if row.collection is not Collection.CONTROL} == {"eve"}


@pytest.mark.parametrize("erased", ["conversation", "owner", "owner, then another"])
@pytest.mark.parametrize("restart", ["none", "behind an epoch", "before one"])
def test_a_conversation_that_begins_anew_behind_an_erasure_is_erased_again(erased: str, restart: str) -> None:
    flow = River(ReferenceIndex())
    who = "eve" if erased == "owner, then another" else "ann"
    once, again = (forget(20), forget(40)) if erased == "conversation" else (erase(20), erase(40, who))
    flow.feed(*talk(), once)
    flow.end()
    if restart != "none":
        if restart == "behind an epoch":
            flow.epoch()
        flow.crash()
    flow.feed(*talk(first=30, user_id=who), replace(again, erasure_id="again"))
    flow.end()
    assert flow.receipt("again") is not None
    assert everything(flow.index) == []


def test_a_conversation_is_erased_whose_messages_are_read_again_between_the_erasure_and_its_sweep() -> None:
    pool = SlowPool(random.Random(0))
    flow = River(ReferenceIndex(), submit=pool)

    def work(seconds: int) -> None:
        for _ in range(10 * seconds):
            pool.work(4)
            flow.wait(0.1)

    flow.feed(message(0, "coffee"))
    work(seconds=2)  # it is stored, and in no episode yet
    flow.feed(erase(30))  # from here on its tombstone keeps out what is older
    pool.abandon()
    flow.crash()
    work(seconds=10)
    assert flow.receipt("gone") is not None
    assert everything(flow.index) == []


def test_a_conversation_whose_older_messages_are_kept_out_meanwhile_is_erased_again() -> None:
    calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def later(call: Callable[[], Any]) -> "Future[Any]":
        calls.append((future := Future[Any](), call))
        return future

    flow = River(ReferenceIndex())
    flow.feed(forget(20))
    flow.end()
    flow.epoch()
    flow._submit = later
    flow.crash()
    flow.feed(message(0, "read again"))
    flow.feed(message(21, "begun anew"))
    (older, keep_out), (newer, admit_it) = calls
    older.set_result(keep_out())
    admitted = admit_it()
    flow.wait(1.0)
    calls.clear()
    flow.feed(forget(22, erasure_id="again"))
    newer.set_result(admitted)  # and a thread may look whose the conversation is before that is stored
    for future, call in calls:
        future.set_result(call())
    while flow.receipt("again") is None:
        flow.wait(1.0)
        for future, call in calls:
            if not future.done():
                future.set_result(call())
    assert everything(flow.index) == []


class HeldPool:
    """A pool that works at once, or while it ``holds`` only when the test says so."""

    def __init__(self) -> None:
        self.holds = False
        self._held: list[tuple[Future[Any], Callable[[], Any]]] = []

    def __call__(self, call: Callable[[], Any]) -> "Future[Any]":
        self._held.append((future := Future[Any](), call))
        if not self.holds:
            self.work()
        return future

    def work(self) -> None:
        """Do the newest job that it holds."""
        future, call = self._held.pop()
        try:
            future.set_result(call())
        except NotReady as later:
            future.set_exception(later)


def owners_of_conversations(flow: River) -> dict[str | None, str]:
    return {row.conversation_id: row.body["owner"]["id"] for row in everything(flow.index) if row.kind == "conversation"}


def test_an_erased_owner_takes_no_conversation_along_that_is_another_owners() -> None:
    pool = HeldPool()
    flow = River(ReferenceIndex(), submit=pool)
    flow.feed(*talk())
    flow.end()
    for _ in range(5):  # embed has forgotten whose it is
        flow.wait(60.0)
        flow.epoch()
    flow.feed(erase(30, "eve"))
    pool.holds = True
    flow.feed(message(31, "Eve writes to Ann's", user_id="eve"))
    pool.holds = False
    while flow.receipt("gone") is None:
        flow.wait(1.0)
    pool.work()
    flow.end()
    assert owners_of_conversations(flow) == {"talk": "ann"}
    assert {row.owner_id for row in flow.index.scan(Collection.MESSAGES)} == {"ann"}
    assert [letter.stage for letter in flow.letters.letters] == ["embed"]
    assert [erased.conversation_ids for erased in flow.answers_erased] == [()], "of Ann's no answer is forgotten"


def test_a_message_that_was_refused_stays_refused_when_it_is_read_again_behind_the_erasure_of_who_began() -> None:
    pool = HeldPool()
    flow = River(ReferenceIndex(), submit=pool)
    flow.feed(message(4, "mine", user_id="eve"))
    flow.epoch()
    flow.feed(message(5, "Ann writes to Eve's"), erase(6, "eve"))
    pool.holds = True
    flow.feed(message(7, "mine again", user_id="eve"))
    pool.holds = False
    flow.crash()
    flow.end()
    assert [(row.owner_id, row.body["text"]) for row in flow.index.scan(Collection.MESSAGES)] == [("eve", "mine again")]
    assert owners_of_conversations(flow) == {"talk": "eve"}


def test_of_a_forgotten_conversation_nothing_is_left_of_another_owner_who_was_admitted_meanwhile() -> None:
    pool = HeldPool()
    flow = River(ReferenceIndex(), submit=pool)
    pool.holds = True
    flow.feed(message(4, "Ann's", user_id="ann"))
    flow.feed(message(8, "Eve's", user_id="eve"), message(9, "NEW secret of Eve", user_id="eve"))
    pool.work()  # Eve's is admitted before the tombstone, Ann's, which decides whose it is, behind it
    flow.feed(forget(10))
    pool.work()
    pool.holds = False
    flow.end()
    assert flow.receipt("gone") is not None
    assert everything(flow.index) == []
    assert flow.letters.letters == []


class Killed(Exception):
    """The end of a process."""


class KilledIndex(ReferenceIndex):
    """Writes the first rows of a batch that removes messages; then its process is killed, once."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first: int | None = first

    def write(self, writes: Sequence[Write]) -> list[WriteResult]:
        removes_messages = any(isinstance(each, Remove) and each.key.collection is Collection.MESSAGES for each in writes)
        if self._first is None or not removes_messages:
            return super().write(writes)
        first, self._first = self._first, None
        super().write(writes[:first])
        raise Killed


@pytest.mark.parametrize("has_parents", [True, False], ids=["", "rows of conversations without a parent"])
@pytest.mark.parametrize("first", range(36))
def test_a_sweep_that_is_killed_while_it_removes_rows_leaves_nothing_when_it_is_done_again(
    first: int, has_parents: bool
) -> None:
    flow = River(KilledIndex(first))
    flow.feed(*talk(), *talk("other", 20))
    flow.end()
    for _ in range(5):  # what was written is refreshed, and known from the index alone
        flow.wait(60.0)
        flow.epoch()
    if not has_parents:  # as an older archive brings them
        rows = [row for row in everything(flow.index) if row.kind == "conversation"]
        flow.index.write([Put(replace(row, parent_id=None)) for row in rows])
    flow.feed(erase(30))
    with pytest.raises(Killed):
        flow.end()
    flow.crash()
    flow.end()
    assert flow.receipt("gone") is not None
    assert everything(flow.index) == []


@few
@given(whole_owner=st.booleans(), luck=lucks)
def test_whatever_crashes_on_the_way_the_rest_is_as_if_the_erased_had_never_been(
    whole_owner: bool, luck: random.Random
) -> None:
    pool = SlowPool(luck)
    flow, clean = River(ReferenceIndex(), submit=pool, idle_seconds=1.0), River(ReferenceIndex())
    once, again = (erase(100), erase(120)) if whole_owner else (forget(100), forget(120))
    others = talk("eve's", 20, user_id="eve") if whole_owner else talk("other", 20)
    anew, behind = talk("talk", 110), talk("talk", 130) if luck.random() < 0.5 else []
    source: list[Arrived | Erasure | Pause] = [*_mixed(luck, talk(), others), once, *anew]
    source += [replace(again, erasure_id="again"), *behind]
    for item in source:
        flow.feed(item)
        pool.work(luck.randrange(6))
        flow.wait(luck.choice([0.0, 0.1, 2.0]))
        if luck.random() < 0.2:
            flow.epoch()
        if luck.random() < 0.2:
            pool.abandon()
            flow.crash()
    flow.feed(Pause("", "end"))
    for _ in range(400):
        pool.work(4)
        flow.wait(0.1)
    assert not flow.unfinished
    assert flow.receipt("gone") is not None
    assert flow.receipt("again") is not None

    clean.feed(*others, *behind)
    clean.end()
    assert contents(flow.index) == contents(clean.index)
    left = [row.id for row in everything(flow.index) if row.collection is Collection.CONTROL]
    assert sorted(left) == sorted(row.id for row in everything(clean.index) if row.collection is Collection.CONTROL)


def _mixed(luck: random.Random, one: list[Arrived], other: list[Arrived]) -> list[Arrived]:
    """Two conversations, each in its order."""
    one, other, mixed = list(one), list(other), []
    while one or other:
        mixed.append((one if one and (not other or luck.random() < 0.5) else other).pop(0))
    return mixed


# --- erasures in files ----------------------------------------------------------------------------------------------


def in_file(item: Arrived | Erasure, name: str, offset: int = 0) -> list[Arrived | Erasure]:
    """A message or an erasure as it comes from a file."""
    position = Position(topic=f"file:{name}", partition=0, offset=offset)
    if isinstance(item, Erasure):
        return [replace(item, position=position)]
    return [Arrived(item.message.model_copy(update={"position": position}))]


def dated(erasure: Erasure, days: int) -> Erasure:
    """An erasure whose file says when it was asked for."""
    return replace(erasure, arrived_at=START + timedelta(days=days), is_dated=True)


def said_on(day: int, conversation: str = "talk") -> Arrived:
    return message(day, f"NEW tea of day {day}", conversation, after=86_400 * day)


def texts(flow: River) -> list[str]:
    return [row.body["text"] for row in flow.index.scan(Collection.MESSAGES)]


@pytest.mark.parametrize("erasure", [erase(0), forget(0)], ids=["owner", "conversation"])
@pytest.mark.parametrize("has_restarted", [False, True])
def test_an_erasure_that_its_file_dates_leaves_what_other_files_say_later(erasure: Erasure, has_restarted: bool) -> None:
    flow = River(ReferenceIndex())
    for name, day in (("spring", 10), ("summer", 100)):
        flow.feed(*in_file(said_on(day), name))
        flow.end()
    if has_restarted:
        flow.epoch()
        flow.crash()
    flow.feed(*in_file(dated(erasure, 30), "april"))
    flow.end()
    assert texts(flow) == ["NEW tea of day 100"]
    assert episodes(flow.index) == [("m100",)]
    assert (receipt := flow.receipt("gone")) is not None
    assert (receipt["removed"]["messages"], receipt["removed"]["episodes"]) == (1, 1)
    flow.feed(*in_file(said_on(11), "more"), *in_file(said_on(101), "more", 1))
    flow.feed(replace(edit(100, "coffee", 2, topic="file:more"), received_at=None))
    flow.end()
    assert texts(flow) == ["coffee", "NEW tea of day 101"]
    assert flow.letters.letters == []


def test_an_episode_that_reaches_over_the_time_of_an_erasure_goes_whole() -> None:
    flow = River(ReferenceIndex())
    texts_of = {29: "NEW tea", 31: "more tea", 32: "NEW coffee"}
    for offset, (day, text) in enumerate(texts_of.items()):
        flow.feed(*in_file(message(day, text, after=86_400 * day), "march", offset))
    flow.end()
    assert episodes(flow.index) == [("m029", "m031"), ("m032",)]
    flow.feed(*in_file(dated(forget(0), 30), "april"))
    flow.end()
    assert texts(flow) == ["NEW coffee"]
    assert episodes(flow.index) == [("m032",)]


def test_an_erasure_that_its_file_does_not_date_erases_all_that_files_said_before() -> None:
    flow = River(ReferenceIndex())
    flow.feed(*in_file(said_on(10), "a"), *in_file(said_on(3_000), "b"))
    flow.end()
    flow.feed(*in_file(erase(0), "c"))
    flow.end()
    assert texts(flow) == []


@pytest.mark.parametrize("text", ["The rent is 900.", "== speech ==\nAnn 0: The rent is 900.\n"], ids=["text", "recording"])
def test_a_document_tells_no_time_and_goes_with_its_owner(text: str) -> None:
    flow = River(ReferenceIndex())
    in_a_file = Position(topic="file:a", partition=0, offset=0)
    flow.feed(replace(document(0, text), position=in_a_file, received_at=None))
    flow.end()
    assert len(texts(flow)) == 1
    flow.feed(*in_file(dated(erase(0), -30), "b"))
    flow.end()
    assert texts(flow) == []


@pytest.mark.parametrize("order", [("january", "november"), ("november", "january")])
@pytest.mark.parametrize("has_restarted", [False, True])
def test_the_newer_of_two_erasures_keeps_out_whichever_is_read_first(order: tuple[str, str], has_restarted: bool) -> None:
    flow, days = River(ReferenceIndex()), {"january": 1, "november": 300}
    for name in order:
        flow.feed(*in_file(dated(erase(0, erasure_id=name), days[name]), name))
        flow.settle()
        if has_restarted:
            flow.epoch()
            flow.crash()
    flow.feed(*in_file(said_on(40), "again"), *in_file(said_on(301), "again", 1))
    flow.end()
    assert texts(flow) == ["NEW tea of day 301"]
