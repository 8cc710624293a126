"""Hostile and broken input by kind, each with the reason that its dead letter must name."""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mneme.events import LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class Poison:
    """How events of a kind look, by number, and what their dead letter says."""

    of: Callable[[int], bytes]
    reason: str


def _event(number: int, **fields: Any) -> bytes:
    said = {"conversation_id": f"talk-{number % 40}", "user_id": "ana", "message_id": f"poison-{number}", "content": "x"}
    return json.dumps({name: value for name, value in {**said, **fields}.items() if value is not None}).encode()


KINDS: Mapping[str, Poison] = {
    "bad UTF-8": Poison(lambda n: _event(n).replace(b'"x"', b'"\xff"'), "UTF-8"),
    "torn JSON": Poison(lambda n: _event(n)[:-1], "json: "),
    "not an object": Poison(lambda n: json.dumps([f"hello {n}"]).encode(), "a list is no event"),
    "empty record": Poison(lambda n: b"", "json: "),
    "unknown event": Poison(lambda n: _event(n, event="poll"), "event: "),
    "unknown major version": Poison(lambda n: _event(n, schema="7.0"), "schema: version '7.0' is not known"),
    "no conversation": Poison(lambda n: _event(n, conversation_id=None), "conversation_id: "),
    "overlong conversation": Poison(lambda n: _event(n, conversation_id="c" * 600), "conversation_id: "),
    "no owner": Poison(lambda n: _event(n, user_id=None), "one of user_id, group_id or agent_id is needed"),
    "wrong type": Poison(lambda n: _event(n, content=n), "content"),
    "empty content": Poison(lambda n: _event(n, content=" \n"), "content is empty"),
    "oversized text": Poison(lambda n: _event(n, content="x" * (LONGEST_TEXT + 1)), f"over {LONGEST_TEXT}"),
    "far future": Poison(lambda n: _event(n, sent_at="2199-01-01T00:00:00Z"), "sent_at: .* more than a day after"),
    "no zone": Poison(lambda n: _event(n, sent_at="2026-03-01T09:00:00"), "sent_at has no offset"),
    "half a surrogate pair": Poison(lambda n: _event(n, content=f"\ud83d {n}"), "half of a surrogate pair"),
    "no number": Poison(lambda n: _event(n, metadata={"weight": float("nan")}), "metadata"),
    "huge number": Poison(lambda n: _event(n).replace(b'"x"', b"7" * 5_000), "json: "),
    "deep nesting": Poison(lambda n: _event(n).replace(b'"x"', b"[" * 20_000 + b"]" * 20_000), "nested deeper"),
}


def poison_events(count: int, seed: int) -> list[tuple[str, bytes]]:
    """Kind and bytes of ``count`` events that must become dead letters: every kind equally often, in an order by the seed."""
    kinds = [list(KINDS)[number % len(KINDS)] for number in range(count)]
    random.Random(seed).shuffle(kinds)
    return [(kind, KINDS[kind].of(number)) for number, kind in enumerate(kinds)]
