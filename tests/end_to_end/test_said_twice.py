"""What is said twice is remembered once, and as well as what is said once."""

import json
from pathlib import Path

import pytest

from flows import ingest
from mneme.settings import Settings
from queries import Memories

pytestmark = pytest.mark.slow

ABOUT_OTHERS = ("I had pasta for lunch.", "Priti got a dog called Pickle.", "The train to Leeds was late again.")


def test_a_fact_is_read_and_answered_from_after_it_was_said_again(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data=tmp_path / "data")
    for day, texts in ((21, ABOUT_OTHERS), (22, ["My blood group is A negative."]), (23, ["My blood group is A negative."])):
        said = [
            {"conversation_id": "sam", "user_id": "sam", "sent_at": f"2026-11-{day}T10:0{minute}:00Z", "content": text}
            for minute, text in enumerate(texts)
        ]
        file = tmp_path / f"{day}.jsonl"
        file.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
        ingest([file], settings)
    with Memories.open(settings) as memories:
        best, *others = memories.search("What is my blood group?", filters={"user_id": "sam"}).facts
        answer = memories.ask("What is my blood group?", {"user_id": "sam"})
    assert best.repeated_by
    assert best.reading is not None
    assert not any("blood" in each.text for each in others)
    assert "A negative" in answer.answer
