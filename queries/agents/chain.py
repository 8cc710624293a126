"""chain: what the question needs next is known only when the step before is found ("the company of the spouse of ...").

Source: the chain of query of MemMachine's retrieval agent; chain-of-thought retrieval, Trivedi et al., "Interleaving Retrieval
with Chain-of-Thought Reasoning for Knowledge-Intensive Multi-Step Questions", ACL 2023. The steps:

1. Search; the first time for the question itself.
2. After the last allowed search nothing depends on a judgement, and none is asked for.
3. One decision says whether what was found is sufficient, how sure that is, and what to search for next.
4. Sufficient and sure enough, or nothing new to ask for: done. A query that was asked before is nothing new.
"""

from queries.agents.base import DEPTH, Agent, Run


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
