"""What a model wrote, read while it comes."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.answers.reply import _CITED, Reply


def read(text: str, shown: int = 9, at_a_time: int | None = None) -> tuple[Reply, str]:
    """A reply that has read a text, in pieces of some length; and what of its answer went out."""
    reply = Reply(shown)
    length = at_a_time or max(1, len(text))
    out = "".join([*(reply.read(text[start : start + length]) for start in range(0, len(text), length)), reply.end()])
    assert out == reply.answer
    return reply, out


FORMS = [
    ("Reasoning: [1] tells it.\nAnswer: In Bergen [1].", "In Bergen [1].", "[1] tells it."),
    ("Reasoning:\nBecause of [1].\n\nAnswer:\nIn Bergen [1].\n", "In Bergen [1].", "Because of [1]."),
    ("**Reasoning:** because.\n\n**Answer:** In Bergen [1].", "In Bergen [1].", "because."),
    ("**Reasoning**: because.\n**Answer**: In Bergen [1].", "In Bergen [1].", "because."),
    ("## Reasoning\nbecause.\n\n## Answer\nIn Bergen [1].", "In Bergen [1].", "because."),
    ("**Reasoning**\nbecause.\n**Final Answer**\nIn Bergen [1].", "In Bergen [1].", "because."),
    ("reasoning: because.\nFINAL ANSWER: In Bergen [1].", "In Bergen [1].", "because."),
    ("推理：因为[1]。\n回答：在卑尔根[1]。", "在卑尔根[1]。", "因为[1]。"),
    ("**推理过程：**\n因为。\n**答案：**在卑尔根[1]。", "在卑尔根[1]。", "因为。"),
    ("<think>Hm. Answer: no.\n</think>\nReasoning: because.\nAnswer: In Bergen [1].", "In Bergen [1].", "because."),
    ("Hm, let me see.\n</think>\n\nReasoning: because.\nAnswer: In Bergen [1].", "In Bergen [1].", "because."),
    ("<think>Hm.</think>In Bergen [1].", "In Bergen [1].", ""),
    ("In Bergen [1].", "In Bergen [1].", ""),
    ("In Bergen [1].\nSince May.", "In Bergen [1].\nSince May.", ""),
    ("[1] tells it.\nAnswer: In Bergen [1].", "In Bergen [1].", "[1] tells it."),
    ("Answer: In Bergen [1].", "In Bergen [1].", ""),
    ("Answer: [99] In Bergen [1].", "In Bergen [1].", ""),
    ("Answer: In Bergen [1].\n\nReasoning: because.", "In Bergen [1].", "because."),
    ("Reasoning: because.\n\nIn Bergen [1].", "In Bergen [1].", "because."),
    ("Reasoning: because. Answer: In Bergen [1].", "In Bergen [1].", "because."),
    ("Answer: First:\n- Bergen [1]\n- Oslo [2]\n\nTotal: 2.", "First:\n- Bergen [1]\n- Oslo [2]\n\nTotal: 2.", ""),
    ("Answer: In Bergen [1].\n\n**Reasoning:** because.", "In Bergen [1].", "because."),
    ("Answer: In Bergen [1].\n## Reasoning\nbecause.", "In Bergen [1].", "because."),
    ("Answer: You took:\n* Analysis I [1]\n* Algebra [2]", "You took:\n* Analysis I [1]\n* Algebra [2]", ""),
    ("Answer: You wrote\n\n**Analysis** of the trip [1].", "You wrote\n\n**Analysis** of the trip [1].", ""),
    ("Answer: You read:\n## Thinking Fast and Slow [1]", "You read:\n## Thinking Fast and Slow [1]", ""),
    ("回答：你写了：\n* 分析报告 [1]", "你写了：\n* 分析报告 [1]", ""),
]


@pytest.mark.parametrize("at_a_time", [None, 1, 2, 3, 7])
@pytest.mark.parametrize(("text", "answer", "reasoning"), FORMS)
def test_the_answer_is_found_in_every_form(text: str, answer: str, reasoning: str, at_a_time: int | None) -> None:
    reply, out = read(text, at_a_time=at_a_time)
    assert out == answer
    assert reply.reasoning == reasoning
    assert not reply.abstained


@pytest.mark.parametrize(("text", "answer", "reasoning"), FORMS)
def test_the_answer_is_the_same_wherever_its_text_is_cut(text: str, answer: str, reasoning: str) -> None:
    for cut in range(len(text)):
        reply = Reply(9)
        out = reply.read(text[:cut]) + reply.read(text[cut:]) + reply.end()
        assert (out, reply.reasoning) == (answer, reasoning), f"cut behind {text[:cut]!r}"


@pytest.mark.parametrize("text", ["", "  \n", "<think>Hm, this is long", "Reasoning: because.\nAnswer:\n", "Answer: "])
@pytest.mark.parametrize("at_a_time", [None, 1])
def test_what_holds_no_answer_is_none(text: str, at_a_time: int | None) -> None:
    assert read(text, at_a_time=at_a_time)[1] == ""


def test_the_answer_goes_out_while_it_is_written() -> None:
    reply = Reply(3)
    assert reply.read("Reasoning: a long one.\nAns") == ""
    assert reply.read("wer: In Bergen") == "In Bergen"
    assert reply.read(", since ") == ", since"
    assert reply.read("May [") == " May"
    assert reply.read("2]") == " [2]"
    assert reply.end() == ""
    assert reply.cited == (2,)


def test_no_reasoning_goes_out() -> None:
    reply = Reply(3)
    pieces = [reply.read(character) for character in "Reasoning: I think of [1].\nIt says Bergen.\nAnswer: Bergen [1]"]
    assert "".join([*pieces, reply.end()]) == "Bergen [1]"


@pytest.mark.parametrize(
    ("text", "answer", "cited", "unknown"),
    [
        ("Bergen [1][3].", "Bergen [1][3].", (1, 3), ()),
        ("Bergen [3, 1].", "Bergen [3][1].", (3, 1), ()),
        ("Bergen 【2】。", "Bergen [2]。", (2,), ()),
        ("Bergen [12].", "Bergen.", (), (12,)),
        ("Bergen [0][2][99].", "Bergen [2].", (2,), (0, 99)),
        ("In [2026] there [1] were [a] boats.", "In there [1] were [a] boats.", (1,), (2026,)),
    ],
)
@pytest.mark.parametrize("at_a_time", [None, 1])
def test_only_numbers_that_were_shown_are_cited(
    text: str, answer: str, cited: tuple[int, ...], unknown: tuple[int, ...], at_a_time: int | None
) -> None:
    reply, out = read(f"Answer: {text}", shown=3, at_a_time=at_a_time)
    assert (out, reply.cited, reply.unknown) == (answer, cited, unknown)


@pytest.mark.parametrize("at_a_time", [None, 1, 4])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "Reasoning: nothing.\nAnswer: [not remembered] Where Ann lives is not remembered.",
            "Where Ann lives is not remembered.",
        ),
        ("Answer: [Not remembered]: 没有提到。", "没有提到。"),
        ("[not remembered] Nothing of it.", "Nothing of it."),
        ("Answer: I don't know where Ann lives.", "I don't know where Ann lives."),
        ("Answer: There is no information about that.", "There is no information about that."),
        ("回答：没有提到她住在哪里。", "没有提到她住在哪里。"),
        ("Answer: Not mentioned.", "Not mentioned."),
    ],
)
def test_an_abstention_is_recognised_and_its_mark_left_out(text: str, answer: str, at_a_time: int | None) -> None:
    reply, out = read(text, at_a_time=at_a_time)
    assert out == answer
    assert reply.abstained


@pytest.mark.parametrize("text", ["Ann does not know Ben [1].", "No, she moved [2].", "Not in Bergen but in Oslo [1]."])
def test_a_no_is_no_abstention(text: str) -> None:
    assert not read(f"Answer: {text}")[0].abstained


def test_an_answer_is_read_once_however_many_pieces_it_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece used to be read with all before it: 8,000 characters in pieces of four took 1.2 s of processor time."""
    text, looked_at = "Some of it is told [1]. " * 300, 0

    class Counted:
        def sub(self, replaced: Callable[[re.Match[str]], str], read: str) -> str:
            nonlocal looked_at
            looked_at += len(read)
            return _CITED.sub(replaced, read)

    monkeypatch.setattr("queries.answers.reply._CITED", Counted())
    assert read(f"Answer: {text}", at_a_time=4)[1] == text.strip()
    assert looked_at < len(text)


def test_what_may_become_a_heading_is_held_back_and_what_stands_before_it_goes_out() -> None:
    reply = Reply(3)
    assert reply.read("Answer: You took:\n* Analysis") == "You took:"
    assert reply.read(" I [1], a long one") + reply.end() == "\n* Analysis I [1], a long one"


@given(st.text(alphabet="Answer: Reasoning\n[]12*#<think>/回答：。", max_size=80), st.integers(1, 9))
def test_nothing_that_a_model_writes_depends_on_how_it_is_cut(text: str, at_a_time: int) -> None:
    assert read(text, 2, at_a_time)[1].split() == read(text, 2)[1].split()
