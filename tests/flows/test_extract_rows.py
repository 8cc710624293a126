"""The rows of an episode cite the document that its messages stand in."""

from flows.cuts import Cut, ExtractedFact, ExtractedForesight, Extraction, embedding_text
from flows.extraction.assemble import assemble
from mneme.records import AtomicFact, Citation, Episode, Foresight
from tests.flows.extraction.cuts import cut_of, message


def heard(number: int) -> Citation:
    return Citation(document_id="talk", name="talk.vtt", place=f"00:0{number}:00")


def assembled(cut: Cut) -> list[object]:
    extraction = Extraction(
        subject="Desks",
        summary="Ann buys desks.",
        narrative="Ann buys desks.",
        facts=(ExtractedFact("Ann buys desks.", "Desks", (1, 0)),),
        foresights=(ExtractedForesight("Ann will buy chairs", "chairs", (2,)),),
    )
    return [each.record for each in assemble({"lane": "t/c"}, cut, extraction, "local").made]


def test_each_record_cites_where_its_own_message_stands() -> None:
    messages = [message("Ann", f"line {number}", number) for number in range(3)]
    cut = cut_of([each.model_copy(update={"citation": heard(number)}) for number, each in enumerate(messages)])
    cited = {type(record): record.citation for record in assembled(cut)}  # type: ignore[attr-defined]
    assert cited == {Episode: heard(0), AtomicFact: heard(1), Foresight: heard(2)}


def test_a_fact_of_a_document_cites_its_own_row() -> None:
    place = Citation(document_id="d", name="prices.csv", place="rows 2-9")
    chunk = message("prices", "Item: Desk").model_copy(update={"document_id": "d", "citation": place})
    cut = cut_of([chunk], conversation_id=None, document_id="d")
    extraction = Extraction("Prices", "", "", facts=(ExtractedFact("Item: Desk", "Prices", (0,), place="row 5"),))
    episode, fact = [each.record for each in assemble({"lane": "t/c"}, cut, extraction, "local").made][:2]
    assert (episode.citation.place, fact.citation.place) == ("rows 2-9", "row 5")


def test_what_is_said_in_a_conversation_cites_nothing() -> None:
    cut = cut_of([message("Ann", f"line {number}", number) for number in range(3)])
    assert {record.citation for record in assembled(cut)} == {None}  # type: ignore[attr-defined]


def test_a_chunk_is_embedded_with_its_title_and_section_in_front() -> None:
    chunk = message("Offer", "Desk: 120").model_copy(
        update={"document_id": "d", "citation": Citation(document_id="d", name="offer.pdf", section="Prices", place="page 2")}
    )
    assert embedding_text(chunk) == "Offer, Prices: Desk: 120"
    titled = Citation(document_id="d", name="offer.pdf", section="Offer")
    assert embedding_text(chunk.model_copy(update={"citation": titled})) == "Offer: Desk: 120"


def test_speech_is_embedded_with_its_speaker_alone() -> None:
    said = message("Ann", "We buy desks.").model_copy(
        update={"citation": Citation(document_id="t", name="t.vtt", section="Intro")}
    )
    assert embedding_text(said) == "Ann: We buy desks."
