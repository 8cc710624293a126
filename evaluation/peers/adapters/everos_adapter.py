"""EverOS, its server on this machine: messages go in two at a time, an exchange each, and each session ends with a flush.

A memory belongs to one speaker: each is asked, and what they remember is merged by score. Its tokenizer wants a download; the
ranks are those that the package litellm brings along.
"""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from lines import Request, serve

RANKS = "fb374d419588a4632f3f557e76b4b70aebbca790"  # tiktoken's name for o200k_base
HERE = {"app_id": "default", "project_id": "default"}
speakers: dict[str, str] = {}  # their ids by name
address = ""


def call(path: str, body: object = None) -> dict[str, Any]:
    """The answer of the server."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=600) as response:
            answer: dict[str, Any] = json.load(response)
            return answer
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{path}: {error.code} {error.read()[:300]!r}") from error


def open_(request: Request) -> dict[str, object]:
    """Start the server."""
    global address
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    ranks = Path("tiktoken")
    ranks.mkdir()
    package = importlib.util.find_spec("litellm")
    assert package is not None
    assert package.origin is not None
    shutil.copy(Path(package.origin).parent / "litellm_core_utils" / "tokenizers" / RANKS, ranks)
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
            return {"health": call("/health")}
        except urllib.error.URLError:
            time.sleep(0.2)


def ingest(request: Request) -> dict[str, object]:
    """Add every exchange."""
    for day, group in groupby(request["messages"], lambda message: message["sent_at"][:10]):
        said = [message_of(message) for message in group]
        for at in range(0, len(said), 2):
            call("/api/v2/memory/add", {"session_id": day, **HERE, "messages": said[at : at + 2]})
        call("/api/v2/memory/flush", {"session_id": day, **HERE})
    return {}


def message_of(message: dict[str, str]) -> dict[str, object]:
    """A message in the form of the server."""
    sender = speakers.setdefault(message["speaker"], message["speaker"].lower())
    at = int(datetime.fromisoformat(message["sent_at"]).timestamp() * 1000)
    name = message["speaker"]
    return {"sender_id": sender, "sender_name": name, "role": "user", "timestamp": at, "content": message["text"]}


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


serve({"open": open_, "ingest": ingest, "search": search})
