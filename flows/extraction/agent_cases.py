"""Agent cases: the request, the tools that an agent called with their results, and how the task ended."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from flows.cuts import ExtractedCase, Utterance
from flows.extraction.episode_texts import asked_for
from flows.extraction.sentences import sentence_spans
from mneme.languages import languages_of
from mneme.patterns import Patterns
from mneme.records import StoredMessage, ToolCall

# --- the steps of an approach: ``1. tool(key=value, ...) -> what came of it`` ----------------------------------------


_LONGEST_VALUE = 100  # characters of an argument
_LONGEST_RESULT = 160
_BEGINNING = 120  # characters of a result in which an error says that it is one; further on it may be what was asked for
_WORDS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool, or something else that was done (``tool`` is then empty and ``text`` says it)."""

    tool: str
    text: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    result: str = ""

    @property
    def has_failed(self) -> bool:
        """Tell whether what came of it is an error."""
        return is_failure(self.result)


def is_failure(result: str) -> bool:
    """Tell whether the result of a tool says that it failed."""
    return _WORDS.failure.search(_WORDS.no_failure.sub("", result[:_BEGINNING])) is not None


def called(tool: str, arguments: str, result: str) -> Step:
    """The step of a tool call; ``arguments`` is JSON, or anything."""
    try:
        parsed = json.loads(arguments) if arguments.strip() else {}
    except json.JSONDecodeError:
        parsed = None
    if isinstance(parsed, dict):
        named = {key: shortened(_value(value), _LONGEST_VALUE) for key, value in parsed.items()}
        inside = ", ".join(f"{key}={value}" for key, value in named.items())
    else:
        named, inside = {}, shortened(arguments, _LONGEST_RESULT)
    return Step(tool, f"{tool}({inside})", named, shortened(result, _LONGEST_RESULT))


def numbered_steps(steps: Iterable[Step]) -> str:
    """Steps as numbered lines."""
    return "\n".join(f"{number}. {step_line(step)}" for number, step in enumerate(steps, 1))


def step_line(step: Step) -> str:
    """One step with what came of it."""
    return f"{step.text} -> {step.result}" if step.result else step.text


def steps_in(approach: str) -> list[Step]:
    """The steps of an approach, by whomever it was written: one for each line that says anything."""
    steps = []
    for line in approach.splitlines():
        text = _WORDS.number.sub("", line).strip()
        call = _WORDS.call.match(text)
        if call is not None:
            pieces = _WORDS.argument.split(call["arguments"])
            arguments = dict(zip(pieces[1::2], pieces[2::2], strict=True))
            steps.append(Step(call["tool"], text.partition(" -> ")[0], arguments, call["result"] or ""))
        elif text:
            steps.append(Step("", text))
    return steps


def shortened(text: str, longest: int) -> str:
    """A text on one line, of so many characters at most."""
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# --- what an agent did -------------------------------------------------------------------------------------------------


_LONGEST_TEXT = 600  # characters
_MOST_REPAIRS = 3  # steps told between a failure and what worked in the end
_NEUTRAL = 0.5


def case_of(utterances: Sequence[Utterance]) -> ExtractedCase | None:
    """The task of an episode in which an agent called tools; None where it called none.

    ``task_intent`` is what was asked for before the first call, ``approach`` the calls with their results. ``quality_score``
    follows how the task ended, and starts at 0.5 for one of which nothing is known:
    - up to 0.3 away for the share of calls that failed for good: a tool that worked later mended its failure; 0.1 for or
      against it as the last call went well or not, if its result is known;
    - 0.2 for a success that the agent reports, 0.2 away if it reports that it could not;
    - 0.2 for the user's thanks, 0.3 away for the objection, whichever came last after the last call that worked; an agent is
      not believed against its user.

    ``key_insight`` is what the agent says it learnt, then what failed and what worked instead, else what it reports.
    """
    messages = [utterance.message for utterance in utterances]
    places = [at for at, message in enumerate(messages) if message.tool_calls]
    if not places:
        return None
    steps = list(_steps(messages))
    requests = [message.text for message in messages[: places[0] + 1] if message.role == "user"]
    request = requests[-1] if requests else messages[0].text or steps[0].tool
    intent = asked_for(request, languages_of([request])[0]) or shortened(request, _LONGEST_TEXT)
    report = _report(messages, places[-1])
    since = places[0] if steps[-1].has_failed else places[-1]
    score = _quality(steps, report, [message.text for message in messages[since + 1 :] if message.role == "user"])
    return ExtractedCase(intent, numbered_steps(steps), score, _insight(messages[places[0] :], steps, report))


