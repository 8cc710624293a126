"""split: a question that asks for several things at once, each searched for by itself, side by side. One decision.

Source: query decomposition as in MemMachine's SplitQueryAgent; the question itself is searched for as well, so that a bad split
costs time and nothing else.
"""

from queries.agents.base import DEPTH, Agent, Run
from queries.agents.planner import MOST_SUB_QUERIES


class SplitAgent(Agent):
    """Independent sub-queries in parallel."""

    name = "split"

    def find(self, run: Run) -> None:
        """Split, then search for the question and its parts at once."""
        text = run.param.text
        parts = run.decide("split", lambda planner: planner.split(text, run.budget)) or ()
        run.search(text, *parts[:MOST_SUB_QUERIES], depth=DEPTH)
