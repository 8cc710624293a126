"""An index that moves to another embedder by a rebuild: as if it had been filled with that, searched all the while."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connectors import models
from connectors.embedders.hash_embedder import HashEmbedder
from connectors.indices import open_generations, open_index
from flows.maintenance import rebuild
from flows.maintenance.bulk import abandon
from flows.maintenance.rebuild import StoreContents, drop_old, is_made_for, rebuild_from_messages
from flows.running import open_services
from mneme import text
from mneme.errors import ModelError, ModelRefused, StoreError, StoreRejected, StoreUnavailable
from mneme.events import Delete, Message
from mneme.ports import EmbedderIdentity, MemoryIndex, Outcome, Put, embeddings_of
from mneme.rows import Collection, Row, Vector
from mneme.settings import EmbedderSettings, Index, OpenSearch, Settings
from tests.flows import river
from tests.flows.deployment import deployed_in, taken_in
from tests.flows.maintenance.test_rebuild import slow
from tests.flows.river import START

pytestmark = pytest.mark.slow

BACKENDS = ["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)]
HASH = HashEmbedder().identity


class Turned:
    """The hash embedder with its places in reverse, ``dimension`` of them: another embedder."""

    def __init__(self, dimension: int = 384, refuses: str = "") -> None:
        self.identity = EmbedderIdentity("turned", "test", dimension)
        self._refuses = refuses

    def embed(self, texts: Sequence[str]) -> Vector:
        if self._refuses and any(self._refuses in each for each in texts):
            raise ModelRefused("content policy")
        vectors = HashEmbedder().embed(texts)[:, ::-1][:, : self.identity.dimension].copy()
        vectors[:, 0] += 0.01
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def close(self) -> None:
        pass


@pytest.fixture
def turn(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """From here on the settings' embedder is another one."""

    def turned(dimension: int = 384, refuses: str = "") -> None:
        for module in (models, rebuild, open_services):
            monkeypatch.setattr(module, "open_embedder", lambda settings: Turned(dimension, refuses))

    return turned


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A deployment with the embedded index, filled by the flow."""
    return filled(deployed_in(tmp_path_factory.mktemp("told") / "data"))


def filled(settings: Settings) -> Settings:
    taken_in(settings, "first.jsonl", [*(said(number) for number in range(14)), said(1, "bobs", "bob")])
    taken_in(settings, "second.jsonl", [Delete(conversation_id="talk", message_id="m003")])
    return settings


@pytest.fixture
def embedded(told: Settings, tmp_path: Path) -> Settings:
    """A copy of that, for what is the same in either index."""
    shutil.copytree(told.data, tmp_path / "data")
    return told.model_copy(update={"data": tmp_path / "data"})


@pytest.fixture(params=BACKENDS)
def deployment(embedded: Settings, request: pytest.FixtureRequest) -> Settings:
    """A copy of that, in either index."""
    return embedded if request.param == "embedded" else in_opensearch(embedded, request.getfixturevalue("opensearch_settings"))


@pytest.fixture
def distributed(embedded: Settings, opensearch_settings: OpenSearch) -> Settings:
    """A copy of that in OpenSearch."""
    return in_opensearch(embedded, opensearch_settings)


def in_opensearch(told: Settings, opensearch: OpenSearch) -> Settings:
    settings = told.model_copy(
        update={"index": Index(backend="opensearch"), "opensearch": opensearch.model_copy(update={"retry_seconds": 0.5})}
    )
    with closing(open_index(settings)) as index:
        index.prepare(HASH)
        index.write([Put(row) for row in contents(told).values()])
        index.set_metadata(metadata(told))
        index.refresh()
    return settings


SISTERS = "Ada Berta Carla Dora Emma Frida Greta Hilde Ida Jana Klara Lena".split()


def said(number: int, conversation: str = "talk", user: str = "ann") -> Message:
    return Message(
        conversation_id=conversation,
        user_id=user,
        message_id=f"m{number:03d}",
        sender_name=user.title(),
        sent_at=START.replace(hour=9 + number // 30, minute=2 * number % 60),
        content=f"I planted {number} roses behind the house yesterday. Bob will move to Berlin in {2030 + number}.",
    )


def contents(settings: Settings) -> dict[tuple[str, str, str], Row]:
    """All rows, by where they lie."""
    with closing(open_index(settings, read_only=True)) as index:
        rows = [row for each in Collection for row in index.scan(each, with_vectors=True)]
    return {(row.collection, row.owner_key, row.id): row for row in rows}


def remembered(settings: Settings) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Everything that can be found, and all vectors."""
    with closing(open_index(settings)) as index:
        rows = [row for each in Collection for row in index.scan(each, with_vectors=True)]
        return river.contents(index), {row.id: row.vector.tolist() for row in rows if row.vector is not None}


def metadata(settings: Settings) -> dict[str, str]:
    with closing(open_index(settings, read_only=True)) as index:
        return index.metadata()


