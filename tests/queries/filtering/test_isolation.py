"""Whoever asks, and whatever is asked: nothing of another owner or tenant is in the answer, nor is it even read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.extraction import LocalExtractor
from mneme.errors import InputError
from mneme.ids import owner_key
from mneme.ports import Filter, Group, Hit, Place, Scored, Selection, TextLeg, VectorLeg
from mneme.records import Owner, OwnerType
from mneme.rows import Collection, Key, Row, Vector
from queries import Memories
from serving.cli import app
from tests.contracts.isolation import QUERIES
from tests.flows.river import IDENTITY, START, River, embed, message
from tests.memory_index_reference import ReferenceIndex
from tests.queries.world import settings as world_settings

PEOPLE: list[tuple[str, OwnerType, str]] = [
    *(
        ("acme", "user", "ann"),
        ("acme", "user", "ann/"),
        ("acme", "user", "Ann"),
        ("acme", "user", "аnn"),
        ("acme", "user", "*"),
    ),
    *(("acme", "group", "ann"), ("acme", "agent", "ann"), ("acme/", "user", "ann"), ("ACME", "user", "ann")),
    *(
        ("acme/user", "user", "ann"),
        ("acme", "user", "user/ann"),
        ("other", "user", "ann' OR '1'='1"),
        ("other", "user", "ann"),
    ),
]
METHODS = ("keyword", "vector", "hybrid")


@dataclass(frozen=True)
class Person:
    """An owner with a word that is nobody else's."""

    number: int
    owner: Owner

    @property
    def secret(self) -> str:
        return f"Zanzi{'abcdefghijklmnop'[self.number]}bar"

    @property
    def asks(self) -> dict[str, Any]:
        return {"tenant_id": self.owner.tenant_id, f"{self.owner.type}_id": self.owner.id}


EVERYBODY = [Person(n, Owner(tenant_id=tenant, type=kind, id=name)) for n, (tenant, kind, name) in enumerate(PEOPLE)]


class Watched(ReferenceIndex):
    """An index that lets nothing be read but for owners that are ``allowed``, and nothing without saying for whom."""

    allowed: frozenset[str] | None = None
    tenant = ""

    def recall(self, legs: Sequence[TextLeg | VectorLeg]) -> list[list[Hit]]:
        for leg in legs:
            self._watch(leg.filter)
        return super().recall(legs)

    def ask(
        self,
        legs: Sequence[TextLeg | VectorLeg],
        selections: Sequence[Selection],
        tokens: Sequence[str],
        vector: Vector | None,
    ) -> tuple[list[list[Hit]], list[list[Scored]]]:
        for each in selections:
            self._watch(each.filter)
        return super().ask(legs, selections, tokens, vector)

    def scan(self, collection: Collection, filter: Filter | None = None, with_vectors: bool = False) -> Iterator[Row]:
        self._watch(filter)
        return super().scan(collection, filter, with_vectors)

    def count(self, collection: Collection, filter: Filter | None = None) -> int:
        self._watch(filter)
        return super().count(collection, filter)

    def page(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Row]:
        self._watch(filter)
        return super().page(collection, filter, limit, after)

    def conversations(self, collection: Collection, filter: Filter, limit: int, after: Place | None = None) -> list[Group]:
        self._watch(filter)
        return super().conversations(collection, filter, limit, after)

    def get(self, keys: Sequence[Key], with_vectors: bool = False) -> dict[Key, Row]:
        if self.allowed is not None:
            assert {key.owner_key for key in keys} <= self.allowed
        return super().get(keys, with_vectors)

    def _watch(self, filter: Filter | None) -> None:
        if self.allowed is not None:
            assert filter is not None, "a search without a filter"
            assert filter.tenant_id == self.tenant
            assert filter.owner_keys
            assert set(filter.owner_keys) <= self.allowed


