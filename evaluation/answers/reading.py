"""The answers of a run for reading: each question with its gold, its answer, what that cites, and the verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from evaluation.answers.figures import Judged
from evaluation.answers.given import Vote

_LONGEST_CITED = 400  # characters; an episode may be a page
_MARKS = {True: "right", False: "wrong", None: "not judged"}


def written_answers(title: str, judged: Sequence[Judged], votes: Mapping[str, Sequence[Vote]]) -> str:
    """A page of Markdown. What people and models wrote stands in quotes in which no markup has an effect.

    Args:
        title: of the page.
        judged: in the order of the page.
        votes: of the judge, by question.
    """
    parts = [f"# {title}", f"{len(judged)} answers."]
    for each in judged:
        parts.append("\n".join(_section(each, votes.get(each.question.id, ()))).rstrip())
    return "\n\n".join(parts) + "\n"


def _section(each: Judged, votes: Sequence[Vote]) -> Iterator[str]:
    gold, answer = each.gold, each.answer
    yield f"## {escape(each.question.id)}: {_MARKS[each.right]}"
    yield ""
    said = ["abstained"] if answer.abstained else []
    said += ["quotes, no model"] if answer.extractive else []
    said += [f"{answer.evidence:.0%} of the evidence found"] if answer.evidence is not None else []
    yield ", ".join([each.question.category, f"judged as {gold.kind}", *said])
    yield ""
    yield from _quoted("Question", each.question.text)
    yield from _quoted("Gold", gold.answer or ("" if gold.rubric else "(there is no answer)"))
    for point in gold.rubric:
        yield from _quoted("Rubric", point)
    yield from _quoted("Trap", gold.trap)
    yield from _quoted("Answer", answer.answer)
    yield from _quoted("Reasoning", answer.reasoning)
    for cited in answer.citations:
        text = cited.text if len(cited.text) <= _LONGEST_CITED else f"{cited.text[: _LONGEST_CITED - 1]}…"
        yield from _quoted(f"[{cited.number}] {cited.day}".strip(), text)
    for vote in sorted(votes, key=lambda vote: vote.number):
        yield from _quoted(f"Vote {vote.number + 1}, {_MARKS[vote.correct]}", vote.reason)


def _quoted(name: str, text: str) -> Iterator[str]:
    if not text:
        return
    yield f"**{name}**"
    yield ""
    yield from (f"> {_plain(line)}  " for line in text.splitlines())
    yield ""


def _plain(line: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]#|" else character for character in escape(line, quote=False))
