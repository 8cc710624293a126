"""An index that moves to another embedder: the same rows with new vectors, searched all the while, and nothing lost."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connectors import models
from connectors.durable import FolderLock
from connectors.embedders.hash_embedder import HashEmbedder
from connectors.indices import open_generations, open_index
from flows import ingest
from flows.maintenance import reindex as move
from flows.maintenance.bulk import abandon
from flows.maintenance.rebuild import rebuild_from_messages
from flows.maintenance.reindex import reindex
from flows.maintenance.transfer import export_owner
from mneme import text
from mneme.errors import ModelError, ModelRefused, StoreError, StoreRejected, StoreUnavailable
from mneme.events import Delete, Message
from mneme.ports import EmbedderIdentity, MemoryIndex, Outcome, Put, embeddings_of
from mneme.records import Owner
from mneme.rows import Collection, Row, Vector
from mneme.settings import EmbedderSettings, Index, OpenSearch, Settings
from tests.flows.deployment import EXAMPLES, deployed_in, taken_in
from tests.flows.river import START

pytestmark = pytest.mark.slow

BACKENDS = ["embedded", pytest.param("opensearch", marks=pytest.mark.opensearch)]
HASH = HashEmbedder().identity


class Turned:
    """The hash embedder with its places in reverse, ``dimension`` of them: another embedder. ``asked`` has all texts."""

    asked: list[str] = []  # noqa: RUF012

    def __init__(self, dimension: int = 384, refuses: str = "") -> None:
        self.identity = EmbedderIdentity("turned", "test", dimension)
        self._refuses = refuses

    def embed(self, texts: Sequence[str]) -> Vector:
        self.asked += texts
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
        Turned.asked.clear()
        for module in (models, move):
            monkeypatch.setattr(module, "open_embedder", lambda settings: Turned(dimension, refuses))

    return turned


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A deployment with the embedded index, filled by the flow."""
    settings = deployed_in(tmp_path_factory.mktemp("told") / "data")
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


def same_but_for_vectors(one: Row, other: Row) -> bool:
    return replace(one, vector=None).__reduce_ex__(4)[2] == replace(other, vector=None).__reduce_ex__(4)[2]


def metadata(settings: Settings) -> dict[str, str]:
    with closing(open_index(settings, read_only=True)) as index:
        return index.metadata()


