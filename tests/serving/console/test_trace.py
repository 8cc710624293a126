"""What the trace of a search tells, where the nodes of a graph stand, and how long an answer is waited for."""

import math
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from queries.answers.answer import AnswerResponse, AnswerStream
from queries.responses import TraceStep
from serving.console.graph import positions
from serving.console.search import whole_answer
from serving.console.trace import kind_of, shown_ids
from serving.found import ranked_lists, replacements

STEPS = (
    TraceStep(stage="recall", move="bm25", id="t/c/1-a", score=4.0, reason="episodes 1"),
    TraceStep(stage="recall", move="bm25", id="t/c/2-b", score=1.0, reason="episodes 2"),
    TraceStep(stage="recall", move="cosine", id="t/c/1-a/f/0", score=0.5, reason="facts 1"),
    TraceStep(stage="fuse", move="fused", id="t/c/1-a", score=0.03, reason="episodes 1"),
    TraceStep(stage="compete", move="replaced", id="t/c/1-a", score=0.1, reason="by its fact t/c/1-a/f/0"),
    TraceStep(stage="compete", move="entered", id="t/c/1-a/f/0", score=0.4, reason="in place of its episode t/c/1-a"),
    TraceStep(stage="compete", move="entered", id="t/c/2-b", score=0.1, reason="a place was free"),
)


def test_a_trace_is_sorted_into_the_lists_of_its_stages() -> None:
    lists = ranked_lists(STEPS)

    assert list(lists) == [("recall", "bm25", "episodes"), ("recall", "cosine", "facts"), ("fuse", "fused", "episodes")]
    assert [step.score for step in lists["recall", "bm25", "episodes"]] == [4.0, 1.0]


def test_a_replacement_names_episode_and_fact() -> None:
    ((episode, fact),) = replacements(STEPS)

    assert (episode.id, episode.score, fact) == ("t/c/1-a", 0.1, "t/c/1-a/f/0")


def test_what_is_drawn_is_named_once_and_only_the_best_of_a_list() -> None:
    assert shown_ids(STEPS, 1) == ["t/c/1-a", "t/c/1-a/f/0"]


@pytest.mark.parametrize(
    ("identity", "title", "kind"),
    [
        ("t/c/1-a/f/0", "", "fact"),
        ("t/c/1-a/m/3", "", "message"),
        ("t/c/1-a", "episodes", "episode"),
        ("x", "graph by words", "entity"),
    ],
)
def test_a_record_is_coloured_by_its_kind(identity: str, title: str, kind: str) -> None:
    assert kind_of(identity, title) == kind


def test_nodes_stand_within_the_frame_apart_and_linked_ones_nearer() -> None:
    nodes = [f"n{number}" for number in range(20)]
    edges = [("n0", "n1"), ("n1", "n2"), ("n0", "nobody"), ("n3", "n3")]

    at = positions(nodes, edges, 800, 500)

    assert all(0 <= x <= 800 and 0 <= y <= 500 for x, y in at.values())
    distances = {(a, b): math.dist(at[a], at[b]) for a in nodes for b in nodes if a < b}
    assert min(distances.values()) > 15
    assert distances["n0", "n1"] < sum(distances.values()) / len(distances)
    assert positions(nodes, edges, 800, 500) == at


def test_a_graph_of_nothing_and_of_one_has_a_layout() -> None:
    assert positions([], [], 10, 10) == {}
    assert positions(["a"], [], 10, 20) == {"a": (5.0, 10.0)}


def test_an_answer_ends_with_the_reader_who_leaves() -> None:
    reader, written = SimpleNamespace(is_deleted=False), list[str]()

    def pieces() -> Generator[str, None, AnswerResponse]:
        for piece in ("On ", "4 ", "May."):
            written.append(piece)
            reader.is_deleted = len(written) == 2
            yield piece
        return AnswerResponse.model_construct(answer="On 4 May.")

    visit: Any = SimpleNamespace(
        service=SimpleNamespace(memories=SimpleNamespace(ask_stream=lambda question: AnswerStream(pieces())))
    )
    assert whole_answer(visit, reader, "when?") is None
    assert written == ["On ", "4 "]
