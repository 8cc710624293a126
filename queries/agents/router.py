"""router: one decision chooses exactly one strategy; without a usable decision it is chain."""

from collections.abc import Mapping

from queries.agents.base import Agent, Run
from queries.agents.planner import Tool

FALLBACK = Tool.CHAIN


class RouterAgent(Agent):
    """Chooses one of the other agents for each question."""

    name = "router"

    def __init__(self, agents: Mapping[Tool, Agent]) -> None:
        """Prepare.

        Args:
            agents: what it chooses from, ``chain`` among them.
        """
        self._agents = agents

    def find(self, run: Run) -> None:
        """Choose, and let the chosen one find."""
        chosen = run.decide("routing", lambda planner: planner.route(run.param.text, run.budget))
        tool = FALLBACK if chosen is None else chosen
        run.chose(tool, "the router gave no usable answer" if chosen is None else f"chosen by {run.planner.name}")
        self._agents[tool].find(run)
