"""direct: one search for the question as it is. No model is asked."""

from queries.agents.base import Agent, Run


class DirectAgent(Agent):
    """One search."""

    name = "direct"

    def find(self, run: Run) -> None:
        """Search for the question."""
        run.search(run.param.text)
