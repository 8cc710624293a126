"""A defect that nobody foresaw costs the conversation or the episode that meets it; everything else goes on."""

import json
from collections.abc import Sequence

import pytest

from flows import segment
from flows.cuts import Cut, Extraction, Utterance, Verdict
from flows.items import Arrived, Pause
from mneme.rows import Collection, Vector
from tests.flows.river import CutOnWord, OneFactEach, River, contents, edit, embed, episodes, forget, message
from tests.memory_index_reference import ReferenceIndex

DEFECT = "POISON"


class Defective(CutOnWord):
    """A detector that nobody tested with this word. ``repaired`` is what a new release does."""

    def __init__(self) -> None:
        super().__init__()
        self.repaired = False

    def judge(self, context: Sequence[Utterance], judged: Sequence[Utterance], ahead: Sequence[Utterance]) -> Verdict:
        if not self.repaired and any(DEFECT in utterance.message.text for utterance in judged):
            raise ZeroDivisionError("a word without letters")
        return super().judge(context, judged, ahead)


@pytest.fixture
def detector() -> Defective:
    return Defective()


@pytest.fixture
def river(detector: Defective) -> River:
    return River(ReferenceIndex(), detector=detector)


def talk(count: int, conversation: str = "talk", poison: int | None = None, start: int = 0) -> list[Arrived]:
    """Messages of two episodes for every six; one of them may be poison."""
    texts = [f"{'NEW ' if n % 6 == 0 else ''}{DEFECT if n == poison else 'tea'} {n}" for n in range(start, start + count)]
    return [message(n, text, conversation) for n, text in enumerate(texts, start)]


def flush(conversation: str = "talk", flush_id: str = "f") -> Pause:
    return Pause(f"default/{conversation}", "flush", tenant_id="default", flush_id=flush_id)


def clean(*messages: Arrived) -> dict[str, dict[str, object]]:
    """What an undisturbed run over the same messages leaves."""
    river = River(ReferenceIndex())
    river.feed(*messages)
    river.end()
    return contents(river.index)


def test_a_conversation_that_meets_a_defect_rests_and_the_others_go_on(river: River) -> None:
    river.feed(*talk(8, "talk", poison=3), *talk(8, "walk"))
    river.end()
    [letter] = river.letters.letters
    assert letter.stage == "segment"
    assert letter.reason.splitlines()[-1] == "ZeroDivisionError: a word without letters"
    assert json.loads(letter.raw)["conversation"] == "talk"
    assert {each.split("/")[1] for each in contents(river.index) if "/f/" in each} == {"walk"}
    assert river.index.count(Collection.MESSAGES) == 16


def test_its_later_messages_are_stored_and_found_and_it_says_so_once(river: River) -> None:
    river.feed(*talk(4, poison=3))
    river.feed(*talk(6, start=4))
    river.feed(edit(1, "green tea", 10))
    river.end()
    assert len(river.letters.letters) == 1
    assert river.index.count(Collection.MESSAGES) == 10


def test_it_stays_at_rest_when_the_process_starts_again(river: River, detector: Defective) -> None:
    messages = talk(20, poison=15)
    late = messages.pop(3)
    river.feed(*messages[:11])
    river.feed(*messages[11:])
    before = episodes(river.index)
    river.feed(late)
    river.epoch()
    detector.repaired = True
    river.crash()
    river.feed(*talk(2, start=20))
    river.wait(1_000)
    assert len(river.letters.letters) == 1
    assert episodes(river.index) == before


def test_a_flush_behind_it_is_answered(river: River) -> None:
    river.feed(*talk(8, poison=3))
    river.feed(flush())
    river.settle()
    assert river.is_flushed("f")


@pytest.mark.parametrize("restarted", [False, True])
def test_released_by_a_flush_it_is_as_if_nothing_had_been(river: River, detector: Defective, restarted: bool) -> None:
    first, second = talk(40, poison=38), talk(10, start=40)
    river.feed(*first[:32], *talk(8, "walk"))
    river.feed(*first[32:])
    river.settle()
    assert episodes(river.index)[0] == tuple(each.message.message_id for each in first[:6])
    river.feed(*second, edit(2, "mint tea", 50))
    if restarted:
        river.epoch()
        river.crash()
    detector.repaired = True
    river.feed(flush())
    river.settle()
    river.end()
    edited = [message(2, "mint tea") if each.message.message_id == "m002" else each for each in (*first, *second)]
    assert contents(river.index) == clean(*edited, *talk(8, "walk"))


