"""The agents: strategies for the searches that one question takes.

- ``direct``: one search for the question as it is. No model is asked.
- ``split``: independent sub-queries, searched for side by side. One decision. Source: query decomposition as in MemMachine's
  SplitQueryAgent; the question itself is searched for as well, so that a bad split costs time and nothing else.
- ``chain``: retrieve, judge, rewrite: what the question needs next is known only when the step before is found ("the company
  of the spouse of ..."). At most one judgement for each search.
- ``reflect``: look at the results of the question itself, and search side by side for what is missing. One decision.
- ``router``: one decision chooses one of the others; without a usable decision it is chain.
"""

from collections.abc import Mapping

from queries.agents.planner import MOST_SUB_QUERIES, Tool
from queries.agents.run import DEPTH, Run, Strategy

LOOKED_AT = 10
FALLBACK = Tool.CHAIN


def direct(run: Run) -> None:
    """Search for the question as it is."""
    run.search(run.param.text)


def split(run: Run) -> None:
    """Split, then search for the question and its parts at once."""
    text = run.param.text
    parts = run.decide("split", lambda planner: planner.split(text, run.budget)) or ()
    run.search(text, *parts[:MOST_SUB_QUERIES], depth=DEPTH)


def chain(run: Run, max_attempts: int, confidence_score: float) -> None:
    """Follow a chain of searches.

    Source: MemMachine's chain of query; Trivedi et al., "Interleaving Retrieval with Chain-of-Thought Reasoning for
    Knowledge-Intensive Multi-Step Questions", ACL 2023. The steps:

    1. Search; the first time for the question itself.
    2. After the last allowed search nothing depends on a judgement, and none is asked for.
    3. One decision says if the results are sufficient, how sure that is, and what to search for next.
    4. Sufficient and sure enough, or nothing new to ask for: done. A query that was asked before is nothing new.

    Args:
        run: the question.
        max_attempts: searches at most.
        confidence_score: from which a judgement "sufficient" is believed.
    """
    query = run.param.text
    for attempt in range(1, max_attempts + 1):
        # 1.
        searched = len(run.evidence.searches)
        run.search(query, depth=DEPTH)
        if len(run.evidence.searches) == searched:  # it failed, was left out, or was asked before
            return
        # 2.
        if attempt == max_attempts or not run.budget.searches_left:
            return
        # 3.
        judgement = run.judged("judgement", lambda planner: planner.judge(run.param.text, run.evidence, run.budget))
        # 4.
        if judgement is None or (judgement.sufficient and judgement.confidence >= confidence_score):
            return
        if not judgement.queries:
            if not judgement.sufficient:
                run.note(f"not everything was found: {judgement.missing or 'nothing better could be asked'}")
            return
        query = judgement.queries[0]


def reflect(run: Run, supplementary: int) -> None:
    """Search, reflect, and search for what is missing.

    Source: the reflexive retrieval of EverMemOS. The steps:

    1. Search for the question; the top 20, reranked, of which rules look at the ten best and a model looks at all.
    2. One decision: sufficient, or what is missing and the queries that would bring it: of a model up to six.
    3. Search for these at once, and for the question among the words of the people named. All is fused, the best are kept, and
       each query has one place at least.

    Args:
        run: the question.
        supplementary: queries of the second round, of rules.
    """
    text = run.param.text
    # 1.
    depth = run.joint.depth if run.joint else DEPTH
    run.search(text, depth=depth)
    if not run.evidence.searches:
        return
    wanted = MOST_SUB_QUERIES if run.by_model else supplementary
    best = run.reranked(run.evidence.places(DEPTH), text)[: DEPTH if run.by_model else LOOKED_AT]
    # 2.
    looked_at = run.evidence.in_order(best)
    judgement = run.judged("reflection", lambda planner: planner.supplement(text, looked_at, wanted, run.budget))
    # 3.
    if judgement is not None and not judgement.sufficient:
        if judgement.people:
            run.search(text, depth=depth, people=judgement.people)
        among_people = bool(judgement.people) and not run.by_model  # then it is one of those that are wanted
        run.search(*judgement.queries[: wanted - among_people], depth=DEPTH)
        if not (judgement.queries or judgement.people):
            run.note(f"not everything was found: {judgement.missing or 'nothing better could be asked'}")


def route(run: Run, strategies: Mapping[str, Strategy]) -> None:
    """Let the planner choose one of the strategies, and follow it."""
    chosen = run.decide("routing", lambda planner: planner.route(run.param.text, run.budget))
    tool = FALLBACK if chosen is None else chosen
    run.chose(tool, "the router gave no usable answer" if chosen is None else f"chosen by {run.planner.name}")
    strategies[tool](run)
