"""Parse a model's answer while it streams: thinking, ``Reasoning:``, ``Answer:``, and the numbers that it cites.

A model may leave out a heading, write it bold, as a title or in Chinese, begin with a block of thoughts, or cite a memory that
it was not shown. Line by line the heading of the answer is looked for; from there on everything goes out, but for what may yet
become a heading, the mark of an abstention, or a citation. Without a heading all of it is the answer, and goes out at the end.
"""

import re

from queries.answers.context import NOT_REMEMBERED

_LONGEST_HEADING = 40  # characters of a line that may still be one
_REASONING = "Reasoning|Rationale|Thinking|Thoughts|Analysis|Explanation|推理过程|推理|思考|分析|理由|推論"
_ANSWER = "Final Answer|Answer|最终答案|最终回答|回答|答案|答复|答|答え|답변|답"


def _heading(names: str) -> str:
    """A line that begins with one of the names and a colon, or is a title with it alone; whatever marks it, and few blanks."""
    before, after = r"[ \t]{0,8}+(?:#{1,6}[ \t]{0,8}+)?[*_]{0,3}[ \t]{0,8}+", r"[ \t]{0,8}+[*_]{0,3}[ \t]{0,8}+"
    titled = rf"(?=[ \t]{{0,8}}+[#*_]){before}(?:{names}){after}(?:\n|$)"
    return rf"(?:{before}(?:{names}){after}[:：]{after}|{titled})"


_REASONING_FIRST = re.compile(_heading(_REASONING), re.IGNORECASE)
_REASONING_BEHIND = re.compile(rf"\n{_heading(_REASONING)}", re.IGNORECASE)
_ANSWER_LINE = re.compile(_heading(_ANSWER), re.IGNORECASE)
_ANSWER_INSIDE = re.compile(rf"(?:\s|(?<=[。.!！]))[*_]{{0,3}}(?:{_ANSWER})[*_]{{0,3}}[:：][*_]{{0,3}}", re.IGNORECASE)
_THINK_OPENS = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINK_CLOSES = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
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

    ``answer`` is as far as it went out, without the mark of an abstention, and ``reasoning`` at the end what stands before it,
    or behind it under a heading of its own. ``cited`` are the numbers that it cites, in its order; those under ``unknown``
    were not shown, and do not go out.
    """

    def __init__(self, shown: int) -> None:
        """Nothing is read yet.

        Args:
            shown: how many memories were shown, numbered from 1.
        """
        self._shown = shown
        self._text = ""  # what is not read yet; of the answer what has not gone out
        self._line = 0  # where the line begins that may become the heading of the answer
        self._before: str | None = None  # the answer, as soon as that has begun
        self._ended = False
        self._marked: bool | None = None
        self._out: list[str] = []
        self.cited: tuple[int, ...] = ()
        self.unknown: tuple[int, ...] = ()
        self._space = ""  # before a number that was left out, for the one behind it

    @property
    def answer(self) -> str:
        """The answer, as far as it went out."""
        return "".join(self._out)

    @property
    def reasoning(self) -> str:
        """The reasoning, once everything is read."""
        before, behind = self._before if self._out else "", self._text if self._ended else ""
        return _REASONING_FIRST.sub("", f"{before}\n{behind}".strip(), count=1).strip()

    @property
    def abstained(self) -> bool:
        """True if the answer says that it is not remembered."""
        return bool(self._marked) or (not self.cited and bool(_UNKNOWN.match(self.answer)))

    def read(self, piece: str) -> str:
        """Take in a piece; what of the answer can go out."""
        self._text += piece
        return self._more(at_end=False)

    def end(self) -> str:
        """There is nothing more; the rest of the answer."""
        return self._more(at_end=True)

    def _more(self, at_end: bool) -> str:
        if self._ended or (self._before is None and not self._begins(at_end)):
            return ""
        if self._marked is None:
            text = self._text.lstrip()
            self._marked = text.lower().startswith(NOT_REMEMBERED)
            if not self._marked and not at_end and NOT_REMEMBERED.startswith(text.lower()):
                self._marked = None
                return ""
            self._text = text[len(NOT_REMEMBERED) if self._marked else 0 :]
        behind = _REASONING_BEHIND.search(self._text)
        text = self._text[: behind.start()] if behind else self._text
        settled = text.rstrip() if at_end or behind else _settled(text)
        # What reaches the end of a piece may go on: "* Analysis" with " I [1]", "**Reasoning:" with its last two marks.
        self._ended = behind is not None and (at_end or behind.end() < len(self._text) or behind[0].endswith("\n"))
        self._text = self._text[behind.end() if behind and self._ended else len(settled) :]
        out = _CITED.sub(self._shown_alone, settled)
        if not self._out:
            out = out.lstrip(_AFTER_MARK if self._marked else None)
        self._out += [out] if out else []
        return out

    def _begins(self, at_end: bool) -> bool:
        """Read the lines before the answer, without blocks of thoughts; whether it has begun."""
        while True:
            thinks = _THINK_OPENS.match(self._text)
            heading = None if thinks else _ANSWER_LINE.match(self._text, self._line)
            if heading and (at_end or heading.end() < len(self._text) or self._text.endswith("\n")):
                self._before, self._text = self._text[: heading.start()], self._text[heading.end() :]
                return True
            end = self._text.find("\n", self._line)
            if closed := _THINK_CLOSES.search(self._text, self._line, end if end >= 0 else len(self._text)):
                self._text, self._line = self._text[closed.end() :].lstrip(), 0
            elif end >= 0:
                self._line = end + 1
            else:
                break
        if at_end and not thinks:
            self._before, self._text = _without_heading(self._text.strip())
        return self._before is not None

    def _shown_alone(self, found: re.Match[str]) -> str:
        """Keep of numbers in brackets those that were shown, each in brackets of its own."""
        numbers = [int(number) for number in re.findall(r"\d+", found[0])]
        shown = [number for number in numbers if 1 <= number <= self._shown]
        self.cited = tuple(dict.fromkeys((*self.cited, *shown)))
        self.unknown = tuple(dict.fromkeys((*self.unknown, *(number for number in numbers if number not in shown))))
        space = found[0][: len(found[0]) - len(found[0].lstrip())] or self._space
        self._space = "" if shown else space
        return "".join([space, *(f"[{number}]" for number in shown)]) if shown else ""


def _settled(text: str) -> str:
    """An answer that goes on, without its end that may yet become a heading or a citation."""
    line = text.rfind("\n")
    settled = text[:line].rstrip() if line >= 0 and len(text) - line <= _LONGEST_HEADING else text.rstrip()
    citing = _CITING.search(settled)
    return settled[: citing.start()] if citing else settled


def _without_heading(text: str) -> tuple[str, str]:
    """The reasoning and the answer of a text without a line for the answer: all of it is one.

    Below a heading of reasoning it stands behind a heading inside a line, else it is the last paragraph.
    """
    heading = _REASONING_FIRST.match(text)
    if heading is None:
        return "", text
    text = text[heading.end() :].strip()
    if inside := list(_ANSWER_INSIDE.finditer(text)):
        return text[: inside[-1].start()].strip(), text[inside[-1].end() :]
    *reasons, last = re.split(r"\n\s*\n", text)
    return "\n\n".join(reasons), last
