"""The agents: strategies for the searches that one question takes.

- ``direct``: one search for the question as it is. No model is asked.
- ``split``: independent sub-queries, searched for side by side. One decision. Source: query decomposition as in MemMachine's
  SplitQueryAgent; the question itself is searched for as well, so that a bad split costs time and nothing else.
- ``chain``: retrieve, judge, rewrite; at most one judgement for each search. Source: MemMachine's chain of query; Trivedi et
  al., "Interleaving Retrieval with Chain-of-Thought Reasoning for Knowledge-Intensive Multi-Step Questions", ACL 2023.
- ``reflect``: look at the results of the question itself, and search side by side for what is missing. One decision. Source:
  the reflexive retrieval of EverMemOS.
- ``router``: one decision chooses one of the others; without a usable decision it is chain.
"""

from collections.abc import Mapping

from queries.agents.planner import MOST_SUB_QUERIES, Tool
from queries.agents.run import DEPTH, Agent, Run

LOOKED_AT = 10

FALLBACK = Tool.CHAIN


class DirectAgent(Agent):
    """One search."""

    name = "direct"

    def find(self, run: Run) -> None:
        """Search for the question."""
        run.search(run.param.text)


class SplitAgent(Agent):
    """Independent sub-queries in parallel."""

    name = "split"

    def find(self, run: Run) -> None:
        """Split, then search for the question and its parts at once."""
        text = run.param.text
        parts = run.decide("split", lambda planner: planner.split(text, run.budget)) or ()
        run.search(text, *parts[:MOST_SUB_QUERIES], depth=DEPTH)


class ChainAgent(Agent):
    """Retrieve, judge, rewrite; at most one judgement for each search."""

    name = "chain"

    def __init__(self, max_attempts: int, confidence_score: float) -> None:
        """Prepare.

        Args:
            max_attempts: searches at most.
            confidence_score: from which a judgement "sufficient" is believed.
        """
        self._max_attempts = max_attempts
        self._confidence_score = confidence_score

    def find(self, run: Run) -> None:
        """Follow the chain."""
        query = run.param.text
        for attempt in range(1, self._max_attempts + 1):
            # 1.
            searched = len(run.evidence.searches)
            run.search(query, depth=DEPTH)
            if len(run.evidence.searches) == searched:  # it failed, was left out, or was asked before
                return
            # 2.
            if attempt == self._max_attempts or not run.budget.searches_left:
                return
            # 3.
            judgement = run.judged("judgement", lambda planner: planner.judge(run.param.text, run.evidence, run.budget))
            # 4.
            if judgement is None or (judgement.sufficient and judgement.confidence >= self._confidence_score):
                return
            if not judgement.queries:
                if not judgement.sufficient:
                    run.note(f"not everything was found: {judgement.missing or 'nothing better could be asked'}")
                return
            query = judgement.queries[0]


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