class Words:
    """The embedder of the river."""

    identity = IDENTITY

    def embed(self, texts: Sequence[str]) -> Vector:
        return embed(list(texts))

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def index() -> Watched:
    """Everybody has said the same, with the same ids where a tenant allows it, but for a secret."""
    index = Watched()
    river = River(index, extractor=LocalExtractor())
    for person in EVERYBODY:
        said = {"tenant_id": person.owner.tenant_id, "user_id": None, f"{person.owner.type}_id": person.owner.id}
        place = "talk" if person.owner.id == "ann" and person.owner.type == "user" else f"talk {person.number}"
        lines = [
            f"My sister Mira works at {person.secret} and lives in Lisbon.",
            f"I like tea from {person.secret} very much.",
            f"I will fly to {person.secret} on 14 May 2026 with Mira.",
        ]
        river.feed(*(message(at, line, place, **said) for at, line in enumerate(lines)))
    for tenant in {person.owner.tenant_id for person in EVERYBODY}:
        river.feed(message(9, f"The handbook of {tenant} is on the shelf.", "x", tenant_id=tenant, user_id="librarian"))
    river.end()
    index.refresh()
    return index


@pytest.fixture
def memories(index: Watched) -> Iterator[Memories]:
    yield Memories(index, Words(), world_settings(), clock=lambda: START + timedelta(days=1))
    index.allowed = None


def watch(index: Watched, person: Person) -> None:
    """From here on only what this person may read may be read."""
    tenant = person.owner.tenant_id
    index.tenant, index.allowed = tenant, frozenset({person.owner.key, owner_key(tenant, "tenant", tenant)})


def others_in(shown: str, person: Person) -> list[str]:
    """Whose secrets are in what is shown."""
    return [other.owner.key for other in EVERYBODY if other != person and other.secret.lower() in shown.lower()]


@pytest.mark.parametrize("person", EVERYBODY, ids=lambda person: person.owner.key)
def test_an_owner_finds_what_is_its_own_and_nothing_else(index, memories, person):
    watch(index, person)
    for method in METHODS:
        found = memories.search("Where does Mira work?", method, person.asks, top_k=100, explain=True).model_dump_json()
        assert person.secret in found
        assert others_in(found, person) == []
        for other in EVERYBODY:
            if other != person:
                found = memories.search(f"What of {other.secret}, Mira and tea?", method, person.asks, top_k=100)
                assert others_in(found.model_copy(update={"query": None}).model_dump_json(warnings=False), person) == []


@pytest.mark.parametrize("person", EVERYBODY, ids=lambda person: person.owner.key)
def test_the_history_and_the_inspection_of_what_all_share_show_ones_own(index, memories, person):
    watch(index, person)
    for name in ("Mira", person.secret):
        told = memories.history(name, person.asks).model_dump_json()
        assert person.secret in told
        assert others_in(told, person) == []
    for other in EVERYBODY:
        for place in ("talk", f"talk {other.number}"):
            shown = memories.inspect(place, person.asks)
            assert shown is None or others_in(shown.model_dump_json(), person) == []
        if other != person:
            told = memories.history(other.secret, person.asks)
            assert not any((told.facts, told.foresights, told.relationships, told.profile))


@pytest.mark.parametrize("person", EVERYBODY, ids=lambda person: person.owner.key)
def test_lists_the_graph_and_the_portrait_show_ones_own(index, memories, person):
    watch(index, person)
    listed = memories.browse(None, person.asks, limit=200)
    assert person.secret in listed.model_dump_json()
    assert memories.conversations(person.asks).items
    shown = (
        listed,
        memories.browse("knowledge", person.asks),
        memories.conversations(person.asks),
        memories.graph(None, person.asks),
        memories.graph("Mira", person.asks, hops=3),
        memories.portrait(person.asks),
    )
    assert [others_in(each.model_dump_json(), person) for each in shown] == [[]] * len(shown)


def test_what_is_anothers_is_not_there_under_its_id(index, memories):
    mine = EVERYBODY[0]
    for other in EVERYBODY[1:]:
        index.allowed = None
        theirs = memories.browse(None, other.asks, limit=200).items
        watch(index, mine)
        for each in theirs:
            found = memories.get(each.id, mine.asks)
            assert found is None or others_in(found.model_dump_json(), mine) == []


