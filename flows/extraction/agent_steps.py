"""The steps of an agent's approach, as text and taken apart again: ``1. tool(key=value, ...) -> what came of it``. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_LONGEST_VALUE = 100  # characters of an argument
_LONGEST_RESULT = 160
_BEGINNING = 120  # characters of a result in which an error says that it is one; further on it may be what was asked for
_FAILURE = re.compile(
    r"\b(?:errors?|fail(?:ed|s|ure)?|exception|traceback|not found|denied|time[sd]? ?out|invalid|unable to|couldn['’]?t|cannot|"
    r"refused|rejected|forbidden|unauthori[sz]ed|unavailable|does(?: not|n['’]t) exist|no such|no results|crash(?:ed|es)?|"
    r"abort(?:ed|s)?|conflict)\b|(?-i:\b[45]\d\d [A-Z][a-z]+)|错误|失败|异常|超时|无法|拒绝|不存在|报错",
    re.IGNORECASE,
)
_NO_FAILURE = re.compile(
    r"\b(?:no|0|zero|without) (?:\w+ )?(?:errors?|failures?|conflicts?)\b|没有(?:错误|异常)|(?:无|0个?)错误", re.I
)
_NUMBER = re.compile(r"^\s*\d+[.)、]\s*")
_CALL = re.compile(r"^(?P<tool>[\w.:/-]+)\((?P<arguments>.*?)\)(?: -> (?P<result>.*))?$", re.DOTALL)
_ARGUMENT = re.compile(r"(?:^|, )([\w.-]+)=")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool, or something else that was done (``tool`` is then empty and ``text`` says it)."""

    tool: str
    text: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    result: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether what came of it is an error."""
        return is_failure(self.result)


def is_failure(result: str) -> bool:
    """Whether the result of a tool says that it failed."""
    return _FAILURE.search(_NO_FAILURE.sub("", result[:_BEGINNING])) is not None


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


def written(steps: Iterable[Step]) -> str:
    """Steps as numbered lines."""
    return "\n".join(f"{number}. {told(step)}" for number, step in enumerate(steps, 1))


def told(step: Step) -> str:
    """One step with what came of it."""
    return f"{step.text} -> {step.result}" if step.result else step.text


def steps_in(approach: str) -> list[Step]:
    """The steps of an approach, by whomever it was written: one for each line that says anything."""
    steps = []
    for line in approach.splitlines():
        text = _NUMBER.sub("", line).strip()
        call = _CALL.match(text)
        if call is not None:
            pieces = _ARGUMENT.split(call["arguments"])
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
