import asyncio
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from mneme.errors import InputError
from serving.adapters.langgraph import MnemeStore
from tests.serving.adapters.conftest import Connection


def store_of(connection: Connection, **options: Any) -> MnemeStore:
    return MnemeStore(connection.memories, connection.publisher, **(options or {"user_id": connection.user_id}))


def wait_until_stored(store: MnemeStore) -> None:
    """Let the index alone tell what is there: what was written is stored, and this process holds nothing."""
    for messages in store._messages.values():
        messages.wait_until_stored()
        messages._unlisted.written.clear()
        messages._unlisted.removed.clear()


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


def test_a_value_comes_back_exactly_an_overwrite_replaces_it_and_a_delete_takes_it_away(connection: Connection):
    store, at = store_of(connection), ("memories", "mira")
    value = {"text": "Mira likes dumplings.", "stars": 5, "nested": {"a": [1, None, True, 2.5, {"b": ""}]}}
    assert store.get(at, "food") is None
    store.put(at, "food", value)
    first = store.get(at, "food")
    assert first is not None
    assert (first.value, first.key, first.namespace) == (value, "food", at)
    store.put(at, "food", {"text": "Mira likes noodles."})
    for _ in range(2):
        second = store.get(at, "food")
        assert second is not None
        assert second.value == {"text": "Mira likes noodles."}
        assert second.created_at == first.created_at < second.updated_at
        assert len(store.search(at)) == 1
        wait_until_stored(store)
    store.delete(at, "food")
    assert store.get(at, "food") is None
    wait_until_stored(store)
    assert store.get(at, "food") is None
    assert store.search(at) == []
    store.put(at, "food", {"again": True})
    wait_until_stored(store)
    again = store.get(at, "food")
    assert again is not None
    assert again.value == {"again": True}
    store.put(at, "short-lived", {"n": 1})
    store.delete(at, "short-lived")
    assert keys(store.search(at, query="again")) == ["food"]
    assert store.get(at, "short-lived") is None


def test_values_are_found_by_what_they_say_under_a_prefix(here: Connection):
    store = store_of(here)
    store.put(("mira", "food"), "a", {"text": "Mira likes dumplings with vinegar."})
    store.put(("mira", "pets"), "b", {"text": "The dog Biscuit sleeps all day."})
    store.put(("miranda",), "c", {"text": "Miranda likes dumplings with vinegar too."})
    store.put(("mira", "food"), "hidden", {"text": "dumplings, dumplings, dumplings"}, index=False)
    store.put(("mira", "food"), "part", {"title": "soup", "text": "dumplings again and again"}, index=["title"])
    for _ in range(2):
        found = store.search(("mira",), query="dumplings with vinegar", limit=1)
        assert keys(found) == ["a"]
        assert found[0].score is not None
        assert keys(store.search(("mira", "pets"), query="dumplings with vinegar")) == ["b"]
        assert set(keys(store.search(("mira",), query="dumplings", limit=4))) == {"a", "b", "part"}, "not what is not indexed"
        wait_until_stored(store)
    store.put(("mira", "food"), "a", {"text": "Mira likes rhubarb crumble."})
    assert keys(store.search(("mira",), query="rhubarb crumble", limit=1)) == ["a"]


@pytest.mark.parametrize("query", ["", "👍", "...", "word " * 2_500])
def test_any_text_may_be_a_query_as_with_langgraphs_own_store(here: Connection, query: str):
    store = store_of(here)
    store.put(("mira", "queries"), "a", {"text": "Mira likes a word with her tea."})
    assert keys(store.search(("mira", "queries"), query=query)) == ["a"]


