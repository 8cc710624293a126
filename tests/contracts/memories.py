"""What Memories promise to whoever asks them, in process or of a service, as tests.

Subclass ``MemoriesContract`` and supply the fixture ``memories``: those of ``tests.queries.world``, with ``more`` written.
"""

from datetime import timedelta
from typing import Any

import pytest

from mneme import ids
from mneme.errors import InputError
from mneme.receipts import erasure_receipt, flush_marker
from mneme.records import Owner
from mneme.rows import Row
from queries import AnswerResponse, Memories, SearchResponse
from tests.queries.world import HARBOUR, MAYA, NOW, START, career, conversation, document, messages, section

MINE = {"user_id": "maya"}
ODD = Owner(tenant_id="default", type="user", id="o'brien/ü?&")
LATER = START + timedelta(days=7)


def more() -> list[Row]:
    """Beside the world: a career, messages in no episode yet, a document, an owner with an odd name, markers."""
    lease = section("lease", "Rent", "The rent is due on the first of the month", "page 2", MAYA)
    return [
        *career(),
        *messages(MAYA, "harbour", [("Jonas", "I lost my keys"), ("Ines", "they are in the boat")], day=60, first=50),
        *messages(MAYA, "porch", [("Maya", "who feeds the cat?")], day=61),
        *lease,
        document("lease", *lease, owner=MAYA),
        *conversation(ODD, "a/b c?", "Slashes", [("Odd", "my name has slashes")]),
        flush_marker("default", "flush/1", START),
        erasure_receipt("default", "erasure 1", LATER, {"messages": 3, "facts": 1}),
    ]


