"""Dates by a model, from the message to the console: as precise as they were said, never the first of January for a year."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import pytest

import flows
from connectors.indices import open_index
from mneme.dates import DaySpan
from mneme.records import AtomicFact
from mneme.rows import Collection
from mneme.settings import Settings, load_settings
from queries import Memories
from queries.answers.dates import event_days, name_of
from queries.responses import FoundFact
from serving.console.markup import expected
from tests.servers.model_answers import lines_of
from tests.servers.models import ModelServer

pytestmark = pytest.mark.slow

SAID_AT = datetime(2026, 3, 4, 15, tzinfo=UTC)  # a Wednesday

# What Ann says | what the model makes of it | its date | the days that are remembered, = for the same.
# In the last third the model is wrong: it gives the first day of a year or month, or a date where none was said.
TABLE = """
    I saw the dentist yesterday. | Ann saw the dentist on 3 March 2026. | 2026-03-03 | =
    The day before yesterday the boiler broke. | Ann's boiler broke on 2 March 2026. | 2026-03-02 | =
    I had sushi for lunch today. | Ann had sushi for lunch on 4 March 2026. | 2026-03-04 | =
    Tomorrow I meet the plumber. | Ann plans to meet the plumber on 5 March 2026. | 2026-03-05 | =
    The day after tomorrow we sign the lease. | Ann plans to sign the lease on 6 March 2026. | 2026-03-06 | =
    Last Friday I won the chess cup. | Ann won the chess cup on 27 February 2026. | 2026-02-27 | =
    On Sunday I baked rye bread. | Ann baked rye bread on 1 March 2026. | 2026-03-01 | =
    Three days ago I lost my scarf. | Ann lost her scarf on 1 March 2026. | 2026-03-01 | =
    A week ago the roof leaked. | Ann's roof leaked. | 2026-W09 | 2026-02-23/2026-03-01
    Two weeks ago I sold the piano. | Ann sold the piano. | 2026-W08 | 2026-02-16/2026-02-22
    In two weeks I fly to Lisbon. | Ann plans to fly to Lisbon. | 2026-W12 | 2026-03-16/2026-03-22
    Last week I painted the fence. | Ann painted the fence. | 2026-W09 | 2026-02-23/2026-03-01
    This week I am fasting. | Ann is fasting. | 2026-W10 | 2026-03-02/2026-03-08
    Next week I start pottery. | Ann plans to start pottery. | 2026-W11 | 2026-03-09/2026-03-15
    Last weekend I built a shelf. | Ann built a shelf. | 2026-02-28/2026-03-01 | =
    Last month we adopted a parrot. | Ann adopted a parrot in February 2026. | 2026-02 | =
    This month I learn juggling. | Ann learns juggling. | 2026-03 | =
    Next month I move to Turin. | Ann plans to move to Turin in April 2026. | 2026-04 | =
    Five months ago I met Olga. | Ann met Olga in October 2025. | 2025-10 | =
    In three months the shop opens. | The shop is to open in June 2026. | 2026-06 | =
    Last year I ran a marathon. | Ann ran a marathon in 2025. | 2025 | =
    Next year I will study law. | Ann plans to study law in 2027. | 2027 | =
    Two years ago I quit smoking. | Ann quit smoking in 2024. | 2024 | =
    In 2018 I lived in Quito. | Ann lived in Quito in 2018. | 2018 | =
    I married in May 2019. | Ann married in May 2019. | 2019-05 | =
    My exam is on 12 June. | Ann's exam is on 12 June 2026. | 2026-06-12 | =
    On 3 January I bought a kayak. | Ann bought a kayak on 3 January 2026. | 2026-01-03 | =
    I was born on 9 April 1988. | Ann was born on 9 April 1988. | 1988-04-09 | =
    From 10 to 14 August we are in Split. | Ann plans to be in Split from 10 to 14 August 2026. | 2026-08-10/2026-08-14 | =
    The lease ends in October. | Ann's lease ends in October 2026. | 2026-10 | =
    Last summer I sailed to Corsica. | Ann sailed to Corsica in summer 2025. | 2025-06/2025-08 | =
    Next summer we hike in Norway. | Ann plans to hike in Norway in summer 2026. | 2026-06/2026-08 | =
    In the autumn of 2022 I planted a walnut tree. | Ann planted a walnut tree in autumn 2022. | 2022-09/2022-11 | =
    On my birthday I got a telescope. | Ann got a telescope on her birthday. | 2026-01-17 | =
    At the wedding I danced a tango. | Ann danced a tango at the wedding. | 2025-09 | =
    During the holidays I read Proust. | Ann read Proust during the holidays. | 2025-W52 | 2025-12-22/2025-12-28
    Recently I began to knit. | Ann began to knit. |  |
    A few days ago I found a coin. | Ann found a coin. |  |
    Some day I want to see Petra. | Ann wants to see Petra. |  |
    I like liquorice. | Ann likes liquorice. |  |
    Lately I sleep badly. | Ann sleeps badly. |  |
    Soon I will repair the radio. | Ann plans to repair the radio. |  |
    In 2017 I worked in Riga. | Ann worked in Riga in 2017. | 2017-01-01 | 2017
    I sang in a choir in June 2016. | Ann sang in a choir in June 2016. | 2016-06-01 | 2016-06
    Last year I visited Bali. | Ann visited Bali in 2025. | 2025-01-01 | 2025
    I plan to visit Rome next year. | Ann plans to visit Rome in 2027. | 2027-01-01 | 2027
    In 2015 I kept rabbits. | Ann kept rabbits. |  |
    Lately I bought a loom. | Ann bought a loom. | 2026-03-03 |
    I collect stamps. | Ann collects stamps. | 2026-03-04 |
    We wanted to go skiing last week, but it rained. | Ann planned to go skiing. | 2026-W09 | 2026-02-23/2026-03-01
    This week I want to see the opera. | Ann plans to see the opera. | 2026-W10 | 2026-03-02/2026-03-08
    Tonight I am going to the sauna. | Ann plans to go to the sauna on 4 March 2026. | 2026-03-04 | =
    昨天我买了一台相机。 | Ann 2026年3月3日买了一台相机。 | 2026-03-03 | =
    上周我去了杭州。 | Ann 去了杭州。 | 2026-W09 | 2026-02-23/2026-03-01
    下个月我要搬到成都。 | Ann 打算2026年4月搬到成都。 | 2026-04 | =
    去年我学会了游泳。 | Ann 2025年学会了游泳。 | 2025 | =
    明年我要考研。 | Ann 打算2027年考研。 | 2027 | =
    2019年我住在大连。 | Ann 2019年住在大连。 | 2019 | =
    三天前我弄丢了雨伞。 | Ann 2026年3月1日弄丢了雨伞。 | 2026-03-01 | =
    最近我开始学吉他。 | Ann 开始学吉他。 |  |
