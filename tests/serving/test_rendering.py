"""How results look: one ranking over all types, and days as the speakers had them."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console, RenderableType

from mneme.records import AtomicFact, Citation, Mention, Owner, ProfileItem, Quote, Spoken
from queries.responses import (
    FoundCase,
    FoundEpisode,
    FoundFact,
    FoundForesight,
    FoundMessage,
    FoundProfile,
    Graph,
    GraphRelationship,
    Metrics,
    QueryEcho,
    SearchResponse,
    TraceStep,
)
from serving.terminal.format import count, expected, span, until, whole_day
from serving.terminal.search_view import explanation, in_short, said, search_result
from serving.terminal.tables import fact_table

NOON = datetime(2025, 3, 14, 12, tzinfo=UTC)
SAID = NOON + timedelta(minutes=7)
OWNER = Owner(tenant_id="default", type="group", id="team")


def printed(renderable: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def fact(rank: int | None, text: str, parent: str = "e1") -> FoundFact:
    return FoundFact(
        id=f"{parent}/{text}",
        score=0.5,
        rank=rank,
        atomic_fact=text,
        topic_name="topic",
        parent_episode_id=parent,
        message_ids=("m1",),
        said_at=NOON,
    )


def episode(rank: int | None, subject: str, document: str | None = None, facts: tuple[FoundFact, ...] = ()) -> FoundEpisode:
    return FoundEpisode(
        id="e1" if document is None else "d1",
        score=0.4,
        rank=rank,
        subject=subject,
        summary=f"summary of {subject}",
        episode="",
        conversation_id=None if document else "c",
        document_id=document,
        section=None,
        started_at=NOON,
        ended_at=NOON,
        participants=("Ben", "Priya"),
        message_ids=("m1", "m2"),
        atomic_facts=facts,
    )


def expectation(rank: int, expired: bool = False) -> FoundForesight:
    told = {"id": "s", "score": 0.2, "rank": rank, "statement": "later", "evidence": "", "start": None, "end": None}
    return FoundForesight.model_validate(
        told | {"expired": expired, "said_at": NOON, "parent_episode_id": "e1", "message_ids": ()}
    )


def response(**found: object) -> SearchResponse:
    query = QueryEcho(text="?", method="hybrid", filters_applied={}, type="general", top_k=20, notes=("vector leg off",))
    metrics = Metrics(milliseconds=1.0, round_trips=2, candidates={}, scoring="min-max")
    return SearchResponse.model_validate({"query": query, "metrics": metrics, **found})


PAGE_TWO = Citation(document_id="offer", name="offer.pdf", section="Prices", place="page 2")


def test_what_stands_in_a_document_cites_file_and_page() -> None:
    cited_fact = fact(1, "A desk costs 120 euros", "d1").model_copy(update={"citation": PAGE_TWO})
    cited_section = episode(2, "Prices", "offer", (cited_fact,)).model_copy(update={"citation": PAGE_TWO})
    text = printed(search_result(response(facts=(cited_fact,), knowledge=(cited_section,))))
    assert "fact · Prices · offer.pdf · page 2" in text
    assert "document · offer.pdf · page 2" in text


def test_a_document_that_was_read_before_there_were_citations_is_named_by_its_id() -> None:
    text = printed(search_result(response(knowledge=(episode(1, "Prices", "offer"),))))
    assert "document · offer" in text


def test_all_types_stand_in_one_list_by_rank() -> None:
    message = FoundMessage(
        id="m",
        score=0.3,
        rank=2,
        message_id="m",
        conversation_id="c",
        sender_id="ben",
        sender_name="Ben",
        text="open",
        sent_at=NOON,
    )
    ahead = (expectation(4),)
    found = response(episodes=(episode(3, "third"),), facts=(fact(1, "first"),), raw_messages=(message,), foresights=ahead)
    text = printed(search_result(found))
    places = [text.index(word) for word in ("first", "Ben: open", "summary of third", "later")]
    assert places == sorted(places)


def test_what_has_no_rank_is_context_and_not_listed() -> None:
    text = printed(search_result(response(episodes=(episode(None, "context"),), facts=(fact(1, "first"),))))
    assert "summary of context" not in text
    assert "fact · context" in text


def test_what_was_left_out_is_said() -> None:
    text = printed(search_result(response()))
    assert "nothing found" in text
    assert "note: vector leg off" in text


def test_what_became_of_a_fact_is_said() -> None:
    told = fact(1, "first").model_copy(update={"valid_to": SAID, "repeated_by": ("e2/f/0", "e3/f/0")})
    assert "said 3 times · no longer so since 2025-03-14" in printed(search_result(response(facts=(told,))))


def test_what_ends_some_day_is_so_until_then() -> None:
    assert until(datetime(2999, 1, 1, tzinfo=UTC)) == "so until 2999-01-01"
    assert until(datetime(2026, 1, 20, 19, tzinfo=UTC)) == "no longer so since 2026-01-20"
    assert until(datetime(2026, 1, 20, 19, tzinfo=UTC), whole_day) == "no longer so since 2026-01-21"


def test_what_is_expected_and_over_is_said_to_be_over() -> None:
    assert "later · over" in printed(search_result(response(foresights=(expectation(1, expired=True),))))


def test_a_line_of_a_portrait_says_how_often_it_was_shown() -> None:
    shown = Mention(episode_id="e1", text="tea again", at=NOON)
    lines = [
        ProfileItem(about="Ben", statement=statement, category="preference", evidence=(shown,) * times)
        for statement, times in (("Ben likes tea", 2), ("Ben likes rain", 1))
    ]
    portrait = FoundProfile(id="p", score=0.2, rank=1, explicit=tuple(lines), implicit=())
    text = printed(search_result(response(profiles=(portrait,))))
    assert "• Ben likes tea · shown 2 times" in text
    assert "• Ben likes rain\n" in "\n".join(line.rstrip() for line in text.splitlines())


def test_an_edge_says_since_when_and_until_when() -> None:
    edge = GraphRelationship(
        id="r", source="Ben", relation="works_at", target="the mill", date=SAID, valid_to=SAID + timedelta(days=9), mentions=4
    )
    text = printed(search_result(response(graph=Graph(relationships=(edge,)))))
    assert "Ben — works at — the mill  since 2025-03-14 · no longer so since 2025-03-23 · said 4 times" in text


def test_a_fact_in_short_says_when_or_where_it_stands() -> None:
    assert in_short(fact(1, "140 euros")).plain == f"{SAID:%Y-%m-%d}  140 euros"
    place = Citation(document_id="d", name="handbook.md", place="line 77")
    told = fact(1, "140 euros").model_copy(update={"citation": place})
    assert in_short(told).plain == "handbook.md · line 77  140 euros"


def test_a_quote_in_short_says_who_said_it_and_what_it_answers() -> None:
    asked = Spoken(speaker="Ann", words="When is your birthday?", message_id="m1")
    quote = Quote(speaker="Ben", words="Yes, in May.", question=asked)
    told = fact(1, "Ben, 14 March 2025 (Ann: ...): Yes, in May. [May: May 2025]").model_copy(update={"quote": quote})
    assert said(told).plain == "Ben: Yes, in May.  (to: “When is your birthday?”) [May: May 2025]"


def test_an_episode_in_short_shows_its_best_fact_that_does_not_only_ask() -> None:
    found = episode(1, "told", facts=(fact(None, "best?"), fact(None, "second")))
    assert in_short(found).plain == f"{found.started_at:%Y-%m-%d}  told · second"


@pytest.mark.parametrize(
    ("insight", "told"),
    [
        (
            "Lesson: migrate first. Failed: get(url=x) -> 503: no column vat. Failed: migrate(y) -> error: locked.",
            "Lesson: migrate first. Failed: 503: no column vat.",
        ),
        ("Failed: book(four) -> error: seats. Then worked: book(4) -> confirmed.", "Failed: error: seats."),
        ("The cause was debug logging.", "The cause was debug logging."),
    ],
)
def test_a_case_in_short_is_its_lesson_and_what_failed_without_the_calls(insight: str, told: str) -> None:
    found = FoundCase.model_construct(task_intent="Deploy", key_insight=insight)
    assert in_short(found).plain == f"case  Deploy · {told}"


def test_a_chinese_item_is_not_parted_from_its_dot() -> None:
    text = printed(search_result(response(episodes=(episode(1, "民宿", facts=(fact(None, "民宿五百块一晚" * 20),)),))))
    assert "•民宿" in text


def test_an_explanation_shows_the_best_of_each_list_and_who_replaced_whom() -> None:
    recalled = [TraceStep(stage="recall", move="bm25", id=f"r{n:02d}", score=1, reason=f"episodes {n + 1}") for n in range(30)]
    competed = [
        TraceStep(stage="compete", move="replaced", id="e1", score=1, reason="by its fact e1/first"),
        TraceStep(stage="compete", move="entered", id="e1/first", score=1, reason="in place of its episode e1"),
    ]
    found = response(episodes=(episode(None, "parent"),), facts=(fact(1, "first"),), trace=(*recalled, *competed))
    text = printed(search_result(found))
    assert "bm25 episodes" in text
    assert "30 found" in text
    assert "r04" in text
    assert "r05" not in text
    assert "1 replaced, 1 entered" in text
    replaced = text[text.index("1 replaced") :]
    assert replaced.index("parent") < replaced.index("by its fact: first")


def test_an_explanation_does_not_list_without_end() -> None:
    competed = [TraceStep(stage="compete", move="replaced", id=f"c{n:02d}", score=1, reason="by its fact f") for n in range(30)]
    text = printed(search_result(response(trace=competed)))
    assert "c19" in text
    assert "c20" not in text
    assert "and 10 more" in text


def test_a_long_text_is_shortened_in_an_explanation_whatever_its_language() -> None:
    told = fact(1, "发布改到八月八号" * 40)
    step = TraceStep(stage="recall", move="bm25", id=told.id, score=1, reason="facts 1")
    text = "".join(printed(explanation(response(facts=(told,), trace=(step,)))).split())
    assert "发布改到八月八号" * 12 in text
    assert "发布改到八月八号" * 13 not in text


def test_one_result_of_one_round_trip_is_counted_as_one() -> None:
    found = response(facts=(fact(1, "first"),))
    found = found.model_copy(update={"metrics": found.metrics.model_copy(update={"round_trips": 1})})
    text = printed(search_result(found))
    assert text.rstrip().endswith("1 result · hybrid · 1 ms · 1 round trip")


@pytest.mark.parametrize("offset", [-10, -5, 0, 2, 8, 13])
def test_a_day_that_is_expected_is_the_day_of_the_speaker(offset: int) -> None:
    midnight = datetime(2025, 6, 27, tzinfo=UTC) - timedelta(hours=offset)
    assert expected(midnight, midnight + timedelta(days=1)) == "2025-06-27"


def test_an_hour_that_is_expected_is_on_its_day() -> None:
    evening = datetime(2025, 6, 27, 20, tzinfo=UTC)
    assert expected(evening, evening + timedelta(hours=1)) == "2025-06-27"
    assert expected(evening, None) == "2025-06-27"


@pytest.mark.parametrize(
    ("length", "told"),
    [
        (1, "2025-01-01"),
        (7, "2025-01-01 to 2025-01-07"),
        (31, "2025-01"),
        (90, "2025-01 to 2025-03"),
        (365, "2025"),
        (731 - 1, "2025 to 2026"),
    ],
)
def test_what_is_expected_is_told_as_precisely_as_it_was_said(length: int, told: str) -> None:
    midnight = datetime(2025, 1, 1, tzinfo=UTC) - timedelta(hours=8)
    assert expected(midnight, midnight + timedelta(days=length)) == told


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (datetime(2025, 4, 30, 16, tzinfo=UTC), "2025-05-01"),
        (datetime(2025, 4, 30, 16, 20, tzinfo=UTC), "2025-04-30"),
        (datetime(2025, 5, 1, 5, tzinfo=UTC), "2025-05-01"),
    ],
)
def test_what_begins_at_a_midnight_in_the_east_is_of_that_day(moment: datetime, told: str) -> None:
    assert whole_day(moment) == told


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (NOON, "2025-03-14"),
        (NOON + timedelta(minutes=20), "2025-03-14 12:00–12:20"),
        (NOON + timedelta(days=2), "2025-03-14–03-16"),
    ],
)
def test_a_span_is_told_as_short_as_it_can_be(end: datetime, told: str) -> None:
    assert span(NOON, end) == told


def test_numbers_and_nouns_agree() -> None:
    assert [count(number, "fact") for number in (0, 1, 2)] == ["0 facts", "1 fact", "2 facts"]


def stored_fact(**changes: object) -> AtomicFact:
    fields = {
        "id": "e1/f/0",
        "owner": OWNER,
        "conversation_id": "c",
        "created_at": NOON,
        "version": 1,
        "parent_episode_id": "e1",
        "atomic_fact": "发布改到八月八号。" * 10,
        "topic_name": "发布",
        "message_ids": ("m1",),
        "said_at": NOON,
    }
    return AtomicFact.model_validate(fields | changes)


def test_the_facts_of_a_document_have_no_day() -> None:
    place = Citation(document_id="handbook.md", name="handbook.md", place="line 77")
    text = printed(fact_table([stored_fact(document_id="handbook.md", conversation_id=None, citation=place)]))
    assert "2025" not in text
    assert "line 77" in text
