"""Documents through all steps: what is found of them, of their versions, and after they are gone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.ids import document_key, owner_key
from mneme.records import StoredDocument
from mneme.rows import Collection, Key, Row
from tests.flows.river import River, contents, document, erase, few, forget_document, message
from tests.memory_index_reference import ReferenceIndex

ANN = owner_key("default", "user", "ann")
FIRST = "== page 1 == The rent is 900 euros.\n== page 2 == Pets are allowed."
SECOND = "== page 1 == The rent is 950 euros.\n== page 2 == Pets are allowed."


@pytest.fixture
def river() -> River:
    return River(ReferenceIndex())


def run(river: River, *items: Any) -> None:
    for item in items:
        river.feed(item)
        river.settle()
    river.end()
    epochs(river)


def epochs(river: River) -> None:
    """What was read is settled by the ends of some epochs."""
    for _ in range(3):
        river.epoch()
        river.wait(0.1)


def rows(river: River, collection: Collection = Collection.EPISODES) -> list[Row]:
    river.index.refresh()
    return sorted(river.index.scan(collection), key=lambda row: row.id)


def said(river: River) -> list[str]:
    return sorted(row.body["summary"] for row in rows(river))


def record(river: River, document_id: str = "paper", owner: str = ANN) -> StoredDocument | None:
    key = Key(Collection.CONTROL, owner, document_key(owner, document_id))
    row = river.index.get([key]).get(key)
    return row.record() if row is not None else None  # type: ignore[return-value]


def kinds(river: River) -> list[str]:
    """Of what the flow must find again, but for receipts: a replay may erase once more."""
    found = [row.kind for row in rows(river, Collection.CONTROL)]
    return sorted(kind for kind in found if kind not in ("flush", "erased", "erasure", "cluster"))


def test_each_chunk_is_an_episode_that_cites_its_page(river: River) -> None:
    run(river, document(1, FIRST))
    cited = [(row.body["citation"]["place"], row.body["summary"]) for row in rows(river)]
    assert sorted(cited) == [("page 1", "The rent is 900 euros."), ("page 2", "Pets are allowed.")]
    assert {row.body["citation"]["name"] for row in rows(river)} == {"paper.txt"}


def test_the_record_lists_what_the_document_is_made_of(river: River) -> None:
    run(river, document(1, FIRST))
    found = record(river)
    assert found is not None
    assert (found.status, found.name, found.format) == ("read", "paper.txt", "txt")
    assert set(found.chunk_ids) == {row.id for row in rows(river, Collection.MESSAGES)}


def test_nothing_that_waited_to_be_read_is_left(river: River) -> None:
    run(river, document(1, FIRST), document(2, "this is broken", "other"))
    assert "unread" not in kinds(river)


def test_the_same_document_again_is_not_read_again_and_changes_nothing(river: River) -> None:
    run(river, document(1, FIRST))
    before = contents(river.index)
    run(river, document(2, FIRST))
    assert contents(river.index) == before
    assert river.reader.read_names == ["paper.txt"]
    assert river.tally["duplicate"] == 1


def test_a_new_version_takes_the_place_of_the_old_and_keeps_what_did_not_change(river: River) -> None:
    run(river, document(1, FIRST))
    before = {row.body["summary"]: row.id for row in rows(river)}
    run(river, document(2, SECOND))
    after = {row.body["summary"]: row.id for row in rows(river)}
    assert set(after) == {"The rent is 950 euros.", "Pets are allowed."}
    assert after["Pets are allowed."] == before["Pets are allowed."]
    everything = [row for collection in Collection for row in rows(river, collection)]
    assert not [row.id for row in everything if "900" in str(row.body)]


def test_a_version_that_comes_back_is_found_again(river: River) -> None:
    run(river, document(1, FIRST), document(2, SECOND), document(3, FIRST))
    assert said(river) == ["Pets are allowed.", "The rent is 900 euros."]


def test_versions_that_come_at_once_are_taken_in_order(river: River) -> None:
    river.feed(document(1, FIRST), document(2, SECOND), document(3, FIRST), document(4, SECOND))
    river.settle()
    river.end()
    assert said(river) == ["Pets are allowed.", "The rent is 950 euros."]


def test_a_document_by_reference_is_read_where_it_lies(river: River) -> None:
    river.folder.files["file:///paper"] = FIRST.encode()
    run(river, document(1, None))
    assert said(river) == ["Pets are allowed.", "The rent is 900 euros."]
    found = record(river)
    assert found is not None
    assert found.uri == "file:///paper"


@pytest.mark.parametrize("text", ["this is broken", None])
def test_what_cannot_be_read_is_a_dead_letter_and_the_version_before_stays(text: str | None, river: River) -> None:
    run(river, document(1, FIRST), document(2, text))
    [letter] = river.letters.letters
    assert letter.stage == "read"
    assert "send it whole" in letter.reason or "put it there" in letter.reason
    assert b'"document_id":"paper"' in letter.raw
    assert said(river) == ["Pets are allowed.", "The rent is 900 euros."]


def test_what_cannot_be_read_is_listed_with_its_reason_until_a_version_of_it_can(river: River) -> None:
    run(river, document(1, "this is broken"))
    [letter] = river.letters.letters
    failed = record(river)
    assert failed is not None
    assert (failed.status, failed.unread, failed.chunk_ids) == ("unread", (letter.reason,), ())
    assert said(river) == []
    run(river, document(2, FIRST))
    read = record(river)
    assert read is not None
    assert (read.status, read.unread) == ("read", ())
    run(river, document(3, "this is broken"), forget_document(4))
    assert record(river) is None


def test_a_recording_nobody_listens_to_is_kept_by_its_name_and_marked(river: River) -> None:
    run(river, document(1, "silent", "standup", document_type="mp3"))
    found = record(river, "standup")
    assert found is not None
    assert (found.status, found.unread) == ("unread", ("nobody listens",))
    assert said(river) == ["[file: standup.mp3, not read: nobody listens]"]


def test_documents_of_two_owners_may_have_one_id(river: River) -> None:
    run(river, document(1, "The rent is 900 euros."), document(2, "The rent is 100 euros.", user_id="bob"))
    assert {(row.owner_id, row.body["summary"]) for row in rows(river)} == {
        ("ann", "The rent is 900 euros."),
        ("bob", "The rent is 100 euros."),
    }
    run(river, forget_document(3))
    assert [row.owner_id for row in rows(river)] == ["bob"]


def test_a_document_without_an_owner_is_the_tenants_knowledge(river: River) -> None:
    run(river, document(1, FIRST, user_id=None))
    assert {row.owner_type for row in rows(river)} == {"tenant"}


def test_the_marker_of_a_flush_appears_behind_the_document(river: River) -> None:
    run(river, document(1, FIRST, flush_id="all-in"), document(2, "this is broken", "other", flush_id="refused"))
    assert river.is_flushed("all-in")
    assert river.is_flushed("refused")


# --- speech ----------------------------------------------------------------------------------------------------------

TALK = "== speech ==\nAnn 0: We ship on Friday.\nBob 30: I write the notes.\n"


def test_what_is_said_in_a_document_is_a_conversation_with_times(river: River) -> None:
    run(river, document(1, TALK, "standup", document_type="vtt"))
    spoken = rows(river, Collection.MESSAGES)
    assert {(row.body["sender_name"], row.body["text"], row.body["citation"]["place"]) for row in spoken} == {
        ("Ann", "We ship on Friday.", "00:00:00"),
        ("Bob", "I write the notes.", "00:00:30"),
    }
    [episode] = rows(river)
    assert episode.body["summary"] == "We ship on Friday. I write the notes."


def test_a_new_version_of_speech_replaces_what_is_said_no_longer(river: River) -> None:
    run(river, document(1, TALK, "standup", document_type="vtt"))
    run(river, document(2, TALK.replace("Friday", "Monday"), "standup", document_type="vtt"))
    assert said(river) == ["We ship on Monday. I write the notes."]


# --- erasing ---------------------------------------------------------------------------------------------------------


def test_an_erased_document_leaves_nothing_and_others_stay(river: River) -> None:
    run(river, document(1, FIRST), document(2, "The bike is blue.", "bike"), message(3, "Hello"), forget_document(4))
    assert said(river) == ["Hello", "The bike is blue."]
    assert record(river) is None
    receipt = river.receipt("gone")
    assert receipt is not None
    assert receipt["removed"]["messages"] == 2
    everything = [row for collection in Collection for row in rows(river, collection)]
    assert not [row.id for row in everything if "euros" in str(row.body)]


def test_the_receipt_of_a_document_comes_once_its_speech_is_gone_and_counts_it(river: River) -> None:
    run(river, document(1, TALK, "standup", document_type="vtt"), forget_document(2, "standup"))
    assert not rows(river, Collection.MESSAGES)
    receipt = river.receipt("gone")
    assert receipt is not None
    assert receipt["removed"]["messages"] == 2
    assert receipt["removed"]["episodes"] == 1


@pytest.mark.parametrize("is_forgotten_first", [False, True])
def test_of_erased_speech_no_row_names_the_document_or_its_owner(is_forgotten_first: bool, river: River) -> None:
    run(river, document(1, TALK, "standup", document_type="vtt"))
    run(river, document(2, TALK.replace("Friday", "Monday"), "standup", document_type="vtt"))
    if is_forgotten_first:
        run(river, forget_document(3, "standup", "first"))
    run(river, erase(4))
    left = repr([row for collection in Collection for row in rows(river, collection)])
    assert "erased" in left
    assert "standup" not in left
    assert "user/ann" not in left


def test_what_is_sent_of_an_erased_document_later_begins_anew(river: River) -> None:
    run(river, document(1, FIRST), forget_document(2), document(3, FIRST))
    assert said(river) == ["Pets are allowed.", "The rent is 900 euros."]


def test_what_was_sent_before_the_erasure_stays_out_whenever_it_comes(river: River) -> None:
    run(river, forget_document(5), document(1, FIRST))
    assert said(river) == []
    assert record(river) is None
    assert "unread" not in kinds(river)


def test_a_document_goes_with_its_owner(river: River) -> None:
    run(river, document(1, FIRST), erase(2))
    assert said(river) == []
    assert record(river) is None


def test_an_erasure_stops_a_document_that_is_on_its_way(river: River) -> None:
    pages = "".join(f"== page {number} == Clause {number} of the contract.\n" for number in range(40))
    river.feed(document(1, pages), forget_document(2))
    river.settle()
    river.end()
    epochs(river)
    assert said(river) == []
    assert rows(river, Collection.MESSAGES) == []
    assert record(river) is None


# --- crashes ---------------------------------------------------------------------------------------------------------

STEPS = st.lists(st.sampled_from(["feed", "epoch", "crash", "turn", "wait"]), max_size=24)


@few
@given(steps=STEPS)
def test_crashes_anywhere_leave_what_a_clean_run_leaves(steps: list[str]) -> None:
    pages = "".join(f"== page {number} == Clause {number} of the contract.\n" for number in range(12))
    fed = [
        document(1, pages),
        message(2, "The contract is there"),
        document(3, pages.replace("Clause 3", "Paragraph 3")),
        document(4, "this is broken", "other"),
        document(5, TALK, "standup", document_type="vtt"),
        forget_document(6, "bike"),
        document(7, "The bike is blue.", "bike"),
        document(8, TALK.replace("Friday", "Monday"), "standup", document_type="vtt"),
        document(9, TALK, "retro", document_type="vtt"),
        forget_document(10, "retro"),
    ]
    clean = River(ReferenceIndex())
    run(clean, *fed)
    river = River(ReferenceIndex())
    for step in steps:
        if step == "feed" and fed:
            river.feed(fed.pop(0))
        elif step == "wait":
            river.wait(0.04)
        elif step != "feed":
            getattr(river, step)()
    for item in fed:
        river.feed(item)
    river.settle()
    river.end()
    epochs(river)
    assert contents(river.index) == contents(clean.index)
    assert kinds(river) == kinds(clean)
