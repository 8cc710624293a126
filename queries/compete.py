"""compete: episodes and their facts fight for the places of the answer (mRAG, phases 2 to 4). Pure.

An episode stands for everything in it until one of its facts is good enough to stand for it: a map that gives way to
the place. What is fixed here is what "good enough" means:

    The competition walks down all episodes and facts by final score until ``top_k`` places are taken. A fact takes the
    place of its parent if that holds one, else a free place; a parent whose fact holds a place gets none.

So ``top_k`` places are filled whenever so many candidates exist, a fact that is worse than all who hold a place enters
only while there is room, and an episode is never lost to a fact that itself did not last. The heaps give this outcome
without having seen all candidates: see ``compete``.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Entrant:
    """An episode, or something else that stands by itself.

    ``priority`` says how soon it is expanded, higher is sooner; None where there is nothing to expand.
    """

    id: str
    score: float
    priority: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who holds a place: an entrant, or a fact and its ``parent``."""

    id: str
    score: float
    parent: str | None = None


class Move(StrEnum):
    """What can happen to a candidate."""

    EXPANDED = "expanded"
    ENTERED = "entered"
    REPLACED = "replaced"
    EVICTED = "evicted"
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class Step:
    """One move, with its reason in words."""

    round: int
    move: Move
    id: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Competition:
    """The outcome: places, best first; how many rounds it took; every move, in order."""

    standings: tuple[Standing, ...]
    rounds: int
    converged_early: bool
    trace: tuple[Step, ...]


Expand = Callable[[Sequence[str]], Mapping[str, Sequence[tuple[str, float]]]]


def compete(
    entrants: Sequence[Entrant],
    expand: Expand,
    *,
    top_k: int,
    alpha: float = 0.5,
    batch: int = 10,
    patience: int = 10,
    with_trace: bool = True,
) -> Competition:
    """Let facts compete with episodes for ``top_k`` places.

    1. A min-heap takes the ``top_k`` best entrants; a max-heap holds all that can be expanded, by priority.
    2. A round takes the next ``batch`` from the max-heap and asks ``expand`` for their facts.
    3. Each fact gets ``alpha * fact_score + (1 - alpha) * episode_score``. It enters if a place is free or it beats the
       worst. Its parent leaves first; only if that leaves too many, the worst is evicted. A parent whose last fact was
       evicted returns to compete for itself; and once all places are taken, a last fact that is the worst of all gives
       its place back to a better parent.
    4. It ends when all are expanded, or after ``patience`` rounds in a row that changed nothing.

    Args:
        entrants: with distinct ids, scores on the scale of the facts'.
        expand: the facts ``(id, score)`` of each of these entrants; may leave out those that have none.
        top_k: how many places there are.
        alpha: the weight of a fact's own score against its episode's.
        batch: entrants expanded in one round.
        patience: rounds without a change after which the rest is not looked at.
        with_trace: whether the moves are told; without them ``trace`` is empty.

    Returns:
        The places, best first, ties by id.
    """
    arena = _Arena(top_k, with_trace)
    # 1. The best entrants take the places; all that have something inside queue for expansion.
    for entrant in sorted(entrants, key=lambda each: (-each.score, each.id)):
        arena.offer(Standing(entrant.id, entrant.score))
    waiting = [(-each.priority, each.id) for each in entrants if each.priority is not None]
    heapq.heapify(waiting)
    scores = {each.id: each.score for each in entrants}
    unchanged = 0
    while waiting and unchanged < patience:
        # 2. The next round.
        arena.round += 1
        parents = [heapq.heappop(waiting)[1] for _ in range(min(batch, len(waiting)))]
        facts = expand(parents)
        before = arena.ids()
        # 3. Facts enter, best first, so that each move is final within its episode.
        for parent in parents:
            own = (1 - alpha) * scores[parent]
            best_first = sorted((-(alpha * score + own), fact) for fact, score in facts.get(parent, ()))
            arena.note(Move.EXPANDED, parent, scores[parent], f"{len(best_first)} facts")
            for lowness, fact in best_first:
                if not arena.challenge(Standing(fact, -lowness, parent), scores[parent]):
                    break  # and none of those behind it
        # 4. Convergence.
        unchanged = 0 if arena.ids() != before else unchanged + 1
    return Competition(arena.standings(), arena.round, bool(waiting), tuple(arena.trace))


