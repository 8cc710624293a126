"""mem0, open source, with its default store (Qdrant, in a folder): messages go in two at a time, an exchange each."""

from typing import Any

from mem0 import Memory
from pipe import Request, serve

OWNER = "conversation"
memory: Any = None


def open_(request: Request) -> None:
    """Connect."""
    global memory
    endpoint = {"model": request["model"], "openai_base_url": request["base_url"], "api_key": "stub"}
    memory = Memory.from_config(
        {
            "llm": {"provider": "openai", "config": endpoint},
            "embedder": {"provider": "openai", "config": {**endpoint, "embedding_dims": request["dimension"]}},
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": "qdrant", "on_disk": True, "embedding_model_dims": request["dimension"]},
            },
            "history_db_path": "history.db",
        }
    )


def ingest(request: Request) -> None:
    """Add every exchange."""
    messages = request["messages"]
    first = messages[0]["speaker"]
    for at in range(0, len(messages), 2):
        said = [
            {"role": "user" if each["speaker"] == first else "assistant", "content": f"{each['speaker']}: {each['text']}"}
            for each in messages[at : at + 2]
        ]
        memory.add(said, user_id=OWNER, metadata={"sent_at": messages[at]["sent_at"]})


def search(request: Request) -> dict[str, object]:
    """Memories."""
    found = memory.search(request["query"], top_k=request["limit"], filters={"user_id": OWNER})
    return {"found": [{"text": each["memory"]} for each in found["results"]]}


serve(open=open_, ingest=ingest, search=search)
