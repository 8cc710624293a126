"""How the model server plans searches: from the text of the prompt and by rules that a test can foresee.

The prompt (queries/agents/prompts.py) has the question, the queries so far, what they found and relationships, a line each.
Words are those of ``mneme.text.tokenise``; names are capitalised words within lines, one or two together.

- route: ``chain`` where the question describes somebody ("of the", "the one who"); ``split`` where it can be split;
  ``reflect`` for "how many", "all", "list" and "which ...s"; else ``direct``.
- split: cut before every further question word ("..., and how many"), each part with the names of the question that it
  lacks; or of two names that are joined by "and" once with the one, once with the other.
- judge: sufficient where the memories hold three quarters of the question's words and every name that was found with most
  of them was asked for. The next query is the first such name and the words that no memory has that holds it.
- supplement: as judge, with the parts of the question, then such names.
"""

import re
from collections import Counter
from typing import Any

from mneme.text import STOP_WORDS, tokenise

_ENOUGH = 0.75  # of the question's words
_BEST = 5  # memories whose names are followed
_NAME = re.compile(r"(?<![.!?\"“] )(?<!^)\b[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)?")
_ASKS = r"(?:(?:by|near|in|from|with|to) )?(?:how|what|which|who|whom|where|when|why)\b"
_CUT = re.compile(rf",? (?:and|or) (?={_ASKS})|, (?={_ASKS})|[;，；]", re.IGNORECASE)
_JOINED = re.compile(r"(?P<one>[A-Z][\w’'-]+) and (?P<other>[A-Z][\w’'-]+)")
_ALL = re.compile(r"\bhow many\b|\ball\b|\blist\b|\bwhich (?:\w+ )?\w+s\b|几|哪些", re.IGNORECASE)
_DESCRIBED = re.compile(r"\bof the\b|\bthe (?:one|person|woman|man|friend) (?:who|whose|with|that)\b|的那个", re.IGNORECASE)
_LINE = re.compile(r"^\d+ (?:\d{4}-\d\d-\d\d: )?(?P<text>.*)$")


def plans(schema: dict[str, Any]) -> bool:
    """Whether a form is one of a planner."""
    fields = set(schema.get("properties", {}))
    return fields in ({"tool"}, {"queries"}) or {"sufficient", "established", "missing"} <= fields


def plan(schema: dict[str, Any], user: str) -> dict[str, Any]:
    """The decision that a planner's form asks for."""
    fields = set(schema["properties"])
    question = user.partition("Question: ")[2].splitlines()[0]
    if fields == {"tool"}:
        return {"tool": _tool(question)}
    if fields == {"queries"}:
        return {"queries": _split(question)}
    missing, sufficient = _missing(question, user)
    verdict = {"established": "", "missing": " ".join(missing[:1]), "sufficient": sufficient, "confidence": 0.9}
    if "next_query" in fields:
        return verdict | {"next_query": "" if sufficient else next(iter(missing), "")}
    styles = ("key words", "statement", "key words")
    queries = [{"style": style, "query": query} for style, query in zip(styles, [*_split(question), *missing], strict=False)]
    return verdict | {"queries": [] if sufficient else queries}


def _tool(question: str) -> str:
    if _DESCRIBED.search(question):
        return "chain"
    if _split(question):
        return "split"
    return "reflect" if _ALL.search(question) else "direct"


def _split(question: str) -> list[str]:
    parts = [part.strip(" ?？") for part in _CUT.split(question)]
    if len(parts) > 1:
        names = dict.fromkeys(_NAME.findall(question))
        return [" ".join([part, *(name for name in names if name not in part)]) for part in parts]
    both = _JOINED.search(question)
    return [question.replace(both[0], name) for name in both.groups()] if both else []


def _missing(question: str, user: str) -> tuple[list[str], bool]:
    """What to search for next, best first, and whether nothing needs to be."""
    before, _, found = user.partition("Memories:")
    lines = [_told(match["text"]) for line in found.splitlines() if (match := _LINE.match(line))]
    wanted = _words(question)
    best = sorted(lines, key=lambda line: -len(wanted & _words(line)))[:_BEST]
    covered = wanted & {word for line in lines for word in _words(line)}
    asked = before.casefold()
    names = Counter(name for line in best for name in _NAME.findall(line) if name.casefold() not in asked)
    queries = []
    for name, _ in names.most_common():
        known = {word for line in lines if name in line for word in _words(line)}
        queries.append(f"{name} {_spoken(question, wanted - known)}".strip())
    left = _spoken(question, wanted - covered)
    enough = len(covered) >= _ENOUGH * len(wanted)
    return queries or ([left] if left else []), enough and not names


def _told(line: str) -> str:
    """A line in which no name begins it: of a memory that is who said it, of a relationship a name that counts."""
    return f"({line}" if " — " in line else line


def _spoken(question: str, words: set[str]) -> str:
    """Those words of the question, as they are written there."""
    return " ".join(word for word in re.findall(r"[\w’'-]+", question) if words & set(tokenise(word)))


def _words(text: str) -> set[str]:
    return set(tokenise(text)) - STOP_WORDS
