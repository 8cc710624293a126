"""The list of documents: whose they are, what each is, and what of it was read."""

from datetime import timedelta

import pytest

from mneme.errors import InputError
from mneme.rows import Row
from queries.browsing.responses import DocumentList
from tests.queries.world import MAYA, START, TEAM, TENANT, document, filled, memories, section

MINE = {"user_id": "maya"}


def listed(*rows: Row, **filters: object) -> DocumentList:
    return memories(filled(*rows)).documents(MINE | filters)


def names(found: DocumentList) -> list[str]:
    return [each.name for each in found.documents]


def test_it_holds_the_owners_and_the_tenants_the_newest_first():
    rows = [
        document("rules", dated_at=START - timedelta(days=9)),
        document("offer", owner=MAYA),
        document("secret", owner=TEAM),
        document("plan", owner=MAYA, dated_at=START + timedelta(days=1)),
    ]
    assert names(listed(*rows)) == ["plan.pdf", "offer.pdf", "rules.pdf"]
    assert names(listed(*rows, knowledge=False)) == ["plan.pdf", "offer.pdf"]
    assert [each.owner for each in listed(*rows).documents] == [MAYA.key, MAYA.key, TENANT.key]


def test_a_document_says_what_it_is_and_what_of_it_was_not_read():
    chunks = [row for place in ("page 1", "page 2") for row in section("offer", "Prices", f"a desk, {place}", place)]
    (offer,) = listed(document("offer", *chunks, pages=3, unread=("page 3: no text",), characters=20)).documents
    assert (offer.format, offer.pages, offer.chunks, offer.characters) == ("pdf", 3, 2, 20)
    assert (offer.status, offer.unread, offer.is_complete) == ("read", ("page 3: no text",), False)


def test_dates_are_those_of_documents():
    rows = [document("old", dated_at=START - timedelta(days=400)), document("new")]
    assert names(listed(*rows, since=START.isoformat())) == ["new.pdf"]
    assert names(listed(*rows, before=START.isoformat())) == ["old.pdf"]


def test_those_attached_to_a_conversation_can_be_asked_for():
    attached = document("photo", owner=MAYA, conversation_id="harbour", message_id="m1")
    assert names(listed(attached, document("rules"), conversation_id="harbour")) == ["photo.pdf"]


@pytest.mark.parametrize(
    "filters", [{"as_of": "2026-03-01"}, {"metadata": {"a": 1}}, {"kinds": "fact"}, {"participants": "Ann"}]
)
def test_filters_of_a_search_are_refused(filters: dict[str, object]):
    with pytest.raises(InputError, match="a list of documents has none"):
        listed(**filters)


def test_a_document_is_never_found_itself():
    rows = section("offer", "Prices", "A desk costs 120 euros", "page 2")
    index = filled(*rows, document("offer", *rows, metadata={"desk": "offer"}))
    found = memories(index).search("What does a desk cost in the offer?", filters=MINE | {"document_id": "offer"})
    assert {each.id for each in found.ranked()} <= {row.id for row in rows}


def test_what_is_found_in_a_document_cites_file_section_and_page():
    index = filled(*section("offer", "Prices", "A desk costs 120 euros", "page 2"))
    found = memories(index).search("What does a desk cost?", filters=MINE)
    (fact,) = [each for each in found.facts if each.parent_episode_id.startswith(f"{TENANT.key}/d/offer")]
    (episode,) = [each for each in found.knowledge if each.document_id == "offer"]
    assert fact.citation == episode.citation
    assert fact.citation is not None
    assert str(fact.citation) == "offer.pdf, page 2"
    assert fact.citation.section == "Prices"