class MemoriesContract:
    """Behaviour that does not depend on where the index is."""

    @pytest.fixture
    def memories(self) -> Memories:
        raise NotImplementedError("supply memories of the world, and of more()")

    # --- questions ---------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("method", ["keyword", "vector", "hybrid", "agentic"])
    def test_each_method_finds_and_explains(self, memories, method):
        found = memories.search("where does the rowing club meet?", method, MINE, top_k=5, explain=True)
        assert isinstance(found, SearchResponse)
        assert found.query.method == method
        assert "rowing club" in " ".join(item.text for item in found.ranked())
        assert found.trace

    def test_every_filter_counts(self, memories):
        asked = MINE | {"kinds": "message", "since": START + timedelta(days=60), "participants": ["Ines"]}
        found = memories.search("the boat", "keyword", asked)
        assert [each.text for each in found.raw_messages] == ["they are in the boat"]

    def test_an_answer_is_given_whole_and_piece_by_piece(self, memories):
        asked = {"question": "what colour is the new boat?", "filters": MINE, "history": (("user", "hello"),)}
        answer = memories.ask(**asked)
        assert isinstance(answer, AnswerResponse)
        assert "green" in answer.answer
        stream = memories.ask_stream(**asked)
        assert "".join(stream) == answer.answer
        assert stream.response.citations == answer.citations
        assert stream.response.asked_at == NOW

    def test_a_stream_can_be_left(self, memories):
        stream = memories.ask_stream("what colour is the new boat?", MINE)
        next(stream)
        stream.close()
        with pytest.raises(RuntimeError, match="closed before its end"):
            _ = stream.response

    def test_a_context_is_one_text_within_its_tokens_with_ids_to_cite(self, memories):
        context = memories.context("what colour is the new boat?", MINE, max_tokens=200)
        assert "green" in context.text
        assert context.tokens <= 200
        assert [each.number for each in context.citations] == list(range(1, len(context.citations) + 1))
        assert all(each.id and f"[{each.number}]" in context.text for each in context.citations)

    # --- lists -------------------------------------------------------------------------------------------------------

    def test_conversations_come_with_what_was_made_of_them_the_latest_first(self, memories):
        page = memories.conversations(MINE)
        assert [each.conversation_id for each in page.items] == [
            "porch",
            "harbour",
            "call",
            "pub",
            "pier",
            "orchard",
            "kitchen",
        ]
        porch, harbour = page.items[:2]
        assert (porch.title, porch.messages, porch.episodes, porch.open_messages, porch.participants) == (
            "",
            1,
            0,
            1,
            ("Maya",),
        )
        assert (harbour.title, harbour.messages, harbour.episodes, harbour.open_messages) == ("Rowing club", 5, 1, 2)
        assert harbour.participants == ("Jonas", "Maya")
        assert harbour.started_at == START + timedelta(minutes=1)
        assert harbour.last_at == START + timedelta(days=60, minutes=51)
        assert harbour.owner == MAYA.key
        assert page.next is None

    def test_conversations_come_page_by_page(self, memories):
        listed: list[str] = []
        after = None
        while True:
            page = memories.conversations(MINE, limit=3, after=after)
            listed += [each.conversation_id for each in page.items]
            if (after := page.next) is None:
                break
        assert listed == [each.conversation_id for each in memories.conversations(MINE).items]

    def test_conversations_of_a_time_are_counted_whole(self, memories):
        (_, harbour) = memories.conversations(MINE | {"since": START + timedelta(days=60)}).items
        assert (harbour.conversation_id, harbour.messages, harbour.open_messages) == ("harbour", 5, 2)
        (with_ines,) = memories.conversations(MINE | {"participants": ["Ines"]}).items
        assert with_ines == harbour

    def test_memories_of_a_kind_are_listed_the_newest_first(self, memories):
        facts = memories.browse("fact", MINE).items
        assert [fact.at for fact in facts] == sorted((fact.at for fact in facts), reverse=True)
        assert {fact.kind for fact in facts} == {"fact"}
        left = next(fact for fact in facts if fact.superseded_by)
        assert (left.text, left.valid_to) == ("Jonas said that I work at the shipyard now", left.valid_to)
        assert not any("as ever" in fact.text for fact in facts), "what repeats another stands in no list"
        (lease,) = memories.browse("fact", MINE | {"document_id": "lease"}).items
        assert str(lease.citation) == "lease.pdf, page 2"

    def test_all_kinds_are_listed_in_one_order_without_a_gap_or_twice(self, memories):
        whole = memories.browse(None, MINE, limit=200).items
        assert {each.kind for each in whole} >= {"message", "episode", "fact", "foresight", "profile", "entity", "relationship"}
        assert [(-each.at.timestamp(), each.id) for each in whole] == sorted((-each.at.timestamp(), each.id) for each in whole)
        listed: list[str] = []
        after = None
        while True:
            page = memories.browse(None, MINE, limit=7, after=after)
            listed += [each.id for each in page.items]
            if (after := page.next) is None:
                break
        assert listed == [each.id for each in whole]

    def test_knowledge_is_the_tenants_and_listed_as_that(self, memories):
        (handbook,) = memories.browse("knowledge", MINE).items
        assert (handbook.kind, handbook.owner, handbook.document_id) == ("knowledge", "default/tenant/default", "handbook")
        assert "handbook" not in {each.document_id for each in memories.browse(None, MINE, limit=200).items}

    def test_one_memory_is_found_by_its_id(self, memories):
        for kind in ("message", "episode", "fact", "entity", "profile", "foresight"):
            listed = memories.browse(kind, MINE, limit=1).items[0]
            assert memories.get(listed.id, MINE) == listed
        (odd,) = memories.browse("episode", {"user_id": ODD.id}).items
        assert memories.get(odd.id, {"user_id": ODD.id}) == odd
        assert memories.get(odd.id, MINE) is None
        assert memories.get("nothing/of/this name", MINE) is None

    def test_owners_are_those_of_the_tenant(self, memories):
        owners = memories.owners()
        assert [(each.type, each.id) for each in owners] == [("user", "maya"), ("group", "team"), ("user", ODD.id)]
        assert memories.owners("default") == owners

    # --- what is shown -----------------------------------------------------------------------------------------------

    def test_a_conversation_is_inspected_whatever_its_name(self, memories):
        inspection = memories.inspect("a/b c?", {"user_id": ODD.id})
        assert inspection is not None
        assert inspection.episodes[0].subject == "Slashes"
        assert memories.inspect("a/b c?", MINE) is None

    def test_a_history_tells_what_superseded_what(self, memories):
        history = memories.history("Jonas", MINE)
        assert any(fact.superseded_by for fact in history.facts)
        then = memories.history("Jonas", MINE | {"as_of": START + timedelta(days=15)})
        assert not any(fact.superseded_by for fact in then.facts)

    def test_documents_are_listed(self, memories):
        listed = memories.documents(MINE)
        assert [each.document_id for each in listed.documents] == ["lease"]
        assert memories.documents(MINE | {"before": START}).documents == ()

    def test_the_graph_begins_at_a_name_or_at_what_is_spoken_of_most(self, memories):
        around = memories.graph("jonas", MINE, hops=1)
        assert [each.name for each in around.entities] == ["Jonas"]
        assert [(each.source, each.target) for each in around.relationships] == [("Jonas", "Porto"), ("Jonas", "Bergen")]
        assert [each.hop for each in around.relationships] == [1, 1]
        assert memories.graph("Jonas", MINE, hops=0).relationships == ()
        further = memories.graph("Jonas", MINE, hops=2)
        assert ("Ines", "Porto") in {(each.source, each.target) for each in further.relationships}
        assert [each.name for each in memories.graph(None, MINE).entities] == ["Jonas"]
        assert memories.graph("Nobody", MINE).entities == ()

    def test_a_portrait_shows_its_evidence_and_what_changed(self, memories):
        portrait = memories.portrait(MINE)
        assert portrait.owner == MAYA.key
        (line,) = portrait.lines
        assert (line.statement, line.holds) == ("Maya is patient and curious", True)
        assert (line.evidence[0].message_ids, line.evidence[0].at) == (("m1",), START)
        (change,) = portrait.changes
        assert change.older.text == "Jonas said that I work at the shipyard now"
        assert change.newer is not None
        assert change.newer.text == "Jonas said that I have signed at the observatory"
        assert change.at == change.newer.said_at

    # --- waiting -----------------------------------------------------------------------------------------------------

    def test_a_flush_that_is_done_is_told_at_once_and_another_after_its_time(self, memories):
        assert memories.wait_for_flush("flush/1", timeout=0.0)
        assert memories.wait_for_flush("flush/1", "default", timeout=60.0)
        assert not memories.wait_for_flush("another", timeout=0.05)

    def test_a_receipt_is_there_once_an_erasure_is_done(self, memories):
        receipt = memories.receipt("erasure 1")
        assert receipt is not None
        assert (receipt.erased_at, receipt.removed) == (LATER, {"messages": 3, "facts": 1})
        assert memories.receipt("erasure 2") is None

    # --- errors ------------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("name", "arguments", "message"),
        [
            ("search", ("", "hybrid", MINE), "query"),
            ("search", ("a question", "clever", MINE), "method"),
            ("search", ("a question", "hybrid", {}), "user_id"),
            ("search", ("a question", "hybrid", {"user": "maya"}), "user not known"),
            ("search", ("a question", "hybrid", {"user_id": "maya", "group_id": "team"}), "leave one out"),
            ("ask_stream", ("", MINE), "question|query"),
            ("history", ("", MINE), "entity"),
            ("history", ("?!", MINE), "entity: there is no word in it"),
            ("inspect", ("harbour", MINE | {"as_of": START}), "as_of is for search and history"),
            ("documents", (MINE | {"as_of": START},), "as_of"),
            ("conversations", (MINE, 0), "limit: 0 is not possible; a page has 1 to 200 items"),
            ("conversations", (MINE, 201), "limit"),
            ("conversations", (MINE, 5, "no cursor"), "after: this is no cursor"),
            ("conversations", (MINE | {"as_of": START},), "as_of"),
            ("conversations", (MINE | {"kinds": ["fact"]},), "kinds"),
            ("browse", ("thought", MINE), "kind"),
            ("browse", ("fact", MINE, 5, "WzFd"), "after: this is no cursor"),
            ("browse", ("fact", MINE | {"expired": True}), "expired"),
            ("get", ("an id", {}), "user_id"),
            ("graph", ("?!", MINE), "entity: there is no word in it"),
            ("graph", (None, MINE, 4), "hops"),
            ("graph", (None, MINE, 1, 0), "limit"),
            ("graph", (None, MINE | {"metadata": {"a": 1}}), "metadata"),
            ("portrait", (MINE | {"as_of": START},), "as_of"),
        ],
    )
    def test_what_is_wrong_is_an_input_error_that_names_it(self, memories: Memories, name: str, arguments: Any, message: str):
        with pytest.raises(InputError, match=message):
            getattr(memories, name)(*arguments)

    def test_a_cursor_of_another_list_is_only_a_place(self, memories):
        after = memories.conversations(MINE, limit=1).next
        assert memories.browse("episode", MINE, after=after).items

    def test_ids_of_the_world_are_as_expected(self, memories):
        identity = ids.message_id("default", "harbour", "m1")
        memory = memories.get(identity, MINE)
        assert memory is not None
        assert (memory.kind, memory.text, memory.body["sender_name"]) == ("message", HARBOUR[0][1], "Maya")
