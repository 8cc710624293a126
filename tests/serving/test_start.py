"""What a start does not load: a library that is not needed costs whoever only asks one question."""

import subprocess
import sys
from pathlib import Path

import pytest

from flows import ingest
from mneme.settings import EmbedderSettings, Index, Settings

EXAMPLES = Path(__file__).parents[2] / "examples"
CLIENTS = {"bytewax", "kafka", "lancedb", "pyarrow", "opensearchpy", "onnxruntime", "tokenizers", "httpx", "opentelemetry"}
TOOLS = {"matplotlib", "pandas", "onnx", "safetensors", "bytewax", "kafka", "opensearchpy", "fastapi", "opentelemetry", "torch"}


def loaded_by(program: str, *arguments: str, **environment: str) -> set[str]:
    """The modules that are loaded when a program has ended well."""
    shown = f"{program}\nimport sys; print('\\nLOADED', *sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", shown, *arguments], env=environment or None, capture_output=True, text=True, check=True
    )
    return set(ran.stdout.split("LOADED")[-1].split())


COMMAND = """
from serving.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""


def test_importing_the_vocabulary_loads_nothing_but_itself() -> None:
    loaded = loaded_by("import mneme")
    assert {name for name in loaded if name.startswith("mneme")} == {"mneme"}
    assert not loaded & {"pydantic", "numpy", *CLIENTS}


def test_a_message_needs_no_settings_and_no_numbers() -> None:
    loaded = loaded_by("from mneme import Message")
    assert "mneme.events.messages" in loaded
    assert not loaded & {"pydantic_settings", "numpy", *CLIENTS}


@pytest.mark.parametrize("room", ["connectors", "queries", "flows"])
def test_importing_a_room_loads_no_client_and_no_validation(room: str) -> None:
    assert not loaded_by(f"import {room}") & {"pydantic", "numpy", *CLIENTS}


def test_help_loads_no_settings() -> None:
    loaded = loaded_by(COMMAND, "--help")
    assert "serving.commands.search" in loaded
    assert not loaded & {"pydantic", "numpy", "importlib.metadata", "matplotlib", *CLIENTS}


def test_a_search_loads_its_index_and_its_embedder_and_nothing_to_make_them_with(tmp_path: Path) -> None:
    index = Index(backend="embedded")
    settings = Settings(_env_file=None).model_copy(update={"data": tmp_path, "index": index, "embedder": EmbedderSettings()})
    ingest([EXAMPLES / "acme.jsonl"], settings)
    environment = {"MNEME_DATA": str(tmp_path), "MNEME_INDEX__BACKEND": "embedded"}
    loaded = loaded_by(COMMAND, "search", "who is the CEO of Acme?", "--user", "nadia", **environment)
    assert {"lancedb", "onnxruntime", "serving.terminal.search_view"} <= loaded, "it searched"
    assert not loaded & TOOLS
    answers = {name for name in loaded if name.startswith("queries.answers.")}
    assert answers == {"queries.answers.dates"}, "what agents read, and nothing that answers"
