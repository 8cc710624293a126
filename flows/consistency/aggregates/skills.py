"""Skills of agents: cases of one kind become a skill. Pure.

Cases are of one kind if a chain of pairs leads from one to the other, each pair near in meaning *and* with words and tools
in common: the connected components of a threshold graph, which is single-link clustering (Florek et al. 1951; Sneath 1957,
"The application of computers to taxonomy"). It needs no number of clusters and no order: the same cases always give the
same skills, whichever came first. That chains may grow long is its weakness; asking for both conditions counters it.

A skill tells the way of the best case: those of its steps that cases of good quality have in common, with what differed
left open (``<version>``); then what was learnt, and what failed.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flows.extraction.agent_cases import Step, shortened, step_line, steps_in
from mneme.ids import skill_id
from mneme.records import AgentCase, AgentSkill
from mneme.rows import Vector
from mneme.settings import Skills
from mneme.text import has_cjk, tokenise

_MOST_CASES = 500  # of an agent: the newest
_MOST_NOTES = 5  # insights and failures told in a skill, each
_LONGEST_NAME = 60  # characters
_LONGEST_CONTENT = 4000
_SAME_CALL = 0.7  # Jaccard of tool and arguments from which two calls are one step: list and apply are two of a tool
_HAS_DIGIT = re.compile(r"\d")
_SHORTEST_DETAIL = 3  # characters of an argument that comes from the task
_SAME_TEXT = 0.4  # of the words of steps that are told freely
_HALF = 0.5  # of the quality of all cases must be on the side of a step
_ASKING = frozenset(tokenise("please can could would you me need want like tell show give make sure do have get let know"))
_LABELS = {False: ("Steps", "Insights", "What failed"), True: ("步骤", "经验", "失败之处")}


@dataclass(frozen=True, slots=True)
class SkillText:
    """The words of a skill."""

    name: str
    description: str
    content: str


SkillWriter = Callable[[Sequence[AgentCase]], SkillText]


def skills_of(
    cases: Sequence[tuple[AgentCase, Vector | None]], settings: Skills, write: SkillWriter | None = None
) -> list[AgentSkill]:
    """The skills of one agent.

    Args:
        cases: those of the agent that survive, in any order, each with the vector of its ``task_intent`` (float32, length
            1). One without a vector is of no kind yet.
        settings: when cases are of one kind, and how many make a skill.
        write: who writes the words of a skill, given its cases in order; None: ``by_rule``.

    Returns:
        Records with version 0, by id, which is that of the skill's earliest case. The text in each changes only with its
        cases.
    """
    in_order = sorted(cases, key=lambda each: (each[0].at, each[0].id))[-_MOST_CASES:]
    skills = [_skill(kind, write or by_rule) for kind in _kinds(in_order, settings) if len(kind) >= settings.cases]
    return sorted(skills, key=lambda each: each.id)


def by_rule(cases: Sequence[AgentCase]) -> SkillText:
    """The words of a skill without a model.

    Args:
        cases: of one kind, earliest first; at least one.
    """
    best = max(cases, key=lambda each: (each.quality_score, each.at, each.id))
    steps, insights, failures = _LABELS[has_cjk(best.task_intent)]
    blocks = [
        (steps, [f"{number}. {text}" for number, text in enumerate(_common_steps(best, cases), 1)]),
        (insights, [f"- {text}" for text in _insights(cases)]),
        (failures, [f"- {text}" for text in _failures(cases)]),
    ]
    content = "\n".join(line for label, lines in blocks if lines for line in (f"{label}:", *lines))
    return SkillText(_named(best, cases), _described(best, cases), content[:_LONGEST_CONTENT])


def _skill(cases: Sequence[AgentCase], write: SkillWriter) -> AgentSkill:
    words = write(cases)
    first = cases[0]
    return AgentSkill(
        id=skill_id(first.id),
        owner=first.owner,
        created_at=max(each.created_at for each in cases),
        version=0,
        agent_id=first.agent_id,
        name=words.name,
        description=words.description,
        content=words.content,
        confidence=_confidence(cases),
        source_case_ids=tuple(each.id for each in cases),
    )


def _confidence(cases: Sequence[AgentCase]) -> float:
    """The probability of success, 0 to 1: Laplace's rule of succession, a case counting as a success by its quality."""
    return round((sum(each.quality_score for each in cases) + 1) / (len(cases) + 2), 2)


# --- of one kind ----------------------------------------------------------------------------------------------------------


def _kinds(cases: Sequence[tuple[AgentCase, Vector | None]], settings: Skills) -> list[list[AgentCase]]:
    """The cases of each kind, in their order."""
    embedded = [(case, vector) for case, vector in cases if vector is not None]
    if not embedded:
        return []
    vectors = np.stack([vector for _, vector in embedded])
    cosines = vectors @ vectors.T
    words = [_words(case) for case, _ in embedded]
    kinds: list[set[int]] = []
    for at in range(len(embedded)):
        near = {other for other in range(at) if cosines[at, other] >= settings.near}
        joined = {other for other in near if _overlap(words[at], words[other]) >= settings.overlap}
        touching = [kind for kind in kinds if kind & joined]
        kinds = [kind for kind in kinds if not kind & joined] + [{at}.union(*touching)]
    return [[embedded[at][0] for at in sorted(kind)] for kind in kinds]


