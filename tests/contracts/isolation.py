"""What keeps tenants and owners apart in every MemoryIndex, and query text from becoming a query, as tests.

Subclass ``IsolationContract`` as ``TestSomething`` and supply the fixture ``index``, prepared for ``rows.EMBEDDER`` and
empty. Every test and every example of a property works among owners of its own, so that all may share one index.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mneme.ids import make_id
from mneme.ports import Create, Filter, MemoryIndex, Outcome, Put, Remove, TextLeg, VectorLeg
from mneme.records import Owner, OwnerType
from mneme.rows import Collection, Key, Row
from mneme.text import tokenise
from tests.contracts.rows import NOON, axis, fact, message, score

NAMES = [
    *("a", "A", "aa", "a/", "a/b", "a%2Fb", "a%", "%", "*", "?", "a*", "_", "a b", " a", "a\\", "a'", 'a"', "a''", "a,b"),
    *("[a]", "а", "ａ", "á", "a\u0301", "a\u200b", "a\u00a0", "ﬁ", "fi", "K", "\u212a", "ß", "ss", "\u2019", "\u02bc"),
    *("a\x00", "a\x00b", "a' OR '1'='1", "a') OR true --", "a -- ", "a;DROP TABLE facts", "a\\' OR 1=1 --", "*:*"),
    *("owner_key:*", '{"match_all":{}}', "user", "tenant", "a/user/a", "n" * 120, "n" * 121, "n" * 512, "\U0001f600"),
    *("..", "../a", "null", "None", "true", "0"),
]
"""Names of tenants, owners, people, conversations: alike, within each other, and full of what languages take for syntax."""
TYPES: tuple[OwnerType, ...] = ("user", "agent", "group")
QUERIES = [
    *("*", "?", "tea*", "t?a", "/t.a/", "/.*/", "tea~", "tea^9", "+tea -green", "tenant_id:acme", "owner_key:*"),
    *("_exists_:body", '" OR 1=1', "tea' OR '1'='1", "tea) OR (1:1", "AND OR NOT", "tea AND", "NOT tea", "(((((", '"""'),
    *("[* TO *]", "{a TO z}", '{"query":{"match_all":{}}}', '"}}]}}, "query": {"match_all": {}}', "\n{}\n{}", "\\"),
    *("\\\\u0000", "\x00", "\x1b[2J", "\ufeff", "the and of", "", " ", "\t\n", "😀", "‮tea", "tea\u0000green", "%74%65%61"),
    *("${jndi:ldap://x}", "{{7*7}}", "<script>", "%s%n"),
]
"""Queries that some language would read as more than words."""

_names = st.one_of(st.sampled_from(NAMES), st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12))
_examples = itertools.count()
_RELAXED = settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
)


@st.composite
def _crowds(draw: st.DrawFn) -> list[tuple[str, OwnerType, str]]:
    """Different owners in different tenants whose names resemble each other."""
    crowd = draw(
        st.lists(st.tuples(_names, st.sampled_from(TYPES), _names), min_size=2, max_size=8, unique=True),
    )
    twins = [(tenant, kind, name) for (tenant, _, _), (_, kind, name) in itertools.pairwise(crowd)]
    return list(dict.fromkeys([*crowd, *twins]))


def every_reading(index: MemoryIndex, filter: Filter, tokens: Sequence[str] = ("tea",)) -> dict[str, list[Row]]:
    """What each way of reading rows shows of the facts that a filter lets pass."""
    words, near = index.recall(
        [TextLeg(Collection.FACTS, filter, tuple(tokens), 500), VectorLeg(Collection.FACTS, filter, axis(0), 500)]
    )
    return {
        "text": [hit.row for hit in words],
        "vector": [hit.row for hit in near],
        "score": [one.row for one in score(index, filter, tokens, axis(0), 500)],
        "scan": list(index.scan(Collection.FACTS, filter)),
        "page": index.page(Collection.FACTS, filter, 500),
    }


