"""The model's way: a chat model that answers as a case says a good one would."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mneme.ports import Prompt, Role, Usage
from mneme.ports.models import Answer
from tests.cases.case import Case, word_pattern
from tests.servers.model_answers import lines_of

_STATEMENT = re.compile(r"^(?P<name>S\d+) [^:]*: (?P<text>.*)$", re.MULTILINE)
_PAIR = re.compile(r"^(?P<number>\d+)\. (?P<older>S\d+) (?P<newer>S\d+)$", re.MULTILINE)


class ScriptedChat:
    """Of an episode the statements of ``told`` as facts; of two statements what ``over`` and ``merged`` want of them."""

    def __init__(self, case: Case) -> None:
        self._told = list(zip(case.messages, case.fields["told"], strict=True))
        self._wanted = {key: case.fields.get(key, ()) for key in ("holds", "over", "merged")}

    def answer(self, prompt: Prompt, form: type[Answer]) -> Answer:
        """What fills the form."""
        is_pairs = "replaces" in form.model_fields
        return form.model_validate(self._verdicts(prompt.user) if is_pairs else self._episode(prompt.user))

    def remembered(self, role: Role, scope: str, contents: Iterable[str]) -> dict[str, str]:
        """Nothing is kept."""
        return {}

    def remember(self, role: Role, scope: str, answers: Mapping[str, str]) -> dict[str, str]:
        """Nothing is kept: what was answered stands."""
        return dict(answers)

    def usage(self) -> dict[Role, Usage]:
        """Nothing is counted."""
        return {}

    def close(self) -> None:
        """Nothing is open."""

    def _episode(self, user: str) -> dict[str, Any]:
        texts = [line.text for line in lines_of(user) if line.number is not None]
        first = next(at for at in range(len(self._told)) if self._said(at, len(texts)) == texts)
        facts = []
        for at in range(first, first + len(texts)):
            for statement in self._told[at][1]:
                text, sources = statement if isinstance(statement, list) else (statement, [at])
                facts.append({"statement": text, "when": self._when(text), "sources": [source - first for source in sources]})
        texts_of = {"subject": "A talk", "summary": "They talked."}
        lists: dict[str, list[Any]] = {name: [] for name in ("entities", "relationships", "foresights", "profile")}
        return {**texts_of, **lists, "facts": facts, "case": None}

    def _said(self, first: int, count: int) -> list[str]:
        return [" ".join(message.text.split()) for message, _ in self._told[first : first + count]]

    def _when(self, statement: str) -> str:
        """The days that the case expects of a statement, which a model fills in beside it."""
        for wanted in self._wanted["holds"]:
            if wanted.get("on") and _has(statement, wanted):
                return f"{wanted['on']}/{wanted.get('until', wanted['on'])}"
        return ""

    def _verdicts(self, user: str) -> dict[str, list[int]]:
        texts = {match["name"]: match["text"] for match in _STATEMENT.finditer(user)}
        verdicts: dict[str, list[int]] = {"same": [], "replaces": []}
        for pair in _PAIR.finditer(user):
            if verdict := self._verdict(texts[pair["older"]], texts[pair["newer"]]):
                verdicts[verdict].append(int(pair["number"]))
        return verdicts

    def _verdict(self, older: str, newer: str) -> str:
        if any(_has(older, wanted) and _has(newer, wanted) for wanted in (*self._wanted["merged"], *self._wanted["over"])):
            return "same"
        return "replaces" if any(_has(older, wanted) for wanted in self._wanted["over"]) else ""


def _has(text: str, wanted: dict[str, Sequence[str]]) -> bool:
    return all(word_pattern(word).search(text) for word in wanted["words"])