def _steps(messages: Sequence[StoredMessage]) -> Iterator[Step]:
    """The calls in order, each with its result, whether it stands in the call or in messages of the tool after it."""
    for at, message in enumerate(messages):
        if message.tool_calls:
            following = []
            for later in messages[at + 1 :]:
                if later.tool_calls or later.role == "user":
                    break
                following += [later.text] if later.role == "tool" and later.text else []
            for call, result in zip(message.tool_calls, _results(message.tool_calls, following), strict=True):
                yield called(call.name, call.arguments, result)


def _results(calls: Sequence[ToolCall], following: Sequence[str]) -> list[str]:
    """One result for each call: its own, or the message of the tool that answers it.

    A tool may answer several calls in one message, a line or a clause for each; where that does not come out even, the
    last call is given all of it.
    """
    open_calls = [at for at, call in enumerate(calls) if call.result is None]
    results = [call.result or "" for call in calls]
    clauses = _WORDS.outcomes.split(following[0].strip()) if len(following) == 1 else []
    for answers in (following, clauses):
        if len(answers) == len(open_calls):
            for at, answer in zip(open_calls, answers, strict=True):
                results[at] = answer
            return results
    if open_calls:
        results[open_calls[-1]] = "\n".join(following)
    return results


def _report(messages: Sequence[StoredMessage], last_call: int) -> str:
    """The agent's report: its first words after the last call, else those with it."""
    said = [message.text for message in messages[last_call + 1 :] if message.role == "assistant" and message.text]
    return said[0] if said else messages[last_call].text


def _quality(steps: Sequence[Step], report: str, reactions: Sequence[str]) -> float:
    failed = {at for at, step in enumerate(steps) if step.has_failed}
    works_until = {step.tool: at for at, step in enumerate(steps) if at not in failed}
    score = _NEUTRAL - 0.3 * sum(works_until.get(steps[at].tool, -1) < at for at in failed) / len(steps)
    if steps[-1].result:
        score += -0.1 if steps[-1].has_failed else 0.1
    last = next((each for each in reversed(reactions) if _WORDS.blame.search(each) or _WORDS.praise.search(each)), "")
    objected = _WORDS.blame.search(last) is not None
    if _WORDS.gave_up.search(report) and (objected or not last):
        score -= 0.2
    elif _WORDS.success.search(report) and not objected:
        score += 0.2
    if last:
        score += -0.3 if objected else 0.2
    return round(min(1.0, max(0.0, score)), 2)


def _insight(messages: Sequence[StoredMessage], steps: Sequence[Step], report: str) -> str:
    """The key insight: lessons and repairs, else the report."""
    said = [message.text for message in messages if message.role == "assistant"]
    lessons = [
        sentence for text in said for span in sentence_spans(text, "en") if _WORDS.lesson.search(sentence := span.of(text))
    ]
    insights = [*lessons[-1:], *_repair(steps)]
    return shortened(" ".join(insights) or report or f"Worked: {step_line(steps[-1])}.", _LONGEST_TEXT)


def _repair(steps: Sequence[Step]) -> Iterator[str]:
    """The first failure and the last, and the steps after it until the same tool worked, or else the next thing that did."""
    failed = [at for at, step in enumerate(steps) if step.has_failed]
    if not failed:
        return
    at = failed[-1]
    yield from (f"Failed: {step_line(steps[place])}." for place in dict.fromkeys((failed[0], at)))
    later = [step for step in steps[at + 1 :] if not step.has_failed]
    again = next((number for number, step in enumerate(later, 1) if step.tool == steps[at].tool), 1)
    if later:
        yield f"Then worked: {', '.join(step_line(step) for step in later[max(0, again - _MOST_REPAIRS) : again])}."