def test_owners_are_those_of_one_tenant(memories):
    for tenant in {person.owner.tenant_id for person in EVERYBODY}:
        named = {(each.type, each.id) for each in memories.owners(tenant)}
        own = {(person.owner.type, person.owner.id) for person in EVERYBODY if person.owner.tenant_id == tenant}
        assert named == own | {("user", "librarian")}


@pytest.mark.parametrize(
    "more",
    [
        {"conversation_id": [f"talk {n}" for n in range(13)] + ["talk"]},
        {"document_id": ["d"]},
        {"participants": ["Ann", "Mira", "ann"]},
        {"since": "2020-01-01", "before": "2030-01-01"},
        {"as_of": "2029-01-01"},
        {"expired": True},
        {"knowledge": False},
    ],
)
def test_no_filter_widens_what_is_read(index, memories, more):
    person = EVERYBODY[0]
    watch(index, person)
    for method in METHODS:
        found = memories.search("Mira, tea, Lisbon", method, {**person.asks, **more}, top_k=100)
        assert others_in(found.model_dump_json(), person) == []


def test_the_owner_of_another_tenant_is_nobody_here(index, memories):
    """The same user id, agent id and group id in a tenant that has none of them."""
    for asked in ({"user_id": "ann"}, {"group_id": "ann"}, {"agent_id": "ann"}, {"user_id": "ann", "agent_id": "ann"}):
        for tenant in ("nobody", "acm", "acme ", "acme/user/ann"):
            found = memories.search("Mira, tea, Lisbon, handbook", "hybrid", {"tenant_id": tenant, **asked}, top_k=100)
            assert found.query.model_dump()["filters_applied"]["tenant_id"] == tenant
            assert not any((found.episodes, found.facts, found.raw_messages, found.profiles, found.foresights, found.knowledge))
            assert not any((found.graph.entities, found.graph.relationships))


@settings(max_examples=40, deadline=None)
@given(
    query=st.one_of(st.sampled_from(QUERIES), st.text(max_size=80), st.text(st.characters(exclude_categories=()), max_size=20)),
    method=st.sampled_from(METHODS),
)
def test_any_text_is_a_question_or_is_refused_and_never_asks_for_more(index, query, method):
    person = EVERYBODY[0]
    watch(index, person)
    asked = Memories(index, Words(), world_settings(), clock=lambda: START + timedelta(days=1))
    try:
        found = asked.search(query, method, person.asks, top_k=100)
        assert others_in(found.model_copy(update={"query": None}).model_dump_json(warnings=False), person) == []
        asked.history(query, person.asks)
        asked.inspect(query, person.asks)
    except InputError:
        pass
    finally:
        index.allowed = None


@pytest.mark.parametrize("query", ["x" * 100_000, "tea " * 25_000, "* " * 50_000, "(" * 100_000, "\x00" * 100_000])
def test_a_hundred_thousand_characters_are_refused_or_answered_as_words(memories, query):
    with pytest.raises(InputError, match=r"^query: "):
        memories.search(query, "hybrid", EVERYBODY[0].asks)


def test_filters_have_a_largest_size(memories):
    with pytest.raises(InputError, match="participants"):
        memories.search("tea", "hybrid", {"user_id": "ann", "participants": [f"p{n}" for n in range(1_001)]})


@pytest.mark.parametrize("person", [EVERYBODY[0], EVERYBODY[3], EVERYBODY[11]], ids=lambda person: person.owner.key)
def test_the_command_line_shows_ones_own_memory_only(index, memories, monkeypatch, person):
    watch(index, person)
    monkeypatch.setattr(Memories, "connect", lambda *_, **__: memories)
    monkeypatch.setattr(Memories, "close", lambda self: None)
    owner = [f"--{person.owner.type}", person.owner.id, "--tenant", person.owner.tenant_id]
    for command in (["search", "Mira, tea, Lisbon", "--json"], ["history", "Mira", "--json"], ["inspect", "talk", "--json"]):
        result = CliRunner().invoke(app, [*command, *owner])
        assert others_in(result.output, person) == [], command
        assert person.secret in result.output or command[0] == "inspect", result.output
