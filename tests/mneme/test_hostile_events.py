"""Events that want to harm: each is refused with its field and what to do, in time that grows with its length only."""

import json
import math
import re
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme import Message
from mneme.errors import InputError
from mneme.events import DEEPEST, LARGEST_EVENT_BYTES, parse_event

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SMALLEST = {"conversation_id": "c", "user_id": "u", "content": "hello"}
LONG = LARGEST_EVENT_BYTES // 4  # as much as shows how the time grows


def refusal(raw: bytes) -> str:
    with pytest.raises(InputError) as raised:
        parse_event(raw, NOW)
    assert len(str(raised.value)) < 2_500, "a hostile event must not be quoted at length"
    return str(raised.value)


def message(**fields: object) -> bytes:
    return json.dumps({**SMALLEST, **fields}).encode()


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"content": "x" * 200_001}, "content has 200001 characters; over 200000 send it as a document"),
        ({"content": [{"type": "text", "text": "x" * 2_000}] * 100 + [{"type": "text"}]}, "content.*101 entries; at most 100"),
        ({"content": [{"type": "text", "text": "x" * 20_000}] * 11}, "content has 2200"),
        ({"content": [{"type": "file", "uri": "x" * 5_000}]}, "content.*uri.*at most 4096"),
        ({"content": [{"type": "file", "name": "x" * 513}]}, "content.*name.*at most 512"),
        ({"tool_calls": [{"name": "t"}] * 101}, "tool_calls.*101 entries; at most 100"),
        ({"tool_calls": [{"name": "t", "result": "x" * 200_000}]}, "tool_calls has 200001 characters"),
        ({"metadata": {str(n): n for n in range(101)}}, "metadata: has 101 entries; at most 100"),
        ({"metadata": {"k": "x" * 20_000}}, "metadata: has 20001 characters; at most 16384 .*content"),
        ({"metadata": {"x" * 20_000: 1}}, "metadata: has 20001 characters"),
        ({"conversation_id": "x" * 513}, "conversation_id.*at most 512"),
        ({"tenant_id": "x" * 513}, "tenant_id.*at most 512"),
        ({"user_id": "x" * 513}, "user_id.*at most 512"),
        ({"message_id": "x" * 513}, "message_id.*at most 512"),
        ({"sender_id": "x" * 513}, "sender_id.*at most 512"),
        ({"sender_name": "x" * 513}, "sender_name.*at most 512"),
        ({"timezone": "x" * 513}, "timezone.*at most 512"),
        ({"timezone": "../../../../etc/passwd"}, "timezone.*IANA"),
        ({"schema": "1" * 33}, "schema.*at most 32"),
        ({"sent_at": "0001-01-01T00:00:00+14:00"}, "sent_at: is in the year 1"),
        ({"event": "x" * 100_000}, "^event"),
    ],
)
def test_everything_has_a_largest_size_and_says_it(fields, complaint):
    reason = refusal(message(**fields))
    assert re.search(complaint, reason), reason


def test_an_event_with_everything_at_its_largest_is_taken():
    event = parse_event(
        message(
            content=[{"type": "text", "text": "x" * 1_999}] * 100,
            tool_calls=[{"name": "t", "arguments": "x" * 999, "result": "y" * 1_000}] * 100,
            metadata={f"{n:02}": "x" * 160 for n in range(100)},
            sender_name="x" * 512,
        ),
        NOW,
    )
    assert isinstance(event, Message)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_refused_even_in_a_field_that_nobody_reads(opening):
    levels = DEEPEST // (2 if opening == '[{"a":' else 1)
    closing = {"[": "]", "{": "}"}
    ends = "".join(closing[character] for character in reversed(opening) if character in closing)
    for more, is_refused in ((-1, False), (1, True)):
        nested = opening * (levels + more - 1) + "1" + ends * (levels + more - 1)
        raw = message()[:-1] + f', "unknown": {nested}}}'.encode()
        if is_refused:
            assert f"nested deeper than {DEEPEST}" in refusal(raw)
        else:
            parse_event(raw, NOW)


