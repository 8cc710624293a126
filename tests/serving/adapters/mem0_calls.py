"""The calls that mem0's documentation shows, on any ``Memory``: as a script, on mem0's own with fakes in place of models.

The quickstart of mem0 2.2.1: https://docs.mem0.ai/open-source/python-quickstart and "Memory operations".
"""

import json
import sys
from typing import Any

MESSAGES = [
    {"role": "user", "content": "Hi, I'm Alex. I love basketball and gaming."},
    {"role": "assistant", "content": "Hey Alex! I'll remember your interests."},
]


def shape(value: Any) -> Any:
    """Names and types of an answer, without what differs from run to run."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def documented_calls(memory: Any) -> dict[str, Any]:
    """The shapes of the answers to each call."""
    told: dict[str, Any] = {}
    told["add"] = shape(memory.add(MESSAGES, user_id="alex"))
    added = memory.add(MESSAGES[:1], user_id="alex", infer=False, metadata={"category": "hobbies"})
    told["add, infer=False"] = shape(added)
    identity = added["results"][0]["id"]
    filters = {"user_id": "alex", "category": "hobbies"}
    told["search"] = shape(memory.search("What do you know about me?", filters=filters, top_k=3))
    told["search, AND"] = shape(memory.search("basketball", filters={"user_id": "alex", "AND": [{"category": "hobbies"}]}))
    told["get"] = shape(memory.get(identity))
    told["get_all"] = shape(memory.get_all(filters=filters))
    told["update"] = memory.update(memory_id=identity, data="Likes to play tennis on weekends")
    told["get after update"] = shape(memory.get(identity))
    told["history"] = shape(memory.history(identity))
    told["events"] = [each["event"] for each in memory.history(identity)]
    told["delete"] = memory.delete(memory_id=identity)
    told["get after delete"] = memory.get(identity)
    told["delete_all"] = memory.delete_all(user_id="alex")
    told["get_all after delete_all"] = memory.get_all(filters={"user_id": "alex"})
    return told


class _Embedder:
    """One vector for every text."""

    config = None

    def embed(self, text: str, action: str | None = None) -> list[float]:
        return [1.0, *[0.0] * 7]

    def embed_batch(self, texts: list[str], action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class _Chat:
    """Finds one memory in whatever it is given."""

    config = None

    def generate_response(self, messages: Any = None, **options: Any) -> str:
        return json.dumps({"memory": [{"id": "0", "text": "Loves basketball and gaming", "attributed_to": "user"}]})


def _theirs(folder: str) -> Any:
    from mem0 import Memory
    from mem0.memory import main

    main.EmbedderFactory.create = lambda *given, **named: _Embedder()
    main.LlmFactory.create = lambda *given, **named: _Chat()
    qdrant = {"path": f"{folder}/qdrant", "on_disk": True, "embedding_model_dims": 8}
    return Memory.from_config(
        {"vector_store": {"provider": "qdrant", "config": qdrant}, "history_db_path": f"{folder}/history.db"}
    )


if __name__ == "__main__":
    print(json.dumps(documented_calls(_theirs(sys.argv[1]))))
