"""The servers by hand."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from connectors.endpoints.openai_chat import OpenAiChat
from mneme.settings import load_settings
from tests.contracts.chat_model import Notes, ask

ROOT = Path(__file__).parents[2]


def test_servers_are_started_without_what_only_tests_need() -> None:
    needs = "import sys; sys.modules['pytest'] = None; from tests.servers.__main__ import main; sys.exit(main(['status']))"
    command = [sys.executable, "-c", needs]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert "# kafka: " in done.stdout, done.stderr


def test_a_model_endpoint_runs_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "tests.servers", "models", "--latency", "0.01"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        exports = [process.stdout.readline().removeprefix("export ").strip() for _ in range(2)]
        environment = dict(line.split("=", 1) for line in exports)
        os.environ.update(environment)
        try:
            chat = OpenAiChat(load_settings().models)
            assert chat.answer(ask(), Notes).facts
            chat.close()
        finally:
            for name in environment:
                del os.environ[name]
            process.send_signal(signal.SIGINT)
        assert "1 requests, 1 in flight at most" in process.stdout.read()
    assert process.returncode == 0