def test_an_event_that_is_cut_off_is_not_called_nested():
    whole = message(content=[{"type": "text", "text": "x"}] * 50)
    assert "send one JSON object" in refusal(whole[:-10])


def test_brackets_in_a_text_are_no_nesting():
    text = "[" * 500 + '\\"{' * 500 + "\\"
    event = parse_event(message(content=text), NOW)
    assert isinstance(event, Message)
    assert event.content == text


HOSTILE: dict[str, Callable[[], bytes]] = {
    "too large": lambda: b"x" * (LARGEST_EVENT_BYTES + 1),
    "open brackets": lambda: b"[" * LONG,
    "open objects": lambda: b'{"a":' * (LONG // 5),
    "pairs of brackets": lambda: b"[" + b"[]," * (LONG // 3) + b"1]",
    "open quotes": lambda: b"[" * 40 + b'"' * LONG,
    "escaped quotes": lambda: b"[" * 40 + b'"' + b'\\"' * (LONG // 2),
    "backslashes": lambda: b"[" * 40 + b'"' + b"\\" * LONG,
    "many keys": lambda: json.dumps({f"k{n}": n for n in range(150_000)}).encode(),
    "metadata of lists": lambda: message(metadata={f"k{n}": [] for n in range(150_000)}),
    "metadata of few lists": lambda: message(metadata={f"k{n}": [[]] * 2_500 for n in range(100)}),
    "many parts": lambda: message(content=[{"type": "text", "text": "x"}] * 60_000),
    "parts that are none": lambda: message(content=[0] * 250_000),
    "wrong tool calls": lambda: message(tool_calls=[{}] * 250_000),
    "a part of everything": lambda: message(content=[{"type": "x" * 22_000}] * 100),
    "a long number": lambda: b'{"content": ' + b"9" * LONG + b"}",
    "long numbers": lambda: b"[" + b",".join([b"9" * 4_000] * 600) + b"]",
    "half surrogates": lambda: b'{"content": "' + b"\\ud800" * (LONG // 6) + b'"}',
    "spaces": lambda: b" " * LONG,
    "zeros": lambda: b"\0" * LONG,
    "no UTF-8": lambda: b"\xff" * LONG,
    "a long name": lambda: message(conversation_id="x" * 2_200_000),
    "a long kind": lambda: message(event="x" * 2_200_000),
    "a long version": lambda: message(schema="1" * 2_200_000),
    "a long zone": lambda: message(timezone="+" * 2_200_000),
    "a long time": lambda: message(sent_at="2" * 2_200_000),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_megabytes_are_refused_in_bounded_time(kind):
    """The worst takes .5 s, most of it the parsing of JSON. A busy machine may take longer, so the least of three counts."""
    raw = HOSTILE[kind]()
    seconds = math.inf
    for _attempt in range(3):
        began = time.process_time()
        reason = refusal(raw)
        seconds = min(seconds, time.process_time() - began)
        if seconds < 2.5:
            break
    assert seconds < 2.5
    assert reason.partition(":")[0].split(".")[0] in {
        *("event", "json", "bytes", "content", "metadata", "tool_calls", "conversation_id", "schema", "timezone", "sent_at")
    }


@given(raw=st.one_of(st.binary(max_size=200), st.text(max_size=100).map(lambda text: text.encode(errors="ignore"))))
def test_no_bytes_raise_anything_but_a_refusal(raw):
    with suppress(InputError):
        parse_event(raw, NOW)


_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
_fields = st.sampled_from(
    "schema event tenant_id conversation_id user_id group_id agent_id message_id sender_id sender_name role sent_at timezone "
    "content tool_calls metadata flush_id document_id name uri sha256 dated_at erasure_id requested_at".split()
)
_kinds = st.sampled_from(["message", "edit", "delete", "flush", "forget", "erase", "document"])


@given(kind=_kinds, fields=st.dictionaries(_fields, _values, max_size=6))
def test_no_values_in_the_fields_raise_anything_but_a_refusal(kind, fields):
    with suppress(InputError):
        parse_event(json.dumps({"event": kind, **SMALLEST, **fields}).encode(), NOW)
