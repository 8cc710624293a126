"""Attachments of messages through all steps: their text stands in the message, and goes with it."""

from collections.abc import Callable
from typing import Any

import pytest

from flows.decode import decode
from flows.items import Unread
from flows.reading.attachments import attachment_id
from mneme.errors import StoreUnavailable
from mneme.events import Correct, Retract
from mneme.ids import document_key, owner_key
from mneme.ports import Incoming
from mneme.records import Position, StoredDocument
from mneme.rows import Collection, Key, Row
from tests.flows.reading.test_documents import rows, run, said
from tests.flows.river import START, River, document, edit, edit_with_attachment, forget, message, with_attachments
from tests.memory_index_reference import ReferenceIndex

ANN = owner_key("default", "user", "ann")
LONG = "".join(f"== page {number} == Clause {number} of the contract says what is owed for it.\n" for number in range(60))


@pytest.fixture
def river() -> River:
    return River(ReferenceIndex())


def texts(river: River) -> list[str]:
    return [row.body["text"] for row in rows(river, Collection.MESSAGES) if row.kind == "message"]


def attachment(river: River, number: int = 0, message_id: str = "m001") -> StoredDocument | None:
    key = Key(Collection.CONTROL, ANN, document_key(ANN, attachment_id("talk", message_id, number)))
    row = river.index.get([key]).get(key)
    return row.record() if row is not None else None  # type: ignore[return-value]


def everything(river: River) -> list[Row]:
    return [row for collection in Collection for row in rows(river, collection)]


def test_the_text_of_an_attachment_stands_in_its_message(river: River) -> None:
    run(river, *with_attachments(1, "See this:", "The budget is 40,000 euros."))
    assert texts(river) == ["See this:\n[file: file1.txt: The budget is 40,000 euros.]"]
    assert said(river) == ["See this:\n[file: file1.txt: The budget is 40,000 euros.]"]
    found = attachment(river)
    assert found is not None
    assert (found.name, found.status, found.message_id, found.conversation_id) == ("file1.txt", "read", "m001", "talk")


def test_the_message_is_there_before_its_attachment_is_read(river: River) -> None:
    arrived, unread = with_attachments(1, "See this:", "The budget")
    river.feed(arrived)
    assert texts(river) == ["See this:\n[file: file1.txt]"]
    run(river, unread)
    assert texts(river) == ["See this:\n[file: file1.txt: The budget]"]


def test_what_cannot_be_read_is_named_with_the_reason(river: River) -> None:
    run(river, *with_attachments(1, "Listen", "silent", "broken"))
    assert texts(river) == [
        "Listen\n[file: file1.txt, not read: nobody listens]\n[file: file2.txt, not read: it is broken; send it whole]"
    ]
    records = [attachment(river, 0), attachment(river, 1)]
    assert [each.status for each in records if each is not None] == ["unread", "unread"]
    assert not river.letters.letters


def test_a_long_attachment_stands_there_with_its_beginning_and_is_a_document_too(river: River) -> None:
    run(river, *with_attachments(1, "The contract:", LONG))
    [own] = [text for text in texts(river) if text.startswith("The contract:")]
    assert own.endswith("…]")
    assert len(own) < 1000
    found = attachment(river)
    assert found is not None
    assert len(found.chunk_ids) == 60
    cited = {row.body["citation"]["place"] for row in rows(river) if row.document_id}
    assert "page 59" in cited
    assert {row.conversation_id for row in rows(river)} == {"talk"}


def test_a_recording_of_one_speaker_is_what_the_sender_says(river: River) -> None:
    run(river, *with_attachments(1, "", "== speech ==\nAnn 0: I moved to Oslo.\nAnn 4: It rains.\n"))
    [text] = texts(river)
    assert "I moved to Oslo." in text
    assert "[" not in text


