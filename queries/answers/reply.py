"""Parse a model's answer while it streams: thinking, ``Reasoning:``, ``Answer:``, and the numbers that it cites.

A model may leave out a heading, write it bold, as a title or in Chinese, begin with a block of thoughts, or cite a memory that
it was not shown. With each piece all that has come is read anew, and what is new of the answer goes out, but for what may yet
become a heading, the mark of an abstention, or a citation. Without a heading all of it is the answer, and goes out at the end.
"""

import re

from queries.answers.context import NOT_REMEMBERED

_LONGEST_HEADING = 40  # characters of a line that may still be one
_REASONING = "Reasoning|Rationale|Thinking|Thoughts|Analysis|Explanation|推理过程|推理|思考|分析|理由|推論"
_ANSWER = "Final Answer|Answer|最终答案|最终回答|回答|答案|答复|答|答え|답변|답"


def _heading(names: str) -> str:
    """A line that begins with one of the names and a colon, or is a title with it alone; whatever marks it, and few blanks."""
    before, after = r"[ \t]{0,8}+(?:#{1,6}[ \t]{0,8}+)?[*_]{0,3}[ \t]{0,8}+", r"[ \t]*+[*_]{0,3}[ \t]*+"
    titled = rf"(?=[ \t]{{0,8}}+[#*_]){before}(?:{names}){after}(?:\n|$)"
    return rf"(?:{before}(?:{names}){after}[:：]{after}|{titled})"


_REASONING_FIRST = re.compile(_heading(_REASONING), re.IGNORECASE)
_REASONING_BEHIND = re.compile(rf"\n{_heading(_REASONING)}", re.IGNORECASE)
_ANSWER_LINE = re.compile(rf"^{_heading(_ANSWER)}", re.IGNORECASE | re.MULTILINE)
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

    ``answer`` is as far as it went out, without the mark of an abstention, and ``reasoning`` what stands before it, or behind
    it under a heading of its own. ``cited`` are the numbers that it cites, in its order; those under ``unknown`` were not
    shown, and do not go out.
    """

    def __init__(self, shown: int) -> None:
        """Nothing is read yet.

        Args:
            shown: how many memories were shown, numbered from 1.
        """
        self._shown = shown
        self._text = ""
        self._marked = False
        self.answer = self.reasoning = ""
        self.cited: tuple[int, ...] = ()
        self.unknown: tuple[int, ...] = ()

    @property
    def abstained(self) -> bool:
        """True if the answer says that it is not remembered."""
        return self._marked or (not self.cited and bool(_UNKNOWN.match(self.answer)))

    def read(self, piece: str) -> str:
        """Take in a piece; what of the answer can go out."""
        self._text += piece
        return self._more(at_end=False)

    def end(self) -> str:
        """There is nothing more; the rest of the answer."""
        return self._more(at_end=True)

    def _more(self, at_end: bool) -> str:
        before, text = _parts(self._text, at_end)
        text = text.lstrip()
        behind = _REASONING_BEHIND.search(text)
        text, after = (text[: behind.start()], text[behind.end() :]) if behind else (text, "")
        text = text.rstrip() if at_end or behind else _settled(text)
        self._marked = text.lower().startswith(NOT_REMEMBERED)
        if self._marked:
            text = text[len(NOT_REMEMBERED) :].lstrip(_AFTER_MARK)
        elif not at_end and NOT_REMEMBERED.startswith(text.lower()):
            return ""
        out = self._cite(text).lstrip()[len(self.answer) :]
        self.answer += out
        self.reasoning = _REASONING_FIRST.sub("", f"{before if self.answer else ''}\n{after}".strip(), count=1).strip()
        return out

    def _cite(self, text: str) -> str:
        """The text with the numbers that were shown alone, each in brackets."""
        cited: dict[int, None] = {}
        unknown: dict[int, None] = {}
        left = ""  # the space before a number that is left out, for the one behind it

        def known(found: re.Match[str]) -> str:
            nonlocal left
            numbers = [int(number) for number in re.findall(r"\d+", found[0])]
            shown = [number for number in numbers if 1 <= number <= self._shown]
            cited.update(dict.fromkeys(shown))
            unknown.update(dict.fromkeys(number for number in numbers if number not in shown))
            space = found[0][: len(found[0]) - len(found[0].lstrip())] or left
            left = "" if shown else space
            return "".join([space, *(f"[{number}]" for number in shown)]) if shown else ""

        text = _CITED.sub(known, text)
        self.cited, self.unknown = tuple(cited), tuple(unknown)
        return text


def _parts(text: str, at_end: bool) -> tuple[str, str]:
    """The text before the answer, and the answer with the rest; both empty as long as it has not begun."""
    if _THINK_OPENS.match(text):
        closed = _THINK_CLOSES.search(text)
        if closed is None:
            return "", ""
        text = text[closed.end() :]
    heading = _ANSWER_LINE.search(text)
    while closed := _THINK_CLOSES.search(text, 0, heading.start() if heading else len(text)):  # some prompts hold its opening
        text = text[closed.end() :].lstrip()
        heading = _ANSWER_LINE.search(text)
    if heading is None:
        return _without_heading(text.strip()) if at_end else ("", "")
    if not at_end and heading.end() == len(text) and not text.endswith("\n"):
        return "", ""
    return text[: heading.start()], text[heading.end() :]


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
