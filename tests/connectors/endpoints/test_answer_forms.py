"""Forms become schemas that models accept, and what models write becomes forms again."""

import json
from datetime import UTC, datetime
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from connectors.endpoints.answer_forms import parse_answer, schema_of
from mneme.errors import ModelMalformed
from tests.contracts.chat_model import Notes, Statement

FIRST, SECOND = {"statement": "Anna moved.", "sources": [0]}, {"statement": 'Ben {waits}, "he" said.', "sources": [1, 2]}
WHOLE = {"subject": "A move", "facts": [FIRST, SECOND]}


def notes(*facts: dict[str, object], subject: str = "A move") -> Notes:
    return Notes.model_validate({"subject": subject, "facts": facts})


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Shelter(BaseModel):
    default: str = Field(default="x", title="A field called as a keyword is")
    animal: Annotated[Cat | Dog, Field(discriminator="kind")]
    best: Annotated[Cat | None, Field(description="beside a reference")] = None


class Named(BaseModel):
    names: list[str]


class Open(BaseModel):
    tags: dict[str, str]


def test_every_field_of_a_schema_is_required_and_no_other_allowed() -> None:
    schema, strict = schema_of(Notes)
    assert strict
    assert schema["required"] == list(schema["properties"])
    assert schema["$defs"]["Statement"]["additionalProperties"] is False
    assert schema["$defs"]["Statement"]["required"] == ["statement", "sources", "event_at"]


def test_keywords_that_strict_schemas_refuse_are_left_out() -> None:
    text = json.dumps([schema_of(Notes)[0], schema_of(Shelter)[0]])
    assert not any(f'"{keyword}":' in text for keyword in ("title", "minLength", "oneOf", "discriminator"))
    assert schema_of(Shelter)[0]["required"] == ["default", "animal", "best"]


def test_a_form_with_open_keys_is_not_called_strict() -> None:
    assert schema_of(Open)[1] is False


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(WHOLE),
        json.dumps(WHOLE, indent=2),
        f"```json\n{json.dumps(WHOLE)}\n```",
        f"```\n{json.dumps(WHOLE)}```",
        f"Here is what I found:\n{json.dumps(WHOLE)}\nIs there anything else? {{}}",
        f'<think>Maybe {{"subject": "wrong", "facts": []}}?</think>\n{json.dumps(WHOLE)}',
        json.dumps(WHOLE).replace("]}", "],}").replace("}]", "},\n]"),
        json.dumps(WHOLE)[:-1],
        json.dumps(WHOLE)[:-2],
        json.dumps(WHOLE)[:-2] + "```",
        json.dumps(WHOLE)[:-2] + ", ",
    ],
)
def test_slips_of_the_pen_are_repaired(text: str) -> None:
    assert parse_answer(text, Notes) == notes(FIRST, SECOND)


def test_a_line_break_inside_a_string_is_taken_as_meant() -> None:
    assert parse_answer('{"subject": "two\nlines", "facts": []}', Notes).subject == "two\nlines"


@pytest.mark.parametrize("lost", [4, 6, 12, 20, 40])
def test_of_an_answer_that_was_cut_off_the_whole_elements_are_kept(lost: int) -> None:
    assert parse_answer(json.dumps(WHOLE)[:-lost], Notes) == notes(FIRST)


def test_of_a_cut_list_of_words_no_whole_one_is_lost() -> None:
    assert parse_answer('{"names": ["Ann", "Bob", "Ca', Named).names == ["Ann", "Bob"]


@given(st.integers(0, len(json.dumps(WHOLE))))
def test_what_was_cut_off_inside_is_never_kept(length: int) -> None:
    try:
        answer = parse_answer(json.dumps(WHOLE)[:length], Notes)
    except ModelMalformed:
        return
    assert answer.subject == "A move"
    assert [fact.model_dump(exclude_none=True) for fact in answer.facts] in ([], [FIRST], [FIRST, SECOND])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("  \n", "it is empty"),
        ("I cannot say.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"subject": 5, "facts": []}', "subject: Input should be a valid string"),
        ('{"facts": [{"statement": "", "sources": []}]}', "facts.0.statement"),
        ('{"subject": "x"]', "no JSON object"),
        ('{"subject": "Board 5" wide, call at 9", "facts": []}', "no JSON object"),
        ('{"subject": "\\ud800", "facts": []}', "the whole: "),
        ("{" * 100_000, "subject: Field required"),
    ],
)
def test_what_cannot_be_repaired_is_malformed_with_its_reason(text: str, problem: str) -> None:
    with pytest.raises(ModelMalformed) as caught:
        parse_answer(text, Notes)
    assert problem in str(caught.value)


def test_many_problems_are_summed_up_without_quoting_the_answer() -> None:
    secret = [{"statement": 1, "sources": "the secret"}] * 9
    with pytest.raises(ModelMalformed, match="and 13 more") as caught:
        parse_answer(json.dumps({"subject": "x", "facts": secret}), Notes)
    assert "secret" not in str(caught.value)


@given(st.text(max_size=300))
def test_any_text_is_an_answer_or_malformed(text: str) -> None:
    for start in ("", '{"subject": "', '{"subject": "x", "facts": ['):
        try:
            assert isinstance(parse_answer(start + text, Notes), Notes)
        except ModelMalformed:
            continue


@given(
    st.lists(st.builds(Statement, statement=st.text(min_size=1, max_size=40), sources=st.lists(st.integers(0, 99), max_size=3)))
)
def test_what_a_form_writes_it_reads(facts: list[Statement]) -> None:
    form = Notes(subject="s", facts=facts, boundaries=(1, 2))
    assert parse_answer(form.model_dump_json(), Notes) == form


def test_dates_are_read_as_dates() -> None:
    text = json.dumps({"subject": "s", "facts": [FIRST | {"event_at": "2026-03-02T09:00:00Z"}]})
    assert parse_answer(text, Notes).facts[0].event_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
