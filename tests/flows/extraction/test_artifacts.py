import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.extraction.artifacts import parts_of

LETTER = "Here you go.\n\nDear Ms. Keller,\nI took a break in 2023.\nIt was good.\nBest regards,\nPaul"


def kinds(text, role="user"):
    return [part.artifact for part in parts_of(text, role)]


def artifact(text, role="user"):
    [part] = [part for part in parts_of(text, role) if part.artifact is not None]
    return part.artifact, text[part.start : part.end].strip()


def test_the_words_of_a_speaker_are_no_artifact():
    assert kinds('I took a break.\n\nIt was good, he said: "go on".') == [None]


def test_a_letter_goes_from_its_salutation_to_the_name_under_it():
    assert artifact(LETTER) == ("letter", LETTER[LETTER.index("Dear") :])


def test_code_and_files_stand_by_their_marks():
    assert artifact("Look:\n```py\nx = 1\n```\nok?") == ("code", "```py\nx = 1\n```")
    assert artifact("See [file: a.pdf: I moved to Rome.] please") == ("file", "[file: a.pdf: I moved to Rome.]")


def test_a_list_has_more_than_one_item():
    assert artifact("I need\n- milk\n- eggs\nand rest") == ("list", "- milk\n- eggs")
    assert kinds("- just a dash") == [None]


def test_quoted_text_is_somebody_elses():
    quoted = "“I never said that I would move to Rome, and I will not move there this year.”"
    assert artifact(f"She wrote {quoted} Well.") == ("quotation", quoted)
    assert artifact("> I sold my car\n> last week\nDid you?") == ("quotation", "> I sold my car\n> last week")


def test_a_long_text_behind_a_colon_is_a_draft():
    draft = "I have been a nurse for ten years. " * 8
    assert artifact(f"Can you improve this:\n\n{draft}") == ("draft", draft.strip())


def test_a_long_message_of_an_assistant_is_one_answer():
    assert kinds("I took a six-month break.\n\n- one\n- two\n" + "More. " * 100, "assistant") == ["answer"]
    assert kinds("Noted, I moved it to Friday.", "assistant") == [None]


@pytest.mark.parametrize("role", ["tool", "system"])
def test_what_a_tool_or_a_system_says_is_output(role):
    assert kinds("42 rows", role) == ["output"]


@given(st.text(alphabet='ab\n`>-[]: "“”1.', max_size=300))
def test_the_parts_of_a_message_are_the_message(text):
    assert "".join(text[part.start : part.end] for part in parts_of(text, "user")) == text