class TestAMove:
    def test_keeps_every_row_and_gives_each_the_vector_of_its_text(
        self, deployment: Settings, turn: Callable[..., None]
    ) -> None:
        before = contents(deployment)
        known = metadata(deployment)
        turn(dimension=100)
        report = reindex(deployment)
        assert report.move is not None
        assert sum(report.move.rows.values()) == len(before)
        after = contents(deployment)
        assert after.keys() == before.keys()
        for key, row in after.items():
            assert (row.vector is None) == (before[key].vector is None), key
            assert row.vector is None or row.vector.shape == (100,)
            assert same_but_for_vectors(row, before[key])
        assert {**metadata(deployment), "reindex": ""} == {**known, "reindex": ""}

    def test_adds_the_vectors_of_tokens_as_the_flow_stores_them(self, tmp_path: Path) -> None:
        in_parts = said(9).model_copy(
            update={"content": "\n\n".join(f"My sister {name} teaches physics in Oslo." for name in SISTERS)}
        )

        def filled(name: str, token_vectors: bool) -> Settings:
            embedder = EmbedderSettings(provider="local", multilingual=False, token_vectors=token_vectors)
            settings = deployed_in(tmp_path / name, embedder=embedder)
            taken_in(settings, "talk.jsonl", [*(said(number) for number in range(4)), in_parts])
            return settings

        with_them, without = filled("with", True), filled("without", False)
        assert not any(row.token_vectors for row in contents(without).values())
        report = reindex(without.model_copy(update={"embedder": with_them.embedder}))
        assert report.move is not None
        stored = contents(with_them)
        moved = contents(without.model_copy(update={"embedder": with_them.embedder}))
        assert stored.keys() == moved.keys()
        for key, row in stored.items():
            one, other = (np.frombuffer(each.token_vectors, np.int8).astype(int) for each in (row, moved[key]))
            np.testing.assert_allclose(one, other, atol=1)
        kinds = {bool(row.token_vectors) for row in stored.values() if row.collection is Collection.FACTS}
        assert kinds == {True, False}  # those in the words of a whole message have none of their own
        others = [row for row in stored.values() if row.collection is not Collection.FACTS]
        assert all(bool(row.token_vectors) == (row.collection is Collection.MESSAGES) for row in others)

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
            reindex(deployment, on_progress=lambda done, total: answers.append(found()))
            assert len(answers) > len(Collection) - 1
            assert all(answer == expected for answer in answers)
            assert found() == expected  # who has not been started again goes on with what it knows
        new = open_index(deployment, read_only=True)
        new.prepare(Turned(100).identity)
        with Memories(new, Turned(100), deployment) as memories:
            assert {item.id for item in memories.search(question, "hybrid", mine).ranked()} & set(expected)

    def test_lets_the_flow_go_on_behind_it(self, deployment: Settings, turn: Callable[..., None], monkeypatch: Any) -> None:
        turn()
        reindex(deployment)
        monkeypatch.setattr("flows.running.open_services.open_embedder", lambda settings: Turned())
        taken_in(deployment, "third.jsonl", [said(20), said(2), Delete(conversation_id="talk", message_id="m004")])
        rows = contents(deployment)
        messages = [row for row in rows.values() if row.kind == "message" and row.owner_id == "ann"]
        assert len(messages) == 14 + 1 - 2
        [new] = [row for row in messages if row.message_ids == ("m020",)]
        np.testing.assert_array_equal(new.vector, embeddings_of(Turned(), [f"Ann: {new.body['text']}"])[0].vector)

    def test_to_what_the_index_is_made_for_does_nothing(self, embedded: Settings) -> None:
        assert reindex(embedded).move is None

    def test_costs_a_text_that_is_refused_its_vector_and_nothing_else(
        self, embedded: Settings, turn: Callable[..., None]
    ) -> None:
        before = contents(embedded)
        turn(refuses=" 7 roses")
        report = reindex(embedded)
        after = contents(embedded)
        assert after.keys() == before.keys()
        lost = [key for key, row in after.items() if row.vector is None and before[key].vector is not None]
        assert len(lost) == report.without_vector > 0

    def test_ends_where_the_embedder_refuses_everything(self, embedded: Settings, turn: Callable[..., None]) -> None:
        before = contents(embedded)
        turn(refuses="e")
        with pytest.raises(ModelError):
            reindex(embedded)
        assert contents(embedded).keys() == before.keys()
        assert open_generations(embedded).unfinished() is None

    def test_asks_before_anything_is_made(self, embedded: Settings, turn: Callable[..., None]) -> None:
        class No(Exception):
            pass

        def agree(found: move.Move) -> None:
            assert (found.before["embedder"], found.after["embedder"]) == (HASH.fingerprint, "turned/test/384")
            raise No

        turn()
        with pytest.raises(No):
            reindex(embedded, agree=agree)
        assert not metadata(embedded).get("reindex")
        taken_in(embedded, "third.jsonl", [said(20)])


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = deployed_in(tmp_path_factory.mktemp("examples") / "data")
    ingest([EXAMPLES / name for name in ("agent.jsonl", "chinese.jsonl", "handbook.md")], settings)
    kinds = {row.kind for row in contents(settings).values() if row.vector is not None}
    assert kinds == {"message", "episode", "fact", "foresight", "case", "skill"}
    return settings


