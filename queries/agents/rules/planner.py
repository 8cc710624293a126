"""The planner without a model: decides by the form of a question, and by scores, words and the graph of what was found."""

from queries.agents.budget import Budget
from queries.agents.evidence import Evidence
from queries.agents.joint.features import named
from queries.agents.planner import Judgement, Tool
from queries.agents.rules import counting, supplement
from queries.agents.rules.hops import descriptions, is_chain, shortened
from queries.agents.rules.several import asks_for_several
from queries.agents.rules.split import clauses, split_question
from queries.agents.rules.sufficiency import coverage


class RulePlanner:
    """See ``Planner``. It calls nothing and has no state, so that it raises nothing and costs nothing of the budget."""

    name = "rules"

    def route(self, question: str, budget: Budget) -> Tool:
        """The one strategy for a question.

        1. Something told by its relationship to a name is followed: chain.
        2. Questions of their own are asked each by itself: split.
        3. What gathers over several memories is looked for twice: reflect. So is what several people have in common.
        4. Else one search finds it: direct.
        """
        if is_chain(question):
            return Tool.CHAIN
        if len(clauses(question)) > 1:
            return Tool.SPLIT
        return Tool.REFLECT if asks_for_several(question) else Tool.DIRECT

    def split(self, question: str, budget: Budget) -> tuple[str, ...]:
        """See queries/agents/rules/split.py."""
        return split_question(question)

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """Whether every description is put by a name, and what to ask for the first that is not.

        1. Names for what the graph knows, in the question as it stands: that is asked for next, unless it was.
        2. Then who is meant by a description that the graph does not know.
        3. With no description left it is a matter of coverage.
        """
        # 1.
        named_by_graph = shortened(question, found.graph())
        if named_by_graph not in found.queries:
            return Judgement(False, 0.0, (named_by_graph,), "what the named one is asked for")
        # 2.
        left = [each.question for each in descriptions(named_by_graph)]
        new = [each for each in left if each not in found.queries]
        if new:
            return Judgement(False, 0.0, (new[0],), f"an answer to: {new[0]}")
        # 3.
        covered = coverage(named_by_graph, found)
        if named_by_graph != question and not left:
            return Judgement(True, 1.0)
        return Judgement(covered.sufficient, covered.confidence, (), ", ".join(covered.missing))

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """What a second round is to bring.

        1. Among the words of those whom the question names there is always more, and so there is for each thing that may be one
           of those which it counts: whoever reflects wants all of it.
        2. Where it names nobody, what its coverage leaves open, in other words.
        """
        # 1.
        covered, people = coverage(question, found), named(question, found)
        queries = counting.item_queries(question, found, max(0, count - bool(people)))
        if people or queries:
            return Judgement(False, covered.confidence, queries, "whatever else there is", people)
        # 2.
        if covered.sufficient:
            return Judgement(True, covered.confidence)
        return Judgement(False, covered.confidence, supplement.queries(question, found, count), ", ".join(covered.missing))