def _words(case: AgentCase) -> frozenset[str]:
    """The words of a case's task, and the tools it used."""
    return frozenset(tokenise(case.task_intent)) - _ASKING | {step.tool for step in steps_in(case.approach) if step.tool}


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The overlap coefficient (Szymkiewicz-Simpson): a task may be told in few words or in many."""
    return len(one & other) / max(1, min(len(one), len(other)))


# --- what it says ----------------------------------------------------------------------------------------------------------


def _common_steps(best: AgentCase, cases: Sequence[AgentCase]) -> list[str]:
    """The steps of the best case that worked and that others share, in its order; all of them where none is shared."""
    others = [case for case in cases if case.id != best.id]
    weight = sum(case.quality_score for case in cases)
    steps = [step for step in steps_in(best.approach) if not step.has_failed]
    common = []
    for step in steps:
        twins = [(case, twin) for case in others if (twin := _twin(step, best, case)) is not None]
        if twins and best.quality_score + sum(case.quality_score for case, _ in twins) >= _HALF * weight:
            common.append(_opened(step, [twin for _, twin in twins]))
    return list(dict.fromkeys(common)) or [step.text for step in steps]


def _twin(step: Step, best: AgentCase, other: AgentCase) -> Step | None:
    """The step of another case that does the same as one of the best case.

    What a step was given from the task itself ("deploy 4.2.0"), or as a number or name with one from what a tool told
    ("pending: 0087"), does not count as a difference; a tool that both cases called once did the same in both.
    """
    alike = [each for each in steps_in(other.approach) if each.tool == step.tool]
    if not alike:
        return None
    wanted = _words_of(step, best)
    shares = [len(wanted & words) / max(1, len(wanted | words)) for words in (_words_of(each, other) for each in alike)]
    once = step.tool != "" and len(alike) == 1 and [each.tool for each in steps_in(best.approach)].count(step.tool) == 1
    if once or max(shares) >= (_SAME_CALL if step.tool else _SAME_TEXT):
        return alike[shares.index(max(shares))]
    return None


def _words_of(step: Step, case: AgentCase) -> frozenset[str]:
    if not step.tool:
        return frozenset(tokenise(step.text))
    task = case.task_intent.casefold()
    results = " ".join(line.partition(" -> ")[2] for line in case.approach.casefold().splitlines())
    given = {
        key
        for key, value in step.arguments.items()
        if len(value) >= _SHORTEST_DETAIL
        and (value.casefold() in task or (_HAS_DIGIT.search(value) is not None and value.casefold() in results))
    }
    values = {key: "" if key in given else value for key, value in step.arguments.items()}
    return frozenset((step.tool, *(f"{key}={value}" for key, value in values.items())))


def _opened(step: Step, twins: Sequence[Step]) -> str:
    """A step with the arguments that differ among the cases left open."""
    if not step.arguments:
        return step.text
    arguments = {
        key: value if all(twin.arguments.get(key) == value for twin in twins) else f"<{key}>"
        for key, value in step.arguments.items()
    }
    return f"{step.tool}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def _insights(cases: Sequence[AgentCase]) -> list[str]:
    """The insights, from the best case to the worst."""
    ranked = sorted(cases, key=lambda each: (-each.quality_score, each.at, each.id))
    return list(dict.fromkeys(each.key_insight for each in ranked if each.key_insight))[:_MOST_NOTES]


def _failures(cases: Sequence[AgentCase]) -> list[str]:
    """The steps that failed, the newest first."""
    failed = [step_line(step) for case in reversed(cases) for step in steps_in(case.approach) if step.has_failed]
    return list(dict.fromkeys(failed))[:_MOST_NOTES]


def _named(best: AgentCase, cases: Sequence[AgentCase]) -> str:
    """The words of the best case's task that most of the tasks have in common."""
    shared = Counter(token for case in cases for token in set(tokenise(case.task_intent)))
    words = []
    for word in best.task_intent.split():
        tokens = [token for token in tokenise(word) if token not in _ASKING]
        if tokens and all(2 * shared[token] > len(cases) for token in tokens):
            words.append(word.strip(".,;:!?\"'()"))
    name = " ".join(dict.fromkeys(words)) if len(words) > 1 and not has_cjk(best.task_intent) else best.task_intent
    name = shortened(name, _LONGEST_NAME)
    return name[:1].upper() + name[1:]


def _described(best: AgentCase, cases: Sequence[AgentCase]) -> str:
    """For which task it is, and how often and how well that was done."""
    quality = sum(each.quality_score for each in cases) / len(cases)
    days = f"{cases[0].at:%Y-%m-%d} - {cases[-1].at:%Y-%m-%d}"
    if has_cjk(best.task_intent):
        return f"用于：{best.task_intent} 做过{len(cases)}次（{days}），平均质量{quality:.2f}。"
    intent = best.task_intent if best.task_intent.endswith((*".!?。！？",)) else f"{best.task_intent}."
    return f"For: {intent} Done {len(cases)} times ({days}), mean quality {quality:.2f}."