"""


class Row(NamedTuple):
    """One line of the table."""

    said: str
    statement: str
    when: str
    days: str

    @property
    def remembered(self) -> str:
        """The days that are remembered, as they are written."""
        return self.when if self.days == "=" else self.days


ROWS = [Row(*(cell.strip() for cell in line.split("|"))) for line in TABLE.strip().splitlines()]


def extracted(schema: dict[str, Any], user: str) -> dict[str, Any]:
    """Fill the form of an episode with the model's reading of each message."""
    by_words = {row.said: row for row in ROWS}
    told = [(line.number, by_words[line.text]) for line in lines_of(user) if line.number is not None]
    facts = [{"statement": row.statement, "when": row.when, "sources": [number]} for number, row in told]
    lists: dict[str, list[Any]] = {name: [] for name in schema["properties"] if name not in ("subject", "summary", "case")}
    return {**lists, "subject": "Ann", "summary": "Ann tells.", "facts": facts, "case": None}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Those of an index with every message of the table, read by the model."""
    folder = tmp_path_factory.mktemp("dates")
    events = [
        {
            "event": "message",
            "conversation_id": "ann",
            "user_id": "ann",
            "sender_id": "ann",
            "sender_name": "Ann",
            "message_id": str(number),
            "sent_at": (SAID_AT + timedelta(seconds=number)).isoformat(),
            "content": row.said,
        }
        for number, row in enumerate(ROWS)
    ]
    (folder / "ann.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    with ModelServer() as server:
        server.answer = extracted
        settings = load_settings(
            {},
            data=folder / "data",
            index={"backend": "embedded"},
            embedder={"provider": "hash"},
            models={"provider": "openai", "base_url": server.url},
            extraction={"extractor": "model"},
            answers={"writer": "extractive"},
        )
        flows.ingest([folder / "ann.jsonl"], settings)
        yield settings


@pytest.fixture(scope="module")
def facts(settings: Settings) -> dict[str, AtomicFact]:
    """The facts in the index, by what they state."""
    with closing(open_index(settings, read_only=True)) as index:
        records = [row.record() for row in index.scan(Collection.FACTS)]
    return {record.atomic_fact: record for record in records if isinstance(record, AtomicFact)}


@pytest.fixture(scope="module")
def memories(settings: Settings) -> Iterator[Memories]:
    with Memories.open(settings, clock=lambda: SAID_AT + timedelta(days=1)) as memories:
        yield memories


def days_of(row: Row) -> DaySpan | None:
    """The days that are remembered."""
    if not row.remembered:
        return None
    first, _, last = row.remembered.partition("/")
    return DaySpan.between(*(event_days_of(first)[0], event_days_of(last or first)[1]))


def event_days_of(written: str) -> tuple[date, date]:
    """The first and the last day of a year, a month or a day."""
    parts = [int(part) for part in written.split("-")]
    first = date(*(*parts, 1, 1)[:3])
    behind = {1: date(first.year + 1, 1, 1), 2: (first + timedelta(days=31)).replace(day=1), 3: first + timedelta(days=1)}
    return first, behind[len(parts)] - timedelta(days=1)


def shown(row: Row) -> str:
    """The days that are remembered as the console shows them."""
    forms = {4: "%Y", 7: "%b %Y", 10: "%-d %b %Y"}
    return " to ".join(event_days_of(each)[0].strftime(forms[len(each)]) for each in row.remembered.split("/"))


def test_there_are_sixty() -> None:
    assert len(ROWS) == len({row.statement for row in ROWS}) == 60


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.said)
def test_a_date_keeps_its_precision_everywhere(row: Row, facts: dict[str, AtomicFact], memories: Memories) -> None:
    days = days_of(row)
    fact = facts[row.statement]
    bounds = days.bounds(UTC) if days else (None, None)
    assert (fact.event_at, fact.event_until) == bounds

    found = memories.search(row.statement, filters={"user_id": "ann"}, top_k=5)
    [hit] = [each for each in found.facts if isinstance(each, FoundFact) and each.atomic_fact == row.statement]
    assert (hit.event_at, hit.event_until) == bounds
    if days is not None:
        assert hit.event_at is not None
        assert expected(hit.event_at, hit.event_until) == shown(row)

    answer = memories.ask(row.statement, {"user_id": "ann"}, explain=True)
    texts = (answer.context or "", memories.context(row.statement, {"user_id": "ann"}).text)
    for text in texts:
        [line] = [line for line in text.splitlines() if row.statement in line]
        about = line.split(row.statement)[1]
        if days is None or (days.days == 1 and days.first == SAID_AT.date()):
            assert about == ""
        else:
            assert name_of(event_days(*days.bounds(UTC), UTC)) in about
        assert "happened" not in text
        assert "-01-01" not in text