def test_filters_limits_and_namespaces_are_those_of_langgraphs_own_store(here: Connection):
    ours, theirs = store_of(here), InMemoryStore()
    puts = [
        PutOp(("docs", "a"), "1", {"type": "report", "score": 4.5, "tags": ["x", "y"], "by": {"name": "Ann"}}),
        PutOp(("docs", "a"), "2", {"type": "report", "score": 2}),
        PutOp(("docs", "b", "v1"), "3", {"type": "note", "score": 5}),
        PutOp(("notes", "b", "v1"), "4", {"type": "note"}),
        PutOp(("notes", "b", "v1"), "5", {"type": "note"}),
        PutOp(("notes", "b", "v1"), "5", None),
    ]
    reads = [
        *[
            SearchOp((), filter=asked, limit=20)
            for asked in (
                {"type": "report"},
                {"type": {"$ne": "report"}},
                {"tags": ["x", "y"]},
                {"by": {"name": "Ann"}},
                {"type": "note", "score": {"$eq": 5}},
            )
        ],
        SearchOp(("docs",), filter={"score": {"$gt": 2}}, limit=20),
        SearchOp(("docs",), filter={"score": {"$gte": 2, "$lt": 5}}, limit=20),
        SearchOp(("docs",), limit=20),
        SearchOp(("docs", "a"), limit=20),
        GetOp(("docs", "b", "v1"), "3"),
        GetOp(("docs", "b"), "3"),
        GetOp(("notes", "b", "v1"), "5"),
    ]
    for store in (ours, theirs):
        store.batch(puts)
    for asked in (
        {},
        {"prefix": ("docs",)},
        {"suffix": ("v1",)},
        {"prefix": ("*", "b")},
        {"prefix": ("docs",), "suffix": ("*", "v1")},
        {"max_depth": 1},
        {"max_depth": 2, "limit": 2, "offset": 1},
    ):
        assert ours.list_namespaces(**asked) == theirs.list_namespaces(**asked), asked
    for mine, reference in zip(ours.batch(reads), theirs.batch(reads), strict=True):
        assert plain(mine) == plain(reference)
    assert len(ours.search((), limit=2)) == 2
    assert len(ours.search((), limit=20, offset=3)) == 1


def plain(result: Any) -> Any:
    """What was found, without times and in no order."""
    if isinstance(result, list):
        return sorted((item.namespace, item.key, str(item.value)) for item in result)
    return result and (result.namespace, result.key, result.value)


def test_a_batch_reads_before_it_writes_and_works_awaited(here: Connection):
    store = store_of(here)

    async def run() -> None:
        first = await store.abatch([PutOp(("a",), "k", {"n": 1}), GetOp(("a",), "k"), ListNamespacesOp()])
        assert first == [None, None, []]
        await store.aput(("a",), "k", {"n": 2})
        found = await store.aget(("a",), "k")
        assert found is not None
        assert found.value == {"n": 2}

    asyncio.run(run())


def test_a_label_of_the_namespace_names_whose_memory_it_is(here: Connection):
    store = store_of(here, user_at=1)
    mine, other = here.user_id, f"{here.user_id}-other"
    store.put(("memories", mine), "k", {"text": "The red bicycle stands in the cellar."})
    store.put(("memories", other), "k", {"text": "The blue bicycle stands in the yard."})
    assert [item.namespace for item in store.search(("memories", mine), query="bicycle")] == [("memories", mine)]
    wait_until_stored(store)
    found = here.memories.search("bicycle", "keyword", {"user_id": mine})
    assert ["red" in each.text for each in found.ranked()] == [True]
    assert {("memories", mine), ("memories", other)} <= set(store.list_namespaces(prefix=("memories",)))
    assert store.list_namespaces(prefix=("memories", other)) == [("memories", other)]
    for refused in (lambda: store.search(("memories",), query="bicycle"), lambda: store.put(("memories",), "k", {"a": 1})):
        with pytest.raises(InputError, match="does not name the user at place 1"):
            refused()


def test_what_cannot_be_kept_is_refused(here: Connection):
    store = store_of(here)
    with pytest.raises(InputError, match="is not JSON"):
        store.put(("a",), "k", {"when": object()})
    with pytest.raises(InputError, match="key: has 501 characters; at most 500"):
        store.put(("a",), "k" * 501, {})
    store.put(("a",), "k", {"n": 1})
    with pytest.raises(InputError, match=r"\$in is not known"):
        store.search(("a",), filter={"n": {"$in": [1]}})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {})])
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("a",), "k", {}, ttl=1.0)
    with pytest.raises(InputError, match="user_at: the namespace names the user"):
        store_of(here, user_at=0, user_id="mira")


class State(TypedDict):
    user: str
    said: str
    known: list[str]


def test_a_compiled_graph_remembers_over_threads(here: Connection):
    def remember(state: State, *, store: BaseStore) -> None:
        store.put(("memories", state["user"]), state["said"], {"text": state["said"]})

    def recall(state: State, *, store: BaseStore) -> dict[str, Any]:
        return {"known": keys(store.search(("memories", state["user"]), query=state["said"]))}

    builder = StateGraph(State)
    builder.add_node("recall", recall)
    builder.add_node("remember", remember)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store_of(here, user_at=1))
    first = graph.invoke({"user": here.user_id, "said": "I moved to Lyon.", "known": []})
    second = graph.invoke({"user": here.user_id, "said": "Did I move to Lyon?", "known": []})
    assert (first["known"], second["known"]) == ([], ["I moved to Lyon."])