@dataclass(slots=True, eq=False)  # two of one text are unlike: what lies behind them in the heap is not compared
class _Reversed:
    """Orders strings the other way round, so that the heap and the final order break ties alike."""

    text: str

    def __lt__(self, other: "_Reversed") -> bool:
        return self.text > other.text


class _Arena:
    """The places of the answer: a min-heap with lazy deletion over those who hold one."""

    def __init__(self, capacity: int, with_trace: bool) -> None:
        self.round = 0
        self._with_trace = with_trace
        self.trace: list[Step] = []
        self._capacity = capacity
        self._heap: list[tuple[float, _Reversed, Standing]] = []  # the lowest score first, of equal scores the higher id
        self._holders: dict[str, Standing] = {}
        self._facts_of: dict[str, int] = {}
        self._parents: dict[str, Standing] = {}

    def offer(self, entrant: Standing) -> None:
        """Give the entrant a place, if one is free."""
        if len(self._holders) < self._capacity:
            self._place(entrant)

    def challenge(self, fact: Standing, parent_score: float) -> bool:
        """Let a fact enter in place of its parent, of nobody, or of the worst; whether it was good enough."""
        assert fact.parent is not None
        full = len(self._holders) >= self._capacity
        if full and not self._beats(fact, self._worst()):
            return False
        parent = self._holders.get(fact.parent)
        self._parents[fact.parent] = Standing(fact.parent, parent_score)
        if parent is not None:
            self._remove(parent)
            self.note(Move.REPLACED, parent.id, parent.score, f"by its fact {fact.id}")
        self._place(fact)
        self.note(Move.ENTERED, fact.id, fact.score, "a place was free" if not full or parent else "better than the worst")
        self._settle()
        return True

    def ids(self) -> frozenset[str]:
        """Who holds a place."""
        return frozenset(self._holders)

    def standings(self) -> tuple[Standing, ...]:
        """The places, best first."""
        return tuple(sorted(self._holders.values(), key=lambda each: (-each.score, each.id)))

    def note(self, move: Move, identity: str, score: float, reason: str) -> None:
        """Remember a move."""
        if self._with_trace:
            self.trace.append(Step(self.round, move, identity, score, reason))

    def _settle(self) -> None:
        """Evict the worst while there are too many, and while it is a last fact that keeps out its better parent.

        A parent that lost its last fact returns, and may be the next to go.
        """
        while len(self._holders) >= self._capacity:
            worst = self._worst()
            surplus = len(self._holders) - self._capacity
            parent = self._kept_out_by(worst)
            if not surplus and parent is None:
                return
            self._remove(worst)
            reason = f"the worst of {self._capacity + surplus}" if surplus else "all places are taken by better ones"
            self.note(Move.EVICTED, worst.id, worst.score, reason)
            if parent is not None:
                self._place(parent)
                self.note(Move.RETURNED, parent.id, parent.score, "its last fact was evicted")

    def _kept_out_by(self, standing: Standing) -> Standing | None:
        """The parent that would return without this fact."""
        if standing.parent is None or self._facts_of[standing.parent] > 1:
            return None
        parent = self._parents[standing.parent]
        return parent if self._beats(parent, standing) else None

    def _remove(self, standing: Standing) -> None:
        del self._holders[standing.id]
        if standing.parent is not None:
            self._facts_of[standing.parent] -= 1

    def _place(self, standing: Standing) -> None:
        self._holders[standing.id] = standing
        if standing.parent is not None:
            self._facts_of[standing.parent] = self._facts_of.get(standing.parent, 0) + 1
        heapq.heappush(self._heap, (standing.score, _Reversed(standing.id), standing))

    def _worst(self) -> Standing:
        while self._holders.get(self._heap[0][2].id) is not self._heap[0][2]:
            heapq.heappop(self._heap)
        return self._heap[0][2]

    @staticmethod
    def _beats(one: Standing, other: Standing) -> bool:
        return (-one.score, one.id) < (-other.score, other.id)
