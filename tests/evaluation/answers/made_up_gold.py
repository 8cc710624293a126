"""A small set in LoCoMo's form with all five categories, made up, and a writer and a judge for it."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TURNS = [
    ("Ada", "Good morning Leo, the beans in my garden are finally up"),
    ("Leo", "Lovely! I bought a yellow kayak at the market in Lugano"),
    ("Ada", "A kayak, how nice, is it for the lake or for the river?"),
    ("Leo", "For the lake, my sister Nora from Lugano will teach me next Saturday"),
]
QUESTIONS = [
    {"question": "What did Leo buy in Lugano?", "answer": "a yellow kayak", "evidence": ["D1:2"], "category": 4},
    {"question": "Who teaches Leo, and where is she from?", "answer": "Nora, in Lugano", "evidence": ["D1:4"], "category": 1},
    {"question": "In which year did Leo buy his kayak?", "answer": 2026, "evidence": ["D1:2"], "category": 2},
    {"question": "Does Leo like water?", "answer": "Likely yes; he has a kayak", "evidence": ["D1:2"], "category": 3},
    {"question": "What did Ada buy in Lugano?", "evidence": ["D1:2"], "category": 5, "adversarial_answer": "a red violin"},
]


TOWNS = ("Lugano", "Thun", "Chur", "Zug")


def conversation_of(turns: Iterable[tuple[str, str]]) -> dict[str, object]:
    """A conversation of Ada and Leo in one session, in LoCoMo's form."""
    return {
        "speaker_a": "Ada",
        "speaker_b": "Leo",
        "session_1_date_time": "9:05 am on 2 March, 2026",
        "session_1": [{"speaker": who, "dia_id": f"D1:{n}", "text": text} for n, (who, text) in enumerate(turns, 1)],
    }


def write_talks(path: Path, talks: int) -> Path:
    """So many conversations, at most four, with the same five questions, each about another town."""
    sample = json.dumps({"conversation": conversation_of(TURNS), "qa": QUESTIONS})
    samples = [{"sample_id": f"talk-{n}", **json.loads(sample.replace(TOWNS[0], town))} for n, town in enumerate(TOWNS[:talks])]
    path.write_text(json.dumps(samples))
    return path


def answer(user: str) -> str:
    """What the writer says: a memory that has a word of the question, cited."""
    question = next(line for line in user.splitlines() if line.startswith("Question: "))
    words = set(question.lower().strip("?").split()) - {"question:", "what", "did", "in", "is", "and", "the", "his"}
    lines = [line for line in user.splitlines() if line.startswith("[")]
    found = max(lines, key=lambda line: len(words & set(line.lower().split())), default="")
    if not words & set(found.lower().split()):
        return "Reasoning: nothing tells of it.\nAnswer: [not remembered] This was not said."
    return f"Reasoning: one memory tells it.\nAnswer: {found.split(': ', 1)[-1]} {found.split(']')[0]}]"


def verdict(schema: dict[str, Any], user: str) -> dict[str, Any]:
    """What the judge says: by the words of the gold. Asked to repair, it gives what it gave."""
    data = {name: json.loads(value) for name, value in (line.split(": ", 1) for line in user.splitlines())}
    return {"reason": "by its words", "correct": str(data.get("gold", "not")).split()[-1] in data["answer"]}
