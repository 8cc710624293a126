"""EverOS, its server on this machine: messages go in two at a time, an exchange each, and each session ends with a flush.

A memory belongs to one speaker: each is asked, and what they remember is merged by score. Its tokenizer wants a download; the
ranks are those that the package litellm brings along.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from datetime import datetime
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
from pipe import Request, serve

RANKS = "fb374d419588a4632f3f557e76b4b70aebbca790"  # tiktoken's name for o200k_base
HERE = {"app_id": "default", "project_id": "default"}
speakers: dict[str, str] = {}  # their ids by name
address = ""


def call(path: str, body: object) -> Any:
    """The answer of the server."""
    answer = httpx.post(address + path, json=body, timeout=600)
    if answer.is_error:
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text[:300]}")
    return answer.json()


def open_(request: Request) -> None:
    """Start the server."""
    global address
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    ranks = Path("tiktoken")
    ranks.mkdir()
    shutil.copy(str(files("litellm") / "litellm_core_utils" / "tokenizers" / RANKS), ranks)
    chat = {"MODEL": request["model"], "API_KEY": "stub", "BASE_URL": request["base_url"]}
    environment = {
        **os.environ,
        **{f"EVEROS_{section}__{name}": value for section in ("LLM", "EMBEDDING") for name, value in chat.items()},
        "EVEROS_EMBEDDING__DIM": str(request["dimension"]),
        "EVEROS_ROOT": str(Path("everos").absolute()),
        "TIKTOKEN_CACHE_DIR": str(ranks.absolute()),
    }
    program = Path(sys.executable).with_name("everos")
    subprocess.run([program, "init"], env=environment, stdout=sys.stderr, check=True)
    subprocess.Popen([program, "server", "start", "--port", str(port)], env=environment, stdout=sys.stderr)
    while True:
        try:
            httpx.get(f"{address}/health")
            return
        except httpx.ConnectError:
            time.sleep(0.2)


def ingest(request: Request) -> None:
    """Add every exchange."""
    for day, group in groupby(request["messages"], lambda message: message["sent_at"][:10]):
        said = []
        for message in group:
            name, at = message["speaker"], int(datetime.fromisoformat(message["sent_at"]).timestamp() * 1000)
            speakers[name] = name.lower()
            by = {"sender_id": speakers[name], "sender_name": name, "role": "user"}
            said.append({**by, "timestamp": at, "content": message["text"]})
        for at in range(0, len(said), 2):
            call("/api/v2/memory/add", {"session_id": day, **HERE, "messages": said[at : at + 2]})
        call("/api/v2/memory/flush", {"session_id": day, **HERE})


def search(request: Request) -> dict[str, object]:
    """Facts where an episode has some that fit, else the episode."""
    found = []
    for sender in speakers.values():
        asked = {"user_id": sender, **HERE, "query": request["query"], "top_k": request["limit"]}
        for episode in call("/api/v2/memory/search", asked)["data"]["episodes"]:
            facts = [(fact["score"], fact["content"]) for fact in episode["atomic_facts"]]
            found += facts or [(episode["score"], episode["episode"])]
    best = sorted(dict.fromkeys(found), reverse=True)[: request["limit"]]
    return {"found": [{"text": text} for _, text in best]}


serve(open=open_, ingest=ingest, search=search)
