"""Parse a model's answer while it streams: thinking, ``Reasoning:``, ``Answer:``, and the numbers that it cites.

A model may leave out a heading, write it bold, as a title or in Chinese, begin with a block of thoughts, or cite a memory that
it was not shown. The pieces of the answer go out as they come, but for what may yet become a heading, the mark of an
abstention, or a citation. Without any heading all of it is the answer, and goes out at the end.
"""

import re

from queries.answers.context import NOT_REMEMBERED

_LONGEST_HEADING = 40  # characters of a line that may still be one
_REASONING = "Reasoning|Rationale|Thinking|Thoughts|Analysis|Explanation|推理过程|推理|思考|分析|理由|推論"
_ANSWER = "Final Answer|Answer|最终答案|最终回答|回答|答案|答复|答|答え|답변|답"


def _heading(names: str) -> re.Pattern[str]:
    """A line that begins with one of the names and a colon, or is a title with it alone; whatever marks it, and few blanks."""
    before, after = r"[ \t]{0,8}+(?:#{1,6}[ \t]{0,8}+)?[*_]{0,3}[ \t]{0,8}+", r"[ \t]*+[*_]{0,3}[ \t]*+"
    titled = rf"(?=[ \t]{{0,8}}+[#*_]){before}(?:{names}){after}(?:\n|$)"
    return re.compile(rf"(?:{before}(?:{names}){after}[:：]{after}|{titled})", re.IGNORECASE)


_REASONING_LINE, _ANSWER_LINE = _heading(_REASONING), _heading(_ANSWER)
_ANSWER_INSIDE = re.compile(rf"(?:\s|(?<=[。.!！]))[*_]{{0,3}}(?:{_ANSWER})[*_]{{0,3}}[:：][*_]{{0,3}}", re.IGNORECASE)
_THINK_OPENS = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINK_CLOSES = re.compile(r"</(think|thinking|thought|reasoning)>", re.IGNORECASE)
_AFTER_MARK = " \t\n:：.。,，-"
_CITED = re.compile(r"(?<!\s)\s*+[\[【]\s*\d{1,4}(?:\s*[,，、;]\s*\d{1,4})*\s*[\]】]")
_CITING = re.compile(r"(?<!\s)\s*+[\[【][\d\s,，、;]{0,40}$")
# What models write instead of the mark; at the beginning only, and it counts only without a citation.
_UNKNOWN = re.compile(
    r"\W*(?:i (?:do not|don't|cannot|can't|could not|couldn't) (?:know|find|answer|determine|tell|recall|remember)\b"
    r"|(?:there is|there's|i have) (?:no|not enough) (?:information|evidence|memory|mention|record)"
    r"|no (?:information|evidence|memory|mention|record)\b"
    r"|(?:it|this|that) (?:is|was) (?:not|never) (?:mentioned|remembered|stated|known|specified)"
    r"|not (?:mentioned|remembered|known|specified|enough information)\b|(?:unknown|unanswerable)\b"
    r"|the memories (?:do not|don't)\b"
    r"|我?不知道|我?不记得|(?:记忆|资料|信息)?(?:中|里)?没有(?:相关|提到|提及|记录|足够|任何)|未(?:提及|提到|记录)|无法(?:回答|确定|判断|得知))",
    re.IGNORECASE,
)


