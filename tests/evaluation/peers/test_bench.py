"""Side by side, from end to end, with tiny systems that stand for others: one that works, and those that do not."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.console import Console

from evaluation.peers import systems
from evaluation.peers.bench import run_peers
from evaluation.peers.systems import PEERS, Peer
from evaluation.report import Row
from mneme.errors import InputError
from mneme.settings import EmbedderSettings, Settings

TALK = [
    "I moved to Lisbon last week and the flat has a large balcony.",
    "How lovely, is it near the river or up on one of the hills?",
    "It is up on the hill, near the old tram stop and the market.",
    "The dentist has time for me on Friday at ten in the morning.",
    "Then you will need somebody to look after the dog on Friday.",
    "My sister could take the dog, she plays the cello only on Sundays.",
]

LINES = Path(systems.__file__).parent / "adapters"

WORKS = """
import json, os, sys, urllib.request
sys.path.insert(0, {lines!r})
from pipe import serve
kept, endpoint = [], {{}}
def ingest(request):
    for message in request["messages"]:
        said = {{"role": "user", "content": "## New Messages\\nuser: %(speaker)s: %(text)s\\n\\n## Date" % message}}
        form = {{"role": "system", "content": '"memory" "attributed_to"'}}
        body = json.dumps({{"model": "stub", "messages": [form, said]}}).encode()
        call = urllib.request.Request(endpoint["base_url"] + "/chat/completions", body, {{"Content-Type": "application/json"}})
        told = json.load(urllib.request.urlopen(call))["choices"][0]["message"]["content"]
        kept.extend(each["text"] for each in json.loads(told)["memory"])
    print("a library that prints")
def search(request):
    asked = set(request["query"].lower().split())
    best = sorted(kept, key=lambda text: -len(asked & set(text.lower().split())))
    return {{"found": [{{"text": text}} for text in best[: request["limit"]]]}}
serve(open=endpoint.update, ingest=ingest, search=search)
"""
GOES_ON = WORKS.replace("def ingest(", "def take_in(").replace(
    "def search(",
    """def ingest(request):
    import threading
    threading.Timer(0.3, take_in, [request]).start()
    take_in(request)
def search(""",
)
FAILS = """
import os, sys, time; sys.path.insert(0, {lines!r})
from pipe import serve
def ingest(request):
    print("MemoryError: too many nodes", file=sys.stderr, flush=True)
    os._exit(1)
"""
CRASHES = FAILS + "serve(open=print, ingest=ingest)"
SLOW = FAILS + "serve(open=print, ingest=lambda request: time.sleep(60))"
REFUSES = FAILS + "serve(open=lambda request: int('no such store'))"


def peer(folder: Path, name: str, script: str, requirements: tuple[str, ...] = ()) -> Peer:
    adapter = folder / f"{name}.py"
    adapter.write_text(script.format(lines=str(LINES)), encoding="utf-8")
    return Peer(name, adapter, f"{name} is a fake", requirements)


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    turns = [
        {"speaker": "Ann" if at % 2 == 0 else "Ben", "dia_id": f"D1:{at + 1}", "text": text} for at, text in enumerate(TALK)
    ]
    conversation = {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "10:00 am on 3 May, 2023",
        "session_1": turns,
    }
    asked = [
        {"question": "Where did Ann move to?", "answer": "Lisbon", "category": 4, "evidence": ["D1:1"]},
        {"question": "Who could take the dog?", "answer": "Ben's sister", "category": 4, "evidence": ["D1:6"]},
    ]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "one", "conversation": conversation, "qa": asked}]), encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(_env_file=None).model_copy(
        update={"data": tmp_path / "data", "embedder": EmbedderSettings(provider="hash")}
    )


@pytest.fixture(autouse=True)
def this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment is made: a system without requirements runs in this one, and any other cannot be installed."""

    def environment_of(peer: Peer, folder: Path) -> Path:
        if peer.requirements:
            raise systems.PeerUnavailable(f"not installed: no matching distribution for {peer.requirements[0]}")
        return Path(sys.executable)

    monkeypatch.setattr("evaluation.peers.systems.environment_of", environment_of)


def by_system(rows: list[Row]) -> Mapping[str, Row]:
    return {str(row["system"]): row for row in rows}


def test_every_system_is_a_row_with_figures_or_with_the_reason_why_there_are_none(
    tmp_path: Path, locomo_file: Path, settings: Settings
) -> None:
    out, console = tmp_path / "out.json", Console(record=True, width=200)
    peers = [
        peer(tmp_path, "works", WORKS),
        peer(tmp_path, "missing", "", ("no-such-package==1",)),
        peer(tmp_path, "crashes", CRASHES),
        peer(tmp_path, "slow", SLOW),
        peer(tmp_path, "refuses", REFUSES),
    ]
    report = run_peers(locomo_file, settings, console, latency=10, patience=2.0, quiet=0.2, peers=peers)
    report.finish(console, out)
    rows = by_system(list(report.rows))
    assert list(rows) == ["mneme", "mneme-endpoint", "floor", "works", "missing", "crashes", "slow", "refuses"]
    for name in ("mneme", "mneme-endpoint", "floor", "works"):
        assert rows[name]["recall@10"] == 1.0, "six turns are all among the first ten"
        assert float(rows[name]["search ms"]) > 0
    assert rows["works"]["calls/m"] == 1.0
    assert float(rows["works"]["ready s"]) >= 0.06
    assert float(rows["works"]["prompt/m"]) > 10
    assert rows["mneme"]["calls/m"] == rows["floor"]["calls/m"] == 0
    assert rows["missing"]["reason"] == "not installed: no matching distribution for no-such-package==1"
    assert rows["crashes"]["reason"] == "ingest ended it: MemoryError: too many nodes"
    assert rows["slow"]["reason"] == "ingest took longer than 2 s"
    assert rows["refuses"]["reason"] == "open failed: ValueError: invalid literal for int() with base 10: 'no such store'"
    assert json.loads(out.read_text())["bench"] == "peers"
    assert out.with_suffix(".png").exists()
    printed = console.export_text()
    assert "works: works is a fake" in printed, "what to know beside a row is said"
    assert "BENCH peers " in printed


def test_what_a_system_still_asks_in_the_background_counts(tmp_path: Path, locomo_file: Path, settings: Settings) -> None:
    goes_on = peer(tmp_path, "goes-on", GOES_ON)
    report = run_peers(locomo_file, settings, Console(quiet=True), None, ["goes-on"], 10, quiet=1.0, peers=[goes_on])
    [row] = report.rows
    assert row["calls/m"] == 2.0
    assert float(row["ready s"]) > 0.3, "until the last answer"
    assert row["calls/search"] == 0


def test_only_some_systems_and_one_conversation_may_be_wanted(locomo_file: Path, settings: Settings) -> None:
    console = Console(quiet=True)
    report = run_peers(locomo_file, settings, console, "one", ["floor"], quiet=0.0)
    assert [row["system"] for row in report.rows] == ["floor"]
    with pytest.raises(InputError, match="accepted are mneme"):
        run_peers(locomo_file, settings, console, only=["nobody"])
    with pytest.raises(InputError, match="there are one"):
        run_peers(locomo_file, settings, console, "two")


def test_every_system_has_a_script_pinned_packages_and_something_to_know_beside_it() -> None:
    for each in PEERS:
        assert each.adapter.exists()
        assert all("==" in requirement for requirement in each.requirements)
        assert each.note