def test_the_same_message_again_is_not_read_again(river: River) -> None:
    run(river, *with_attachments(1, "See", "The budget"))
    before = river.reader.read_names.copy()
    again = with_attachments(1, "See", "The budget")
    moved = [type(each)(**_moved(each)) for each in again]
    run(river, *moved)
    assert river.reader.read_names == before
    assert len(texts(river)) == 1


def test_a_message_whose_attachment_met_a_defect_is_read_when_it_is_replayed(
    river: River, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(river.reader, "read", lambda *asked: {}["a defect"])
        run(river, *with_attachments(1, "See", "The budget"))
    assert [letter.stage for letter in river.letters.letters] == ["read"]
    again = [type(each)(**_moved(each)) for each in with_attachments(1, "See", "The budget")]
    for _ in range(2):
        run(river, *again)
        assert texts(river) == ["See\n[file: file1.txt: The budget]"]
    assert river.reader.read_names == ["file1.txt"]


def test_an_attachment_of_a_stranger_holds_up_nothing_and_is_not_read(river: River) -> None:
    run(river, message(1, "hello"))
    [stranger] = with_attachments(2, "See", "The budget", user_id="eve")[1:]
    river.feed(stranger, *with_attachments(3, "And this", "The plan"))
    river.wait(1)
    assert texts(river) == ["hello", "And this\n[file: file1.txt: The plan]"]
    assert river.reader.read_names == ["file1.txt"]


@pytest.mark.parametrize("forgets", [False, True])
def test_who_begins_an_erased_conversation_anew_is_no_stranger(forgets: bool, river: River) -> None:
    run(river, message(1, "hello"))
    river.feed(forget(20))
    if forgets:
        river.epoch()
        river.crash()
    run(river, *with_attachments(21, "See", "The plan", user_id="eve"))
    assert texts(river) == ["See\n[file: file1.txt: The plan]"]


def _moved(item: Any) -> dict[str, Any]:
    """The fields of an item that comes again from another place of the source."""
    fields = {name: getattr(item, name) for name in item.__dataclass_fields__}
    if "message" in fields:
        position = fields["message"].position.model_copy(update={"offset": 900})
        fields["message"] = fields["message"].model_copy(update={"position": position})
    else:
        fields["position"] = fields["position"].model_copy(update={"offset": 900})
    return fields


@pytest.mark.parametrize(("text", "left"), [("Never mind", ["Hello", "Never mind"]), (None, ["Hello"])])
def test_an_edit_and_a_delete_take_the_attachments_away(text: str | None, left: list[str], river: River) -> None:
    run(river, *with_attachments(1, "The contract:", LONG), message(2, "Hello"), edit(1, text, 50))
    assert sorted(texts(river)) == left
    assert attachment(river) is None
    assert not [row.id for row in everything(river) if "Clause" in str(row.body)]


def test_an_edit_that_comes_while_an_attachment_is_read_stands(river: River) -> None:
    river.feed(*with_attachments(1, "The contract:", LONG), edit(1, "Never mind", 50))
    river.settle()
    river.end()
    assert texts(river) == ["Never mind"]
    assert not [row.id for row in everything(river) if "Clause" in str(row.body)]


def test_an_edit_can_bring_another_attachment(river: River) -> None:
    run(river, *with_attachments(1, "See", "The old plan", "A second file"), edit_with_attachment(1, "Better:", "The plan", 50))
    assert texts(river) == ["Better:\n[file: new.txt: The plan]"]
    first, second = attachment(river, 0), attachment(river, 1)
    assert first is not None
    assert first.name == "new.txt"
    assert second is None


ROME, MILAN = "I live in Rome.", "I live in Milan."


def retract(offset: int, words: str = ROME) -> list[Any]:
    return _decoded(Retract(conversation_id="talk", message_id="m001", words=words), offset)


def correct(offset: int) -> list[Any]:
    about = {"conversation_id": "talk", "user_id": "ann", "message_id": "m009", "sent_at": START.replace(hour=18)}
    return _decoded(Correct(**about, corrects="m001", words=ROME, content=MILAN), offset)


def _decoded(event: Correct | Retract, offset: int) -> list[Any]:
    return list(decode(Incoming(event.to_bytes(), Position(topic="t", partition=0, offset=offset), START), buckets=1))


class Away:
    """A reader of documents that is out of reach until it is told otherwise."""

    def __init__(self, river: River) -> None:
        self.is_away, self._read = True, river.reader.read
        river.reader.read = self._tried  # type: ignore[method-assign, assignment]

    def _tried(self, *asked: Any) -> Any:
        if self.is_away:
            raise StoreUnavailable("not now")
        return self._read(*asked)


@pytest.mark.parametrize(("change", "left"), [(correct, f"{ROME} "), (retract, "")])
def test_a_change_of_words_leaves_the_attachment_as_it_is(change: Callable[[int], list[Any]], left: str, river: River) -> None:
    """What is corrected stays as it was said."""
    run(river, *with_attachments(1, f"{ROME} The contract:", LONG))
    before = attachment(river)
    run(river, *change(50))
    [own] = [text for text in texts(river) if "contract:" in text]
    assert own.startswith(f"{left}The contract:\n[file: file1.txt: Clause 0")
    assert attachment(river) == before is not None
    assert len([row for row in rows(river) if row.document_id]) == 60


def test_words_that_change_while_an_attachment_is_read_change_in_the_message_that_it_is_in(river: River) -> None:
    reader = Away(river)
    river.feed(*with_attachments(1, f"{ROME} The plan:", "It costs nine."), *correct(50), *retract(51), *retract(52, "nine."))
    river.wait(5)
    reader.is_away = False
    river.settle()
    river.end()
    assert sorted(texts(river)) == [MILAN, "The plan:\n[file: file1.txt: It costs ]"]
    assert attachment(river) is not None
    assert not river.letters.letters


def test_words_of_an_edit_change_when_its_attachment_is_read(river: River) -> None:
    run(river, message(1, f"{ROME} It rains."))
    reader = Away(river)
    river.feed(edit_with_attachment(1, f"{ROME} It snows.", "The plan", 50), *retract(51))
    river.wait(5)
    reader.is_away = False
    river.settle()
    assert texts(river) == ["It snows.\n[file: new.txt: The plan]"]


def test_words_of_other_messages_wait_for_no_attachment(river: River) -> None:
    Away(river)
    river.feed(message(1, f"{ROME} It rains."), *with_attachments(2, "See", "The plan"), *retract(50))
    river.wait(1)
    assert "It rains." in texts(river)


@pytest.mark.parametrize("after", [1, 2, 3, 5, 8, 13, 60])
@pytest.mark.parametrize("epochs_before", [0, 1, 2])
def test_a_crash_around_a_change_of_words_changes_nothing(after: int, epochs_before: int, river: River) -> None:
    items = [*with_attachments(1, f"{ROME} The contract:", LONG), message(2, "Hello")]
    river.feed(*items)
    for _ in range(epochs_before):
        river.wait(0.02 * after)
        river.epoch()
    river.feed(*retract(50))
    river.wait(0.02 * after)
    if epochs_before == 1:
        river.epoch()
        river.wait(0.02 * after)
    river.crash()
    river.settle()
    river.end()
    clean = River(ReferenceIndex())
    run(clean, *items, *retract(50))
    assert said(river) == said(clean)
    assert sorted(texts(river)) == sorted(texts(clean))


@pytest.mark.parametrize("words", [ROME, "nobody said this"])
def test_a_change_of_words_that_waited_leaves_nothing_behind(words: str, river: River) -> None:
    reader = Away(river)
    river.feed(*with_attachments(1, f"{ROME} The plan:", "It costs nine."), *retract(50, words))
    river.wait(1)
    assert len(parked(river)) == 2
    reader.is_away = False
    river.settle()
    run(river)
    assert not parked(river)
    assert bool(river.letters.letters) == (words != ROME)


def test_an_edit_behind_a_change_of_words_takes_the_attachments_away(river: River) -> None:
    reader = Away(river)
    river.feed(*with_attachments(1, f"{ROME} The contract:", LONG), *correct(50), edit(1, "Never mind", 51))
    river.wait(1)
    reader.is_away = False
    river.settle()
    run(river)
    assert sorted(texts(river)) == [MILAN, "Never mind"]
    assert attachment(river) is None
    assert not [row.id for row in everything(river) if "Clause" in str(row.body)]


def test_a_forgotten_conversation_takes_along_what_waits_for_an_attachment(river: River) -> None:
    reader = Away(river)
    river.feed(*with_attachments(1, f"{ROME} The plan:", "It costs nine."), *retract(50), forget(51))
    river.wait(1)
    reader.is_away = False
    river.settle()
    run(river)
    assert not [row.id for row in everything(river) if "Rome" in str(row.body)]
    assert not river.letters.letters


def parked(river: River) -> list[str]:
    return [row.kind for row in rows(river, Collection.CONTROL) if row.kind in ("unread", "amendment")]


def test_an_attachment_is_read_however_long_the_index_was_away(river: River) -> None:
    arrived, unread = with_attachments(1, "See this:", "The budget")
    index, get = river.index, river.index.get

    def away(*asked: Any) -> Any:
        raise StoreUnavailable("not now")

    index.get = away  # type: ignore[method-assign, assignment]
    river.feed(unread)
    river.wait(100)
    index.get = get  # type: ignore[method-assign]
    river.wait(50)
    river.feed(arrived)  # the writer, too, had waited for the index
    river.settle()
    assert texts(river) == ["See this:\n[file: file1.txt: The budget]"]


def test_an_attachment_of_a_message_that_never_comes_is_a_dead_letter(river: River) -> None:
    _, unread = with_attachments(1, "See this:", "The budget")
    river.feed(unread)
    river.wait(59)
    assert not river.letters.letters
    river.wait(10)
    [letter] = river.letters.letters
    assert isinstance(unread, Unread)
    assert (letter.stage, letter.raw) == ("read", unread.raw)
    assert "message m001 is not in the index" in letter.reason
    assert not parked(river)


@pytest.mark.parametrize("forgets", [False, True])
def test_an_attachment_of_an_erased_message_is_no_dead_letter(forgets: bool, river: River) -> None:
    run(river, forget(50))
    if forgets:
        river.crash()
    river.feed(with_attachments(1, "See this:", "The budget")[1])
    river.wait(100)
    assert not river.letters.letters
    assert not parked(river)


def test_attachments_are_erased_with_their_conversation(river: River) -> None:
    run(river, *with_attachments(1, "The contract:", LONG), forget(50))
    assert rows(river, Collection.MESSAGES) == []
    assert rows(river) == []
    assert attachment(river) is None


@pytest.mark.parametrize("after", [1, 2, 3, 5, 8, 13])
def test_a_crash_while_attachments_are_read_changes_nothing(after: int, river: River) -> None:
    river.feed(*with_attachments(1, "The contract:", LONG), message(2, "Hello"))
    for _ in range(after):
        river.wait(0.02)
    river.epoch()
    for _ in range(after):
        river.wait(0.02)
    river.crash()
    river.settle()
    river.end()
    clean = River(ReferenceIndex())
    run(clean, *with_attachments(1, "The contract:", LONG), message(2, "Hello"))
    assert said(river) == said(clean)
    assert sorted(texts(river)) == sorted(texts(clean))


def test_conversations_pass_a_long_document(river: River) -> None:
    """Of a document only so many chunks are on their way at a time that what is said meanwhile waits for no more."""
    passed: list[int] = []
    embedding = river._embedding

    def slow(texts: list[str]) -> Any:
        passed.append(sum("Clause" in text for text in texts))
        return embedding(texts)

    river._embedding = slow
    river._build()
    river.feed(document(1, LONG))
    river.feed(message(2, "Hello"))
    river.settle()
    assert max(passed) <= 2
    assert sum(passed) >= 60
