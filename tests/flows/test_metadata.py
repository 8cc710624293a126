"""What is made from messages has their metadata, and keeps it right when messages are edited or deleted."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flows.cuts import Cut, ExtractedCase, ExtractedFact, ExtractedForesight, Extraction, Utterance
from flows.extraction.assemble import assemble
from flows.maintenance.rebuild import carried_messages
from mneme.labels import labels_of
from mneme.records import Metadata
from mneme.rows import Collection, Embedding, Row, row_of
from tests.flows.river import River, contents, edit, embed, message
from tests.memory_index_reference import ReferenceIndex


def told(*lines: tuple[str, Mapping[str, Any]]) -> River:
    """A conversation, ended."""
    river = River(ReferenceIndex())
    river.feed(*(message(number, text, metadata=metadata) for number, (text, metadata) in enumerate(lines, 1)))
    river.end()
    return river


def facts(river: River) -> dict[str, Row]:
    """The facts that are found, by their words."""
    river.index.refresh()
    return {row.body["atomic_fact"]: row for row in river.index.scan(Collection.FACTS)}


def episode(river: River) -> Row:
    river.index.refresh()
    (row,) = river.index.scan(Collection.EPISODES)
    return row


def test_each_record_has_what_its_own_messages_have():
    river = told(
        ("we chose oak", {"project": "apollo", "priority": 2}),
        ("the shop is closed", {"project": "zeus"}),
        ("it rains", {}),
    )
    assert episode(river).record().metadata == {"project": ("apollo", "zeus"), "priority": (2,)}
    by_text = facts(river)
    assert by_text["we chose oak"].record().metadata == {"project": ("apollo",), "priority": (2,)}
    assert by_text["it rains"].record().metadata == {}
    for row in (episode(river), *by_text.values()):
        assert row.labels == labels_of(row.record().metadata)


def test_a_deleted_message_takes_its_values_along_and_an_edited_one_keeps_them():
    river = told(("we chose oak", {"project": "apollo"}), ("the shop is closed", {"project": "zeus"}))
    river.feed(edit(1, "we chose pine", 100), edit(2, None, 101))
    river.end()
    assert episode(river).record().metadata == {"project": ("apollo",)}
    assert facts(river)["we chose pine"].record().metadata == {"project": ("apollo",)}
    river.index.refresh()
    labels = {row.body["message_id"]: row.labels for row in river.index.scan(Collection.MESSAGES)}
    assert labels == {"m001": labels_of({"project": "apollo"}), "m002": ()}


def test_a_statement_is_found_by_where_it_was_said_again_as_long_as_it_was():
    river = told(("we chose oak", {"project": "apollo"}), ("NEW it rains", {}))
    river.feed(message(9, "we chose oak", "later", metadata={"project": "zeus"}))
    river.end()
    said = facts(river)["we chose oak"]
    assert said.record().metadata == {"project": ("apollo",)}
    assert said.labels == labels_of({"project": ("apollo", "zeus")})
    river.feed(edit(9, None, 100, "later"))
    river.end()
    assert facts(river)["we chose oak"].labels == labels_of({"project": "apollo"})


def test_late_edited_and_deleted_messages_lead_to_what_a_clean_run_gives():
    lines = [("we chose oak", {"n": 1}), ("it rains", {"n": 2}), ("NEW the shop is closed", {"n": 3}), ("we wait", {"n": 4})]
    river = River(ReferenceIndex())
    river.feed(*(message(number, text, metadata=metadata) for number, (text, metadata) in enumerate(lines, 1) if number != 2))
    river.end()
    river.feed(message(2, "it snows", metadata={"n": 2}), message(5, "gone soon", metadata={"n": 5}))
    river.feed(edit(2, "it rains", 100), edit(5, None, 101))
    river.end()
    assert contents(river.index) == contents(told(*lines).index)


def test_a_rebuild_labels_messages_that_were_stored_before_there_were_labels():
    arrived = message(1, "we chose oak", metadata={"project": "apollo"}).message
    before = replace(row_of(arrived, Embedding(embed([arrived.text])[0])), labels=())
    (row,) = carried_messages([before], ReferenceIndex(), lambda texts: [], keep_vectors=True)
    assert row.labels == labels_of({"project": "apollo"})
    assert row.vector is not None


def test_everything_that_an_extractor_gives_has_the_metadata_of_what_it_cites():
    said: list[tuple[str, Metadata]] = [("we meet on Friday", {"n": (1,)}), ("the wiki is slow", {"n": (2,)})]
    utterances = tuple(
        Utterance(message(number, text, metadata={"n": number}, agent_id="helper").message, embed([text])[0])
        for number, (text, _) in enumerate(said, 1)
    )
    cut = Cut("e", utterances[0].message.owner, "talk", None, utterances, "boundary")
    extraction = Extraction(
        subject="Plans",
        summary="Plans.",
        narrative="Plans.",
        facts=(ExtractedFact("They meet, and the wiki is slow", "plans", (0, 1)),),
        foresights=(ExtractedForesight("They meet", "on Friday", (0,)),),
        case=ExtractedCase("repair the wiki", "look", 0.5, "none"),
    )
    made = assemble({"lane": "default/talk"}, cut, extraction, "test").made
    rows = [row_of(each.record) for each in made]
    assert {row.kind: row.record().metadata["n"] for row in rows} == {
        "episode": (1, 2),
        "fact": (1, 2),
        "foresight": (1,),
        "case": (1, 2),
    }
    assert all(row.labels for row in rows)