class IsolationContract:
    """Nobody reads or touches what is another's."""

    @pytest.fixture
    def index(self) -> MemoryIndex:
        raise NotImplementedError("supply a prepared, empty index")

    @_RELAXED
    @given(crowd=_crowds(), data=st.data())
    def test_every_way_of_reading_shows_exactly_the_rows_of_the_owners_that_are_asked_for(self, index, crowd, data):
        """All rows are alike but for their owner, down to the callers' ids in them, and all pass every filter."""
        example = next(_examples)
        owners = [Owner(tenant_id=f"{tenant}{example}", type=kind, id=name) for tenant, kind, name in crowd]
        shared = data.draw(_names)
        rows = [self.row(owner, shared) for owner in owners]
        self.fill(index, rows)

        tenant = data.draw(st.sampled_from([owner.tenant_id for owner in owners]))
        asked = data.draw(st.lists(st.sampled_from(owners), min_size=1, max_size=3, unique=True))
        narrowed = data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "people": st.just((shared,)),
                    "message_ids": st.just((shared, "absent")),
                    "conversation_ids": st.just((shared,)),
                    "document_ids": st.just((shared,)),
                    "parent_ids": st.just((shared,)),
                    "agent_ids": st.just((shared,)),
                    "kinds": st.just(("fact",)),
                    "ids": st.just(tuple(row.id for row in rows)),
                    "since": st.just(NOON),
                    "before": st.just(NOON + timedelta(days=1)),
                    "valid_at": st.just(NOON),
                    "hidden": st.booleans(),
                    "owner_ids": st.just(tuple(owner.id for owner in asked)),
                },
            )
        )
        filter = Filter(tenant, tuple(owner.key for owner in asked), **narrowed)
        expected = sorted(self.row(owner, shared).id for owner in asked if owner.tenant_id == tenant)
        for way, shown in every_reading(index, filter).items():
            assert sorted(row.id for row in shown) == expected, way
        assert index.count(Collection.FACTS, filter) == len(expected)

    def test_owners_with_one_key_are_told_apart_by_their_full_ids(self, index):
        """Nobody knows two long ids with one hash; if somebody did, the full id decides."""
        ann, bob = (Owner(tenant_id="one-key", type="user", id=name) for name in ("ann", "bob"))
        mine, theirs = self.row(ann, "x"), replace(self.row(bob, "x"), owner_key=ann.key)
        self.fill(index, [mine, theirs])
        for owner, row in ((ann, mine), (bob, theirs)):
            filter = Filter(owner.tenant_id, (ann.key,), (owner.id,))
            for way, shown in every_reading(index, filter).items():
                assert [each.id for each in shown] == [row.id], way
            assert index.count(Collection.FACTS, filter) == 1
            assert [each.owner_id for each in (mine, theirs) if filter.is_of_owners(each)] == [owner.id]

    @_RELAXED
    @given(crowd=_crowds())
    def test_a_row_is_got_only_by_its_owner_and_removed_only_by_its_owner(self, index, crowd):
        example = next(_examples)
        owners = [Owner(tenant_id=f"{tenant}{example}", type=kind, id=name) for tenant, kind, name in crowd]
        rows = [self.row(owner, "x") for owner in owners]
        self.fill(index, rows)
        foreign = [Key(row.collection, owner.key, row.id) for row in rows for owner in owners if owner.key != row.owner_key]
        assert index.get(foreign) == {}
        assert set(index.get([*foreign, *(row.key for row in rows)])) == {row.key for row in rows}

    def test_messages_of_two_owners_may_have_one_id(self, index):
        """Its sender chooses the id of a message. None can take the place of another's."""
        ann, bob = (Owner(tenant_id="one-id", type="user", id=name) for name in ("ann", "bob"))
        mine, theirs = message("same", "mine", version=2, owner=ann), message("same", "theirs", version=9, owner=bob)
        for write in (Create(theirs), Create(mine), Put(theirs), Put(mine)):
            assert [result.outcome for result in index.write([write])] == [Outcome.DONE]
        there = index.get([mine.key, theirs.key])
        assert {key: (row.version, row.body["text"]) for key, row in there.items()} == {
            mine.key: (2, "mine"),
            theirs.key: (9, "theirs"),
        }
        index.write([Remove(theirs.key, version=10)])
        index.refresh()
        assert list(index.get([mine.key, theirs.key])) == [mine.key]
        both = Filter("one-id", (ann.key, bob.key))
        assert [row.body["text"] for row in index.scan(Collection.MESSAGES, both)] == ["mine"]

    @_RELAXED
    @given(value=_names, other=_names)
    def test_a_value_of_a_filter_is_compared_and_never_understood(self, index, value, other):
        example = next(_examples)
        owner = Owner(tenant_id=f"t{example}", type="user", id="ann")
        self.fill(index, [replace(self.row(owner, value), id="this"), replace(self.row(owner, "somebody"), id="that")])
        for field in ("people", "message_ids", "conversation_ids", "document_ids", "parent_ids", "agent_ids"):
            filter = Filter(owner.tenant_id, (owner.key,), **{field: (other,)})
            expected = {"this"} if other == value else {"that"} if other == "somebody" else set()
            for way, shown in every_reading(index, filter).items():
                assert {row.id for row in shown} == expected, (field, way)

    @_RELAXED
    @given(query=st.one_of(st.sampled_from(QUERIES), st.text(max_size=60)), pieces=st.lists(st.text(max_size=8), max_size=4))
    def test_query_text_finds_words_of_the_owner_and_nothing_else(self, index, query, pieces):
        """Tokens as the tokeniser gives them, and as no tokeniser would: an index must not trust them."""
        example = next(_examples)
        owner, stranger = (Owner(tenant_id=f"t{example}", type="user", id=name) for name in ("ann", "bob"))
        self.fill(
            index,
            [
                fact("mine", "green tea", vector=axis(0), owner=owner),
                fact("silent", "42", vector=axis(0), owner=owner),
                fact("theirs", f"green tea {query}", vector=axis(0), owner=stranger),
            ],
        )
        filter = Filter(owner.tenant_id, (owner.key,))
        safe = [piece.encode(errors="ignore").decode() for piece in (query, *pieces)]
        for tokens in (tuple(tokenise(query)), tuple(piece for piece in safe if piece)):
            words = {word for token in tokens for word in token.split()}
            shown = every_reading(index, filter, tokens)
            assert {row.id for row in shown["text"]} <= {"mine", "silent"}
            assert {row.id for row in shown["scan"]} == {row.id for row in shown["score"]} == {"mine", "silent"}
            if not words & {"green", "tea", "42"}:
                assert shown["text"] == []

    def test_no_name_of_a_language_makes_a_search_wider(self, index):
        owner, stranger = (Owner(tenant_id="languages", type="user", id=name) for name in ("ann", "bob"))
        self.fill(index, [fact("mine", "rice", owner=owner), fact("theirs", "rice", owner=stranger)])
        for query in QUERIES:
            for tokens in (tuple(tokenise(query)), tuple(query.split())):
                (hits,) = index.recall([TextLeg(Collection.FACTS, Filter(owner.tenant_id, (owner.key,)), tokens, 10)])
                assert [hit.row.id for hit in hits] == [], query

    def test_a_query_of_a_hundred_thousand_characters_finds_its_words(self, index):
        owner = Owner(tenant_id="long", type="user", id="ann")
        self.fill(index, [fact("mine", "rice", owner=owner)])
        filter = Filter(owner.tenant_id, (owner.key,))
        (few, many, one) = index.recall(
            [
                TextLeg(Collection.FACTS, filter, tuple(tokenise("rice " * 20_000)), 10),
                TextLeg(Collection.FACTS, filter, ("rice", *(f"w{n}" for n in range(20_000))), 10),
                TextLeg(Collection.FACTS, filter, ("x" * 100_000,), 10),
            ]
        )
        assert [[hit.row.id for hit in hits] for hits in (few, many, one)] == [["mine"], ["mine"], []]
        assert score(index, filter, ("rice", *(f"w{n}" for n in range(5_000))), None, 10)[0].bm25 > 0

    # --- helpers -----------------------------------------------------------------------------------------------------

    def row(self, owner: Owner, shared: str) -> Row:
        """A fact of an owner that holds the same as everybody's; its id is made as Mneme makes ids."""
        return fact(
            make_id(owner.tenant_id, owner.type, owner.id),
            "green tea",
            vector=axis(0),
            owner=owner,
            parent_episode_id=shared,
            conversation_id=shared,
            document_id=shared,
            agent_id=shared,
            speakers=(shared,),
            message_ids=(shared,),
        )

    def fill(self, index: MemoryIndex, rows: Sequence[Row]) -> None:
        assert {result.outcome for result in index.write([Put(row) for row in rows])} == {Outcome.DONE}
        index.refresh()
