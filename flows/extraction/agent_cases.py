"""What an agent did: the request, the tools it called, how it ended."""

import re
from collections.abc import Sequence

from flows.cuts import ExtractedCase, Utterance

_LONGEST_STEP = 160  # characters
_LONGEST_TEXT = 600
_FAILURE = re.compile(
    r"\b(?:error|failed|failure|exception|traceback|not found|denied|timed? ?out|invalid|unable to|couldn['’]?t|cannot|refused|"
    r"no results)\b|错误|失败|异常|超时|无法",
    re.I,
)
_SUCCESS = re.compile(
    r"\b(?:done|success(?:ful(?:ly)?)?|completed?|fixed|resolved|passed|works now|created|sent|booked|saved|deployed|merged|"
    r"updated)\b|成功|完成|已解决|搞定",
    re.I,
)
_PRAISE = re.compile(r"\b(?:thanks|thank you|great|perfect|awesome|exactly|works|well done|nice)\b|谢谢|太好了|很好|完美", re.I)
_BLAME = re.compile(
    r"\b(?:wrong|not what|still (?:broken|fails|not)|doesn['’]?t work|didn['’]?t work|no,|incorrect)\b|不对|错了|还是不行", re.I
)
_NEUTRAL = 0.5


def case_of(utterances: Sequence[Utterance]) -> ExtractedCase | None:
    """The task of an episode in which an agent called tools; None where there is no agent or no call.

    ``quality_score`` starts at 0.5: the share of calls that failed takes away, a reported success, a last call that went
    well and the user's thanks add, the user's objection takes away.
    """
    messages = [utterance.message for utterance in utterances]
    calls = [call for message in messages for call in message.tool_calls]
    if not calls or not any(message.agent_id for message in messages):
        return None
    first_call = next(at for at, message in enumerate(messages) if message.tool_calls)
    requests = [message.text for message in messages[: first_call + 1] if message.role == "user"]
    intent = _shortened(requests[-1] if requests else messages[0].text or calls[0].name, _LONGEST_TEXT)

    steps = [_step(call.name, call.arguments, call.result) for call in calls]
    failed = [at for at, call in enumerate(calls) if call.result and _FAILURE.search(call.result)]
    last_said = next((message.text for message in reversed(messages) if message.role == "assistant" and message.text), "")
    reactions = " ".join(message.text for message in messages[first_call + 1 :] if message.role == "user")

    score = _NEUTRAL - 0.3 * len(failed) / len(calls)
    score += 0.1 if len(calls) - 1 not in failed else -0.1
    score += 0.2 if _SUCCESS.search(last_said) and not _FAILURE.search(last_said) else 0
    score += 0.2 if _PRAISE.search(reactions) else 0
    score -= 0.3 if _BLAME.search(reactions) else 0
    approach = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
    return ExtractedCase(intent, approach, round(min(1.0, max(0.0, score)), 2), _insight(steps, failed, last_said))


def _insight(steps: Sequence[str], failed: Sequence[int], last_said: str) -> str:
    """What to know next time: what failed and what was done instead, else how it ended."""
    if failed:
        at = failed[-1]
        then = next((steps[later] for later in range(at + 1, len(steps)) if later not in failed), "")
        return f"Failed: {steps[at]}." + (f" Then worked: {then}." if then else "")
    return _shortened(last_said, _LONGEST_TEXT) or f"Worked: {steps[-1]}."


def _step(name: str, arguments: str, result: str | None) -> str:
    step = f"{name}({_shortened(arguments, _LONGEST_STEP)})"
    return f"{step} -> {_shortened(result, _LONGEST_STEP)}" if result else step


def _shortened(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
