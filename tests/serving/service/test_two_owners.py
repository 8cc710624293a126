"""Two owners send messages under one conversation id: no memory holds what the other said, and the second is told."""

from pathlib import Path
from typing import Any

import httpx

from tests.serving.embedded_service import embedded_settings, opened, over_http

SECRETS = {"anna": "I am pregnant, do not tell anybody.", "bob": "My bank PIN is 9911."}


def said(user: str) -> dict[str, Any]:
    message = {"conversation_id": "chat", "user_id": user, "content": SECRETS[user]}
    return {"flush": True, "wait": 30, "messages": [message]}


def test_a_conversation_is_not_shared_by_two_users(tmp_path: Path) -> None:
    with (
        opened(embedded_settings(tmp_path)) as service,
        over_http(service) as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=60, trust_env=False) as client,
    ):

        def found(user: str) -> str:
            return client.post("/memories/search", json={"query": "secret PIN pregnant", "filters": {"user_id": user}}).text

        first, second = (client.post("/memories", json=said(user)) for user in ("anna", "bob"))
        assert (first.status_code, second.status_code) == (200, 422)
        told = second.json()["detail"]
        assert told.startswith("messages.0.user_id: conversation chat belongs to another owner")
        assert "anna" not in told
        assert SECRETS["anna"] in found("anna")
        for user in ("anna", "bob"):
            assert "9911" not in found(user)
        [letter] = client.get("/dead-letters").json()["items"]
        assert letter["reason"] == "user_id: conversation chat belongs to user anna; use a conversation_id of its own"
