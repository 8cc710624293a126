"""A chat model that says what a test wrote down."""

from collections.abc import Iterator, Sequence
from typing import Any

from mneme.ports import Prompt, Role, Spent, Usage


class ScriptedChat:
    """Gives its ``answers`` in order, and writes ``pieces``; an error among either is raised. ``prompts`` is what was asked."""

    def __init__(self, pieces: Sequence[str | Exception] = (), answers: Sequence[Any] = ()) -> None:
        self.prompts: list[Prompt] = []
        self.closed_early = False
        self.writing: Iterator[str] = iter(())
        self._pieces = pieces
        self._answers = list(answers)

    def answer(self, prompt: Prompt, form: type[Any], seconds: float | None = None, spent: Spent | None = None) -> Any:
        self.prompts.append(prompt)
        answer = self._answers.pop(0)
        if spent:
            spent(100, 10)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, form)
        return answer

    def write(self, prompt: Prompt, seconds: float | None = None, spent: Spent | None = None) -> Iterator[str]:
        self.prompts.append(prompt)
        self.writing = self._write(spent)  # kept, so that nobody but the reader closes it
        return self.writing

    def _write(self, spent: Spent | None) -> Iterator[str]:
        ended = False
        try:
            for piece in self._pieces:
                if isinstance(piece, Exception):
                    raise piece
                yield piece
            ended = True
        finally:
            self.closed_early = not ended
            if spent:
                spent(1000, 50)

    def usage(self) -> dict[Role, Usage]:
        return {}

    def close(self) -> None:
        self.prompts.clear()
