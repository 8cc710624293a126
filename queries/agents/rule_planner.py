"""The planner without a model: decides by the form of a question, and by scores, words and the graph of what was found. Pure.

- Sufficiency: the confidence is the geometric mean of two shares: of the question's words, those that are in the best
  results; and the score of the best, up to what is usual where the first place is right. Neither is enough alone.
- Counting: "How many tournaments did Ann win?" is answered by statements that name a tournament each. What the best results
  name, in quotes or with a capital, is searched for alone, together with what is counted.
- Supplementary queries in three styles: key words, with those that the best results share (relevance feedback; Rocchio,
  "Relevance feedback in information retrieval", 1971, without the negative part); the question from the viewpoint of those it
  names; a statement as the memory might say it (Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", ACL
  2023).
"""

import re
from collections import Counter
from dataclasses import replace
from math import sqrt

from mneme.dates.spans import MONTHS, WEEKDAYS
from mneme.text import STOP_WORDS, has_cjk, tokenise
from queries.agents.decomposition import clauses, descriptions, is_chain, shortened, split_question
from queries.agents.evidence import Evidence, parent_of
from queries.agents.joint import named, question_forms
from queries.agents.planner import Judgement, Tool
from queries.agents.query import Budget
from queries.questions.types import QuestionType, asks_for_several, question_type

SUFFICIENT = 0.8  # from this confidence on nothing better is asked for; the same as of a chain
_JUDGED = 10
_GOOD_SCORE = 0.3  # hybrid scores are probabilities: half of LoCoMo's right first places have this or more

_COUNTED = 10
_ITEM = re.compile(
    r"[\"“「《](?P<quoted>[^\"”」》]{2,60})[\"”」》]|(?<![.!?:\"“] )(?<!^)\b(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)"
)
_NO_ITEM = re.compile(rf"^(?:I|I'm|I've|I'd|{'|'.join((*MONTHS, *(day.capitalize() for day in WEEKDAYS)))})\b")

_FEEDBACK_EPISODES = 5
_MOST_WORDS = 3
_WORD = re.compile(r"[A-Za-z][\w'’-]{2,}")
_TURNED = re.compile(
    r"^\W*(?P<preposition>(?:in|on|at|to|from|for|with) )?(?:what|which|who|where|when|how many|how|why)(?P<asked>.*?) "
    r"(?P<auxiliary>do|does|did|has|have|had|is|are|was|were|can|will) "
    r"(?P<subject>I|my \w+|we|our \w+|(?-i:[A-Z])\w+(?:['’]s \w+)?) "
    r"(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_CHINESE_ASKS = re.compile("什么|哪些|哪个|哪里|哪儿|谁|几[个次本种]?|多少|怎么|吗|呢|[？?]")


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
        """See queries/agents/decomposition.py."""
        return split_question(question)

    def judge(self, question: str, found: Evidence, budget: Budget) -> Judgement:
        """Judge if every description has a name, and ask for the first that has none.

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
        return Judgement(True, 1.0) if named_by_graph != question and not left else coverage(named_by_graph, found)

    def supplement(self, question: str, found: Evidence, count: int, budget: Budget) -> Judgement:
        """Choose the queries of a second round.

        1. Among the words of those whom the question names there is always more, and so there is for each thing that may be one
           of those which it counts: whoever reflects wants all of it.
        2. Where it names nobody, what its coverage leaves open, in other words.
        """
        # 1.
        covered, people = coverage(question, found), named(question, found)
        queries = item_queries(question, found, max(0, count - bool(people)))
        if people or queries:
            return Judgement(False, covered.confidence, queries, "whatever else there is", people)
        # 2.
        return covered if covered.sufficient else replace(covered, queries=supplementary_queries(question, found, count))


def coverage(question: str, found: Evidence) -> Judgement:
    """Judge by how well the best results cover a question; missing are those of its words that none of them has."""
    # Without names of those who took part and without question words.
    asked = question_forms(question, named(question, found))[2].split()
    words = [word for word in dict.fromkeys(asked) if tokenise(word)]
    best = found.places(_JUDGED)
    covered = {token for place in best for token in tokenise(place.item.text)}
    missing = [word for word in words if not covered.intersection(tokenise(word))]
    share = 1.0 - len(missing) / len(words) if words else 1.0
    highest = max((place.score for place in best), default=0.0)
    confidence = sqrt(share * min(1.0, highest / _GOOD_SCORE))
    return Judgement(confidence >= SUFFICIENT, confidence, (), ", ".join(missing))


def named_items(question: str, found: Evidence) -> tuple[str, ...]:
    """The names in the best results that the question does not have, most frequent first; no participants."""
    people = {part for each in found.episodes().values() for person in each.participants for part in (person, *person.split())}
    seen: dict[str, int] = {}
    for place in found.places(_COUNTED):
        for match in _ITEM.finditer(place.item.text):
            name = (match["quoted"] or match["name"]).strip(" .,!?，。")
            if len(name) > 1 and not _NO_ITEM.match(name) and name not in people and name.lower() not in question.lower():
                seen[name] = seen.get(name, 0) + 1
    return tuple(sorted(seen, key=lambda name: -seen[name]))


def item_queries(question: str, found: Evidence, count: int) -> tuple[str, ...]:
    """A query for each of the ``count`` named_items that are named most: the words of the question, and the item.

    None where the question counts nothing, or nothing has a name.
    """
    if question_type(question) is not QuestionType.COUNTING:
        return ()
    words = question_forms(question, named(question, found))[2]
    return tuple(f"{words} {item}" for item in named_items(question, found)[:count])


def supplementary_queries(question: str, found: Evidence, count: int) -> tuple[str, ...]:
    """The first ``count`` of the three styles, without those that say the same."""
    _, spoken, words, _ = question_forms(question, named(question, found))
    styles = (" ".join((words, *feedback(question, found))), spoken, statement(spoken))
    return tuple(dict.fromkeys(each for each in styles if each and each != question))[:count]


def feedback(question: str, found: Evidence) -> tuple[str, ...]:
    """Words that the best facts of different episodes share, and the question has not."""
    known = set(tokenise(question))
    people = {token for each in found.episodes().values() for person in each.participants for token in tokenise(person)}
    shared: Counter[str] = Counter()
    form: dict[str, str] = {}
    episodes: set[str] = set()
    for place in found.places(4 * _FEEDBACK_EPISODES):
        episode = parent_of(place.item) or place.item.id
        if episode in episodes:
            continue
        episodes.add(episode)
        words = {token: word for word in _WORD.findall(place.item.text) for token in tokenise(word)}
        new = [token for token in words if token not in known | people and words[token].lower() not in STOP_WORDS]
        shared.update(new)
        form |= {token: words[token] for token in new if token not in form}
        if len(episodes) == _FEEDBACK_EPISODES:
            break
    return tuple(form[token] for token, times in shared.most_common(_MOST_WORDS) if times > 1)


def statement(question: str) -> str:
    """A question turned into a statement, as far as its words allow; empty where they do not.

    >>> statement("Which books has Ann read?"), statement("小雨喜欢什么？")
    ('Ann has read books', '小雨喜欢')
    """
    if has_cjk(question):
        return _CHINESE_ASKS.sub("", question).strip()
    turned = _TURNED.match(question)
    if turned is None:
        return ""
    auxiliary = "" if turned["auxiliary"].lower() in ("do", "does", "did") else turned["auxiliary"]
    parts = (turned["subject"], auxiliary, turned["rest"], turned["preposition"] or "", turned["asked"])
    return " ".join(" ".join(parts).split())
