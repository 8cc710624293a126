"""reflect: look at what the question itself finds, and search side by side for what is missing. One decision.

Source: the reflexive retrieval of EverMemOS. The steps:

1. Search for the question; the top 20, reranked, of which the ten best are looked at.
2. One decision: sufficient, or what is missing and the queries that would bring it, in three styles.
3. Search for these at once. All is fused by rank, the best 40 are kept, and each query has one place at least.
"""

from queries.agents.base import DEPTH, Agent, Run

LOOKED_AT = 10


class ReflectAgent(Agent):
    """A second round for what the first has missed."""

    name = "reflect"

    def __init__(self, supplementary: int) -> None:
        """Prepare.

        Args:
            supplementary: queries of the second round.
        """
        self._supplementary = supplementary

    def find(self, run: Run) -> None:
        """Search, reflect, and search for what is missing."""
        text = run.param.text
        # 1.
        depth = run.joint.depth if run.joint and run.joint.fitted else DEPTH
        run.search(text, depth=depth)
        if not run.evidence.searches:
            return
        best = run.reranked(run.evidence.places(DEPTH), text)[:LOOKED_AT]
        # 2.
        looked_at = run.evidence.in_order(best)
        judgement = run.judged(
            "reflection", lambda planner: planner.supplement(text, looked_at, self._supplementary, run.budget)
        )
        # 3.
        if judgement is not None and not judgement.sufficient:
            if judgement.people:
                run.search(text, depth=depth, people=judgement.people)
            run.search(*judgement.queries[: self._supplementary - bool(judgement.people)], depth=DEPTH)
            if not (judgement.queries or judgement.people):
                run.note(f"not everything was found: {judgement.missing or 'nothing better could be asked'}")