def test_a_message_that_came_late_meanwhile_finds_its_place(river: River, detector: Defective) -> None:
    messages = talk(40, poison=35)
    late = messages.pop(3)
    river.feed(*messages[:31])
    river.feed(*messages[31:36])
    river.settle()
    assert episodes(river.index)
    river.feed(late, *messages[36:])
    detector.repaired = True
    river.feed(flush())
    river.settle()
    river.end()
    assert contents(river.index) == clean(*talk(40, poison=35))


def test_it_waits_for_its_release_however_many_others_rest(
    river: River, detector: Defective, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment, "_MOST_DORMANT", 2)
    messages = talk(20, poison=9)
    late = messages.pop(3)
    river.feed(*messages[:12])
    for number in range(5):
        river.feed(*talk(2, f"other {number}"))
        river.wait(400)
    river.feed(late, *messages[12:])
    river.wait(400)
    assert len(river.letters.letters) == 1
    detector.repaired = True
    river.feed(flush())
    river.settle()
    river.end()
    others = (each for number in range(5) for each in talk(2, f"other {number}"))
    assert contents(river.index) == clean(*talk(20, poison=9), *others)


def test_released_too_early_it_is_put_back_with_a_letter(river: River) -> None:
    river.feed(*talk(8, poison=3))
    river.feed(flush())
    river.settle()
    river.end()
    assert len(river.letters.letters) == 2
    assert river.is_flushed("f")
    assert episodes(river.index) == []


def test_forgotten_it_leaves_nothing(river: River, detector: Defective) -> None:
    river.feed(*talk(8, poison=3))
    river.feed(forget(100))
    river.settle()
    assert river.receipt("gone") is not None
    river.feed(message(200, "hello again"))
    river.end()
    assert episodes(river.index) == [("m200",)]


def test_a_store_that_refuses_is_no_defect(river: River, detector: Defective) -> None:
    from mneme.errors import StoreRejected

    def judge(*_: object) -> Verdict:
        raise StoreRejected("the index is of another embedder")

    detector.judge = judge  # type: ignore[method-assign]
    with pytest.raises(StoreRejected):
        river.feed(*talk(8))
    assert river.letters.letters == []


class DefectiveAssembly(OneFactEach):
    """Says something that the rest of the program cannot take."""

    def extract(self, cut: Cut) -> Extraction:
        extraction = super().extract(cut)
        if any(DEFECT in utterance.message.text for utterance in cut.utterances):
            object.__setattr__(extraction, "subject", None)
        return extraction


def test_an_episode_that_cannot_be_made_is_left_out_with_its_reference() -> None:
    river = River(ReferenceIndex(), extractor=DefectiveAssembly())
    river.feed(*talk(18, poison=8))
    river.end()
    [letter] = river.letters.letters
    assert letter.stage == "extract"
    assert "m008" in letter.raw.decode()
    assert [ids[0] for ids in episodes(river.index)] == ["m000", "m012"]


def test_an_episode_that_cannot_join_the_others_is_left_out_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from flows import reconcile

    revise = reconcile.revise

    def defective(view, revisions, deciders):  # type: ignore[no-untyped-def]
        if any(DEFECT in str(new.record) for revision in revisions for new in revision.made):
            raise KeyError("a cluster that is not there")
        revise(view, revisions, deciders)

    monkeypatch.setattr(reconcile, "revise", defective)
    river = River(ReferenceIndex())
    river.feed(*talk(18, poison=8))
    river.feed(flush())
    river.end()
    [letter] = river.letters.letters
    assert letter.stage == "reconcile"
    assert letter.reason.splitlines()[-1] == "KeyError: 'a cluster that is not there'"
    assert [ids[0] for ids in episodes(river.index)] == ["m000", "m012"]
    assert river.is_flushed("f")


def test_a_text_that_an_embedder_cannot_take_costs_only_its_own_vector() -> None:
    def embedding(texts: list[str]) -> Vector:
        if any(DEFECT in text for text in texts):
            raise IndexError("no such token")
        return embed(texts)

    class NoFacts(OneFactEach):
        def extract(self, cut: Cut) -> Extraction:
            return Extraction(subject="tea", summary="tea", narrative="tea", facts=())

    river = River(ReferenceIndex(), embedding=embedding, extractor=NoFacts())
    river.feed(*talk(6, poison=3))
    river.end()
    rows = {row.body["message_id"]: row for row in river.index.scan(Collection.MESSAGES, with_vectors=True)}
    assert [name for name, row in rows.items() if row.vector is None] == ["m003"]
    assert episodes(river.index) == [tuple(rows)]