class TestTheTexts:
    """There and back: what was embedded is found again exactly, and so are the tokens."""

    @pytest.fixture
    def remembered(self, examples: Settings, tmp_path: Path) -> Settings:
        shutil.copytree(examples.data, tmp_path / "data")
        return examples.model_copy(update={"data": tmp_path / "data"})

    def test_of_all_vectors(self, remembered: Settings, turn: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
        before = contents(remembered)
        turn(dimension=100)
        reindex(remembered)
        monkeypatch.undo()
        reindex(remembered)
        for key, row in contents(remembered).items():
            old = before[key].vector
            assert (row.vector is None) == (old is None), key
            if row.vector is not None and old is not None:
                np.testing.assert_array_equal(row.vector, old, err_msg=str(key))

    def test_of_all_tokens(self, remembered: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        before = contents(remembered)
        with monkeypatch.context() as another:
            another.setattr(text, "TOKENISER", "another")
            another.setattr(text, "_joined", str.lower)  # remembers what it was asked: the tokens of another would stay
            reindex(remembered)
            assert any(row.tokens != before[key].tokens for key, row in contents(remembered).items())
        reindex(remembered)
        after = contents(remembered)
        assert after.keys() == before.keys()
        for key, row in after.items():
            if row.kind != "remark":  # what one means, with names and dates in full, is not kept
                assert row.tokens == before[key].tokens, key
            if row.vector is not None:
                np.testing.assert_array_equal(row.vector, before[key].vector)


class TestWhoElseWrites:
    def test_a_running_flow_refuses_the_move(self, embedded: Settings, turn: Callable[..., None]) -> None:
        turn()
        lock = FolderLock(embedded.data / "recovery" / "files", "the recovery store")
        try:
            with pytest.raises(StoreRejected, match="a flow runs"):
                reindex(embedded)
        finally:
            lock.release()

    @pytest.mark.opensearch
    def test_a_flow_of_elsewhere_writes_to_neither_index(self, distributed: Settings, turn: Callable[..., None]) -> None:
        """Not while the rows are copied, nor afterwards with vectors of the old embedder."""
        elsewhere = open_index(distributed)
        elsewhere.prepare(HASH)
        row = next(row for row in contents(distributed).values() if row.kind == "fact")
        turn()
        refused: list[StoreError] = []

        def write(done: int, total: int) -> None:
            if done == total:
                with pytest.raises(StoreUnavailable) as error:
                    elsewhere.write([Put(replace(row, version=row.version + 1))])
                refused.append(error.value)

        reindex(distributed, on_progress=write)
        assert refused
        with pytest.raises(StoreUnavailable, match="blocked"):
            elsewhere.write([Put(replace(row, version=row.version + 1))])
        elsewhere.close()
        assert contents(distributed)[row.collection, row.owner_key, row.id].version == row.version

    @pytest.mark.opensearch
    def test_what_came_in_a_moment_before_is_moved_too(self, distributed: Settings, turn: Callable[..., None]) -> None:
        opensearch = distributed.opensearch.model_copy(update={"refresh_interval": "1h"})
        settings = distributed.model_copy(update={"opensearch": opensearch})
        elsewhere = open_index(settings)
        elsewhere.prepare(HASH)
        row = next(row for row in contents(settings).values() if row.kind == "fact")
        turn()
        reindex(settings, agree=lambda found: written(elsewhere, replace(row, version=row.version + 1)))
        elsewhere.close()
        assert contents(settings)[row.collection, row.owner_key, row.id].version == row.version + 1

    def test_the_embedded_index_has_one_writer_also_during_the_move(
        self, embedded: Settings, turn: Callable[..., None]
    ) -> None:
        turn()

        def write(done: int, total: int) -> None:
            with pytest.raises(StoreUnavailable, match="is writing"):
                open_index(embedded)

        reindex(embedded, on_progress=write)

    def test_nothing_else_starts_on_an_index_that_is_being_moved(
        self, embedded: Settings, turn: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        turn()
        with pytest.raises(Stop):
            reindex(embedded, on_progress=stop_after(1))
        monkeypatch.undo()
        for start in (
            lambda: taken_in(embedded, "third.jsonl", [said(20)]),
            lambda: rebuild_from_messages(embedded),
            lambda: export_owner(Owner(tenant_id="default", type="user", id="ann"), embedded.data / "ann.jsonl", embedded),
        ):
            with pytest.raises(StoreRejected, match="mneme admin reindex --abandon"):
                start()
        assert abandon(embedded)
        taken_in(embedded, "third.jsonl", [said(20)])


def written(index: MemoryIndex, row: Row) -> None:
    assert [result.outcome for result in index.write([Put(row)])] == [Outcome.DONE]


class Stop(Exception):
    pass


def stop_after(rows: int) -> Callable[[int, int], None]:
    def on_progress(done: int, total: int) -> None:
        if done >= rows:
            raise Stop

    return on_progress


class TestAnInterruption:
    @pytest.fixture(autouse=True)
    def small_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(move, "BATCH", 10)

    def test_goes_on_without_embedding_anything_again(self, deployment: Settings, turn: Callable[..., None]) -> None:
        before = contents(deployment)
        turn(dimension=100)
        with pytest.raises(Stop):
            reindex(deployment, on_progress=stop_after(25))
        first = Turned.asked[1:]  # behind the probe
        Turned.asked.clear()
        moves: list[move.Move] = []
        reindex(deployment, agree=moves.append)
        assert moves[0].goes_on
        with_vector = sum(row.vector is not None for row in before.values())
        assert len(first) + len(Turned.asked[1:]) == with_vector
        after = contents(deployment)
        assert after.keys() == before.keys()
        assert all((row.vector is None) == (before[key].vector is None) for key, row in after.items())

    def test_by_a_kill_loses_nothing(self, embedded: Settings, turn: Callable[..., None]) -> None:
        before = contents(embedded)
        turn(dimension=100)
        child = multiprocessing.get_context("spawn").Process(target=killed, args=(embedded,))  # LanceDB's threads do not fork
        child.start()
        child.join(120)
        assert child.exitcode == -signal.SIGKILL
        assert contents(embedded).keys() == before.keys()
        reindex(embedded)
        after = contents(embedded)
        assert after.keys() == before.keys()
        assert all(row.vector is None or row.vector.shape == (100,) for row in after.values())

    def test_is_given_up_on_request_and_leaves_the_index_as_it_was(
        self, deployment: Settings, turn: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = contents(deployment)
        turn()
        with pytest.raises(Stop):
            reindex(deployment, on_progress=stop_after(30))
        assert abandon(deployment)
        assert not abandon(deployment)
        assert open_generations(deployment).unfinished() is None
        for key, row in contents(deployment).items():
            assert same_but_for_vectors(row, before[key])
        monkeypatch.undo()
        assert reindex(deployment).move is None
        taken_in(deployment, "third.jsonl", [said(20)])

    def test_is_not_taken_up_for_another_embedder(self, embedded: Settings, turn: Callable[..., None]) -> None:
        turn()
        with pytest.raises(Stop):
            reindex(embedded, on_progress=stop_after(30))
        turn(dimension=50)
        with pytest.raises(StoreRejected, match=r"turned/test/384 .* has begun and not ended"):
            reindex(embedded)

    def test_a_row_that_vanished_stops_the_switch(
        self, embedded: Settings, turn: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        turn()
        monkeypatch.setattr(move, "put_all", lambda *_, **__: None)
        with pytest.raises(StoreRejected, match="something else wrote"):
            reindex(embedded)
        assert open_generations(embedded).made_for()["embedder"] == HASH.fingerprint


class TestTheIndexOfBefore:
    def test_stays_until_it_is_dropped(self, deployment: Settings, turn: Callable[..., None]) -> None:
        old = open_index(deployment, read_only=True)
        old.prepare(HASH)
        facts = old.count(Collection.FACTS)
        turn()
        reindex(deployment)
        assert len(list(old.scan(Collection.FACTS))) == facts
        old.close()
        assert reindex(deployment, drop_old=True).dropped == 1
        assert reindex(deployment, drop_old=True).dropped == 0
        late = open_index(deployment, read_only=True)
        with pytest.raises(StoreRejected, match="mneme admin reindex"):
            late.prepare(HASH)
        late.close()

    def test_goes_with_the_next_erasure(self, deployment: Settings, turn: Callable[..., None]) -> None:
        """What is erased may not live on in it."""
        turn()
        reindex(deployment)
        with closing(open_index(deployment)) as index:
            index.prepare(Turned().identity)
            index.purge()
        assert open_generations(deployment).drop_old() == 0

    def test_a_move_can_follow_a_move(self, embedded: Settings, turn: Callable[..., None]) -> None:
        before = contents(embedded)
        for dimension in (100, 50, 120):
            turn(dimension)
            reindex(embedded, drop_old=dimension == 120)
        after = contents(embedded)
        assert after.keys() == before.keys()
        assert {row.vector.shape for row in after.values() if row.vector is not None} == {(120,)}
        assert open_generations(embedded).drop_old() == 0

    def test_a_search_by_words_follows_the_switch(self, deployment: Settings, turn: Callable[..., None]) -> None:
        """Without a vector it does not matter of which embedder an index is."""
        reader = open_index(deployment, read_only=True)
        assert reader.count(Collection.FACTS)
        turn(dimension=100)
        reindex(deployment, drop_old=True)
        vectors = [row.vector for row in reader.scan(Collection.FACTS, with_vectors=True)]
        assert {vector.shape for vector in vectors if vector is not None} == {(100,)}
        reader.close()


def killed(settings: Settings) -> None:
    """In a process of its own: a move to another embedder, in small batches, that is killed half-way."""
    for module in (models, move):
        setattr(module, "open_embedder", lambda settings: Turned(100))  # noqa: B010
    setattr(move, "BATCH", 10)  # noqa: B010

    def kill(done: int, total: int) -> None:
        if done >= 40:
            os.kill(os.getpid(), signal.SIGKILL)

    reindex(settings, on_progress=kill)


def test_there_is_nothing_to_move_where_there_is_no_index(tmp_path: Path) -> None:
    settings = deployed_in(tmp_path)
    with pytest.raises(StoreUnavailable, match="no index here yet"):
        reindex(settings)
    with pytest.raises(StoreUnavailable, match="no index here yet"):
        abandon(settings)
