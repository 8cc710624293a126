"""``mneme bench lists``: the share of the items of a list that the writer of an answer is shown.

1. Read the questions for all of a kind and for counts: our own about the talks of ``examples/`` (lists.jsonl), and those of a
   LoCoMo file whose gold is a list.
2. Ingest the talks into an index of their own, and ask each question as ``ask`` does.
3. Count the items in the context of the writer, and report. An item is shown if one line of the context has all its words.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from connectors.files.chat_events import text_of
from connectors.tokens import token_counter
from evaluation.answers.records import GoldSet
from evaluation.options import LocomoOption
from evaluation.report import Report, Row, print_table, searched_with
from evaluation.retrieval.bench import searched
from evaluation.retrieval.bootstrap import interval
from evaluation.retrieval.question_set import Question, QuestionSet, owner_name
from evaluation.retrieval.sets import GOLD_LOADERS
from mneme.errors import InputError
from mneme.settings import Settings
from mneme.text import tokenise
from queries.answers.context import context_of

_QUESTIONS = Path(__file__).with_name("lists.jsonl")
_BETWEEN_ITEMS = re.compile(r"[,;]|\band\b")
_FEWEST_COMMAS, _FEWEST_ITEMS = 2, 2  # of a gold that is a list; of items that the evidence has word for word
_COLUMNS = ("of", "questions", "items", "shown", "share", "low", "high", "context_tokens")


@dataclass(frozen=True, slots=True)
class Listed:
    """A question for a list, its items, those that were shown, and the tokens of the context."""

    question: Question
    items: tuple[str, ...]
    shown: tuple[str, ...] = ()
    tokens: int = 0


def run_lists(
    examples: Annotated[
        Path, typer.Argument(metavar="EXAMPLES", help="The folder examples/ of a checkout.", show_default=False)
    ],
    settings: Settings,
    console: Console,
    locomo: LocomoOption = None,
) -> Report:
    """Questions for all of a kind and for counts: the share of the items that the writer of an answer is shown.

    The JSON has the ids of the questions, and what was not shown of our own. LoCoMo's questions are those whose gold is a list.

    Raises:
        InputError: a talk is not there, or a file is not LoCoMo's or has no list.
        MnemeError: whatever the flow or a search raises.
    """
    # 1.
    own_set, own_lists = _own(examples)
    sets = [("examples", own_set, own_lists)]
    if locomo:
        gold = GOLD_LOADERS["locomo"](locomo)
        if not (lists := _of_locomo(gold)):
            raise InputError("locomo: no gold in it is a list; give more of its conversations")
        sets.append(("LoCoMo", gold.questions, lists))
    # 2. and 3.
    asked = {name: _ask_all(questions, lists, settings, console) for name, questions, lists in sets}
    rows = [_row(name, some) for name, some in {"all": list(chain(*asked.values())), **asked}.items()]
    missing = [
        {"question": each.question.text, "not shown": ", ".join(sorted(set(each.items) - set(each.shown)))}
        for each in asked["examples"]
        if len(each.shown) < len(each.items)
    ]
    print_table(console, "Items of lists in the writer's context", rows, _COLUMNS)
    print_table(console, "Not shown", missing, ["question", "not shown"])
    return Report(
        bench="lists",
        settings={**searched_with(settings), "context_tokens": settings.answers.context_tokens},
        rows=rows,
        headline={name: rows[0][name] for name in _COLUMNS[1:]},
        parts={
            "questions": [
                {"question": each.question.id, "items": len(each.items), "shown": len(each.shown)}
                for some in asked.values()
                for each in some
            ],
            "missing": missing,
        },
    )


def _own(examples: Path) -> tuple[QuestionSet, list[Listed]]:
    """Our own questions, and the talks that they are about."""
    lines = _json_lines(_QUESTIONS)
    talks = {name: _json_lines(examples / name) for name in dict.fromkeys(line["file"] for line in lines)}
    lists = []
    for line in lines:
        event = talks[line["file"]][0]
        owner: dict[str, str] = {name: event[name] for name in ("user_id", "group_id", "agent_id") if name in event}
        question = Question(line["id"], line["file"], owner, line["question"], "list", frozenset())
        lists.append(Listed(question, tuple(line["items"])))
    events = [event for talk in talks.values() for event in talk]
    return QuestionSet("lists", "lists", events, [each.question for each in lists]), lists


def _json_lines(path: Path) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error}); give the folder examples/ of a checkout") from error


def _of_locomo(gold: GoldSet) -> list[Listed]:
    """The questions whose gold is a list, with the items that the messages of the evidence have in these words."""
    said: dict[tuple[str, str], str] = {}
    for event in gold.questions.events:
        said[owner_name(event), event["message_id"]] = text_of(event["content"])
    lists = []
    for question in gold.questions.questions:
        answer = gold.gold[question.id].answer
        words = set(tokenise(" ".join(said.get((owner_name(question.owner), each), "") for each in question.evidence)))
        items = [item.strip(" .") for item in _BETWEEN_ITEMS.split(answer)]
        told = tuple(dict.fromkeys(item for item in items if tokenise(item) and words.issuperset(tokenise(item))))
        if answer.count(",") >= _FEWEST_COMMAS and len(told) >= _FEWEST_ITEMS and question.category != "temporal":
            lists.append(Listed(question, told))
    return lists


def _ask_all(questions: QuestionSet, lists: Sequence[Listed], settings: Settings, console: Console) -> list[Listed]:
    count = token_counter()
    with searched(questions, settings, console) as (own, memories, _):

        def asked(each: Listed) -> Listed:
            response = memories(each.question).ask(each.question.text, each.question.filters)
            context = context_of(response.found, response.asked_at, own.answers.context_tokens, count)
            lines = [set(tokenise(line)) for line in context.text.splitlines()]
            shown = tuple(item for item in each.items if any(line.issuperset(tokenise(item)) for line in lines))
            return replace(each, shown=shown, tokens=context.tokens)

        return [asked(each) for each in lists]


def _row(name: str, asked: Sequence[Listed]) -> Row:
    """The mean share of the items of a question, with its 95 % interval by bootstrap over questions."""
    shares = np.array([[len(each.shown) / len(each.items)] for each in asked])
    bounds = interval(shares)
    return {
        "of": name,
        "questions": len(asked),
        "items": sum(len(each.items) for each in asked),
        "shown": sum(len(each.shown) for each in asked),
        "share": float(shares.mean()),
        **({"low": float(bounds.low[0]), "high": float(bounds.high[0])} if bounds else {}),
        "context_tokens": round(float(np.mean([each.tokens for each in asked]))),
    }