class Reply:
    """Reads a model's text piece by piece.

    ``answer`` is as far as it went out, without the mark of an abstention. ``cited`` are the numbers that it cites, in its
    order; those under ``unknown`` were not shown, and do not go out.
    """

    def __init__(self, shown: int) -> None:
        """Nothing is read yet.

        Args:
            shown: how many memories were shown, numbered from 1.
        """
        self._shown = shown
        self._waiting = ""  # read, and not yet decided
        self._state = "begin"
        self._before: list[str] = []  # what stands before an answer
        self._after: list[str] = []  # reasoning behind the answer
        self.answer = ""
        self._marked = False
        self._space = ""
        self.cited: tuple[int, ...] = ()
        self.unknown: tuple[int, ...] = ()

    @property
    def reasoning(self) -> str:
        """The text before the answer, or behind it under a heading of its own."""
        text = "".join(self._before if self.answer else ()) + "\n" + "".join(self._after)
        return _REASONING_LINE.sub("", text.strip(), count=1).strip()

    @property
    def abstained(self) -> bool:
        """True if the answer says that it is not remembered."""
        return self._marked or (not self.cited and bool(_UNKNOWN.match(self.answer)))

    def read(self, piece: str) -> str:
        """Take in a piece; what of the answer can go out."""
        self._waiting += piece
        return self._step(at_end=False)

    def end(self) -> str:
        """There is nothing more; the rest of the answer."""
        out = self._step(at_end=True)
        if self._state == "before":
            reasons, self._waiting = _without_heading("".join(self._before).strip())
            self._before, self._state = [reasons], "answer"
            out = self._step(at_end=True)
        trimmed = out.rstrip()
        self.answer = self.answer[: len(self.answer) - (len(out) - len(trimmed))]
        return trimmed

    def _step(self, at_end: bool) -> str:
        if self._state == "begin" and not self._skip_thoughts(at_end):
            return ""
        if self._state == "before":
            self._find_answer(at_end)
        if self._state == "answer":
            return self._take_answer(at_end)
        if self._state == "after":
            self._after.append(self._waiting)
            self._waiting = ""
        return ""

    def _skip_thoughts(self, at_end: bool) -> bool:
        """Leave out a block of thoughts at the beginning; whether it is known how the text begins."""
        opened = _THINK_OPENS.match(self._waiting)
        if opened:
            closed = _THINK_CLOSES.search(self._waiting, opened.end())
            if closed is None:
                if at_end:
                    self._waiting = ""
                return False
            self._waiting = self._waiting[closed.end() :]
        elif not at_end and len(self._waiting.lstrip()) < len("<reasoning>") and "\n" not in self._waiting.strip():
            return False
        self._waiting = self._waiting.lstrip()
        self._state = "before"
        return True

    def _find_answer(self, at_end: bool) -> None:
        """Go through whole lines, and through the last one when it can no longer become a heading."""
        while self._waiting:
            heading = _ANSWER_LINE.match(self._waiting)
            line, broken, rest = self._waiting.partition("\n")
            if heading and (broken or at_end or heading.end() < len(self._waiting)):
                self._state, self._waiting = "answer", self._waiting[heading.end() :]
                return
            if closed := _THINK_CLOSES.search(line):  # its opening tag is part of some models' prompt
                self._before.clear()
                self._waiting = self._waiting[closed.end() :].lstrip()
                continue
            if not broken and not at_end:
                return
            self._before.append(line + broken)
            self._waiting = rest

    def _take_answer(self, at_end: bool) -> str:
        text = self._waiting
        if not self.answer:
            text = text.lstrip()
            if (
                not at_end
                and NOT_REMEMBERED.startswith(text[: len(NOT_REMEMBERED)].lower())
                and len(text) < len(NOT_REMEMBERED)
            ):
                self._waiting = text
                return ""
            if text.lower().startswith(NOT_REMEMBERED):
                self._marked = True
                text = text[len(NOT_REMEMBERED) :]
            text = text.lstrip(_AFTER_MARK) if self._marked else text
        out, self._waiting = self._until_reasoning(text, at_end)
        out = _CITED.sub(self._known, out)
        self.answer += out
        return out

    def _until_reasoning(self, text: str, at_end: bool) -> tuple[str, str]:
        """Split off what surely belongs to the answer; the rest must wait."""
        for start in re.finditer(r"\n", text):
            heading = _REASONING_LINE.match(text, start.end())
            if heading:
                self._state = "after"
                return text[: start.start()].rstrip(), text[heading.end() :]
        if at_end:
            return text, ""
        held = len(text)
        last_line = text.rfind("\n")
        if last_line >= 0 and len(text) - last_line <= _LONGEST_HEADING:
            held = len(text[:last_line].rstrip())
        elif text != (kept := text.rstrip()):
            held = len(kept)
        if citing := _CITING.search(text[:held]):
            held = citing.start()
        return text[:held], text[held:]

    def _known(self, found: re.Match[str]) -> str:
        numbers = [int(number) for number in re.findall(r"\d+", found[0])]
        known = [number for number in numbers if 1 <= number <= self._shown]
        self.cited = tuple(dict.fromkeys((*self.cited, *known)))
        self.unknown = tuple(dict.fromkeys((*self.unknown, *(number for number in numbers if number not in known))))
        space = found[0][: len(found[0]) - len(found[0].lstrip())] or self._space
        self._space = "" if known else space  # of a number that is left out, for the one behind it
        return "".join([space, *(f"[{number}]" for number in known)]) if known else ""


def _without_heading(text: str) -> tuple[str, str]:
    """The reasoning and the answer of a text without a line for the answer: all of it is one.

    Below a heading of reasoning it stands behind a heading inside a line, else it is the last paragraph.
    """
    heading = _REASONING_LINE.match(text)
    if heading is None:
        return "", text
    text = text[heading.end() :].strip()
    if inside := list(_ANSWER_INSIDE.finditer(text)):
        return text[: inside[-1].start()].strip(), text[inside[-1].end() :]
    *reasons, last = re.split(r"\n\s*\n", text)
    return "\n\n".join(reasons), last