class TestAMove:
    def test_leaves_what_the_new_embedder_would_have_made(
        self, deployment: Settings, tmp_path: Path, turn: Callable[..., None]
    ) -> None:
        turn(dimension=100)
        found: list[StoreContents] = []
        rebuild_from_messages(deployment, found.append)
        assert (found[0].embedder, found[0].new_embedder) == (HASH.fingerprint, "turned/test/100")
        assert remembered(deployment) == remembered(filled(deployed_in(tmp_path / "anew")))
        assert is_made_for(deployment)

    def test_adds_the_vectors_of_tokens_as_the_flow_stores_them(self, tmp_path: Path) -> None:
        in_parts = said(9).model_copy(
            update={"content": "\n\n".join(f"My sister {name} teaches physics in Oslo." for name in SISTERS)}
        )

        def stored_with(name: str, token_vectors: bool) -> Settings:
            embedder = EmbedderSettings(provider="local", multilingual=False, token_vectors=token_vectors)
            settings = deployed_in(tmp_path / name, embedder=embedder)
            taken_in(settings, "talk.jsonl", [*(said(number) for number in range(4)), in_parts])
            return settings

        with_them, without = stored_with("with", True), stored_with("without", False)
        assert not any(row.token_vectors for row in contents(without).values())
        without = without.model_copy(update={"embedder": with_them.embedder})
        assert not is_made_for(without)
        rebuild_from_messages(without)
        stored, moved = contents(with_them), contents(without)
        assert stored.keys() == moved.keys()
        for key, row in stored.items():
            one, other = (np.frombuffer(each.token_vectors, np.int8).astype(int) for each in (row, moved[key]))
            np.testing.assert_allclose(one, other, atol=1)
        assert any(row.token_vectors for row in moved.values())

    def test_is_searched_all_the_while(self, deployment: Settings, turn: Callable[..., None]) -> None:
        from queries import Memories

        question, mine = "Who planted 5 roses?", {"user_id": "ann"}
        embedder = HashEmbedder()
        index = open_index(deployment, read_only=True)
        index.prepare(embedder.identity)
        with Memories(index, embedder, deployment) as memories:

            def found() -> list[str]:
                return [item.id for item in memories.search(question, "hybrid", mine).ranked()]

            expected = found()
            assert expected
            answers: list[list[str]] = []
            turn(dimension=100)
            rebuild_from_messages(deployment, on_progress=lambda done, total: answers.append(found()))
            assert answers
            assert all(answer == expected for answer in answers)
            assert found() == expected  # who has not been started again goes on with what it knows
        new = open_index(deployment, read_only=True)
        new.prepare(Turned(100).identity)
        with Memories(new, Turned(100), deployment) as memories:
            assert {item.id for item in memories.search(question, "hybrid", mine).ranked()} & set(expected)

    def test_lets_the_flow_go_on_behind_it(self, deployment: Settings, turn: Callable[..., None]) -> None:
        turn()
        rebuild_from_messages(deployment)
        taken_in(deployment, "third.jsonl", [said(20), said(2), Delete(conversation_id="talk", message_id="m004")])
        rows = contents(deployment)
        messages = [row for row in rows.values() if row.kind == "message" and row.owner_id == "ann"]
        assert len(messages) == 14 + 1 - 2
        [new] = [row for row in messages if row.message_ids == ("m020",)]
        np.testing.assert_array_equal(new.vector, embeddings_of(Turned(), [f"Ann: {new.body['text']}"])[0].vector)

    def test_costs_a_message_that_is_refused_its_vector_and_no_other(
        self, embedded: Settings, turn: Callable[..., None]
    ) -> None:
        turn(refuses=" 7 roses")
        rebuild_from_messages(embedded)
        messages = [row for row in contents(embedded).values() if row.kind == "message"]
        assert len(messages) == 14
        assert [row.message_ids for row in messages if row.vector is None] == [("m007",)]

    def test_ends_where_the_embedder_refuses_everything(self, embedded: Settings, turn: Callable[..., None]) -> None:
        before = remembered(embedded)
        turn(refuses="e")
        with pytest.raises(ModelError):
            rebuild_from_messages(embedded)
        assert remembered(embedded) == before

    def test_to_another_tokeniser_and_back_leaves_what_there_was(
        self, embedded: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = contents(embedded)
        with monkeypatch.context() as another:
            another.setattr(text, "TOKENISER", "another")
            another.setattr(text, "_joined", str.lower)  # remembers what it was asked: the tokens of another would stay
            assert not is_made_for(embedded)
            rebuild_from_messages(embedded)
            assert any(row.tokens != before[key].tokens for key, row in contents(embedded).items())
        rebuild_from_messages(embedded)
        after = contents(embedded)
        assert {key: row.tokens for key, row in after.items() if row.tokens} == {
            key: row.tokens for key, row in before.items() if row.tokens
        }

    def test_that_was_interrupted_starts_anew_for_another_embedder(
        self, deployment: Settings, turn: Callable[..., None]
    ) -> None:
        turn(dimension=100)
        with pytest.raises(Stop):
            rebuild_from_messages(slow(deployment), on_progress=stop_after(5))
        turn(dimension=50)
        found: list[StoreContents] = []
        rebuild_from_messages(deployment, found.append)
        assert not found[0].goes_on
        assert {len(vector) for vector in remembered(deployment)[1].values()} == {50}

    def test_is_given_up_on_request_and_leaves_the_index_as_it_was(
        self, deployment: Settings, turn: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = remembered(deployment)
        turn()
        with pytest.raises(Stop):
            rebuild_from_messages(slow(deployment), on_progress=stop_after(5))
        assert abandon(deployment)
        assert not abandon(deployment)
        assert open_generations(deployment).unfinished() is None
        assert remembered(deployment) == before
        monkeypatch.undo()
        assert is_made_for(deployment)
        taken_in(deployment, "third.jsonl", [said(20)])


class TestWhoElseWrites:
    @pytest.mark.opensearch
    def test_a_flow_of_elsewhere_writes_to_neither_index(self, distributed: Settings, turn: Callable[..., None]) -> None:
        """Not while the next one is filled, nor afterwards with vectors of the old embedder."""
        elsewhere = open_index(distributed)
        elsewhere.prepare(HASH)
        row = next(row for row in contents(distributed).values() if row.kind == "fact")
        turn()
        refused: list[StoreError] = []

        def write(done: int, total: int) -> None:
            if done == total and not refused:
                with pytest.raises(StoreUnavailable) as error:
                    elsewhere.write([Put(replace(row, version=row.version + 1))])
                refused.append(error.value)

        rebuild_from_messages(distributed, on_progress=write)
        assert refused
        with pytest.raises(StoreUnavailable, match="blocked"):
            elsewhere.write([Put(replace(row, version=row.version + 1))])
        elsewhere.close()

    @pytest.mark.opensearch
    def test_what_came_in_a_moment_before_is_moved_too(self, distributed: Settings, turn: Callable[..., None]) -> None:
        opensearch = distributed.opensearch.model_copy(update={"refresh_interval": "1h"})
        settings = distributed.model_copy(update={"opensearch": opensearch})
        elsewhere = open_index(settings)
        elsewhere.prepare(HASH)
        row = next(row for row in contents(settings).values() if row.kind == "message" and row.owner_id == "bob")
        late = replace(row, version=row.version + 1, body={**row.body, "sender_name": "Robert"})
        turn()
        rebuild_from_messages(settings, agree=lambda found: written(elsewhere, late))
        elsewhere.close()
        assert contents(settings)[row.collection, row.owner_key, row.id].body["sender_name"] == "Robert"

    def test_the_embedded_index_has_one_writer_also_during_the_move(
        self, embedded: Settings, turn: Callable[..., None]
    ) -> None:
        turn()

        def write(done: int, total: int) -> None:
            with pytest.raises(StoreUnavailable, match="is writing"):
                open_index(embedded)

        rebuild_from_messages(embedded, on_progress=write)


def written(index: MemoryIndex, row: Row) -> None:
    assert [result.outcome for result in index.write([Put(row)])] == [Outcome.DONE]


class Stop(Exception):
    pass


def stop_after(messages: int) -> Callable[[int, int], None]:
    def on_progress(done: int, total: int) -> None:
        if done >= messages:
            raise Stop

    return on_progress


class TestTheIndexOfBefore:
    def test_stays_until_it_is_dropped(self, deployment: Settings, turn: Callable[..., None]) -> None:
        old = open_index(deployment, read_only=True)
        old.prepare(HASH)
        facts = old.count(Collection.FACTS)
        turn()
        rebuild_from_messages(deployment)
        assert len(list(old.scan(Collection.FACTS))) == facts
        old.close()
        assert drop_old(deployment) == 1
        assert drop_old(deployment) == 0
        late = open_index(deployment, read_only=True)
        with pytest.raises(StoreRejected, match="mneme admin reindex"):
            late.prepare(HASH)
        late.close()

    def test_goes_with_the_next_erasure(self, deployment: Settings, turn: Callable[..., None]) -> None:
        """What is erased may not live on in it."""
        turn()
        rebuild_from_messages(deployment)
        with closing(open_index(deployment)) as index:
            index.prepare(Turned().identity)
            index.purge()
        assert drop_old(deployment) == 0

    def test_a_search_by_words_follows_the_switch(self, deployment: Settings, turn: Callable[..., None]) -> None:
        """Without a vector it does not matter of which embedder an index is."""
        reader = open_index(deployment, read_only=True)
        assert reader.count(Collection.FACTS)
        turn(dimension=100)
        rebuild_from_messages(deployment, drop_old=True)
        found = [row.vector for row in reader.scan(Collection.FACTS, with_vectors=True)]
        assert {vector.shape for vector in found if vector is not None} == {(100,)}
        reader.close()


def test_there_is_nothing_to_move_where_there_is_no_index(tmp_path: Path) -> None:
    settings = deployed_in(tmp_path)
    for act in (is_made_for, abandon):
        with pytest.raises(StoreUnavailable, match="no index here yet"):
            act(settings)
