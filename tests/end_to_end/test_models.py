"""The flow with models: an OpenAI-protocol server for boundaries, extraction and vectors, with faults."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from connectors.dead_letters import FileDeadLetters
from connectors.indices import open_index
from flows import IngestReport, ingest
from mneme.rows import Collection
from mneme.settings import Boundaries, EmbedderSettings, Extraction, Models, Settings
from tests.servers.models import RATE_LIMITED, SERVER_ERROR, Fault, ModelServer

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [EXAMPLES / "team.jsonl", EXAMPLES / "friends.jsonl"]


def settings_for(data: Path, server: ModelServer) -> Settings:
    return Settings(_env_file=None).model_copy(
        update={
            "data": data,
            "models": Models(provider="openai", base_url=server.url, deadline_seconds=20).model_copy(
                update={"retries": 5, "retry_base_seconds": 0.01}
            ),
            "embedder": EmbedderSettings(provider="openai", base_url=server.url, model="bag-of-words", dimension=64),
            "boundaries": Boundaries(detector="llm"),
            "extraction": Extraction(extractor="model"),
        }
    )


def calls(server: ModelServer) -> Counter[str]:
    """Chat calls by what they ask for."""
    return Counter(
        request.body["response_format"]["json_schema"]["name"]
        for request in server.requests
        if "response_format" in request.body
    )


def kept(settings: Settings, report: IngestReport) -> Counter[str]:
    """How often each message lies in an episode."""
    with closing(open_index(settings)) as index:
        rows = list(index.scan(Collection.EPISODES))
    assert len(rows) == report.episodes
    return Counter(f"{row.conversation_id}/{identity}" for row in rows for identity in row.message_ids)


def test_one_call_for_an_episode_and_few_for_boundaries(tmp_path: Path) -> None:
    with ModelServer(latency=0.02) as server:
        settings = settings_for(tmp_path, server)
        report = ingest(FILES, settings)
        made = calls(server)
        messages = kept(settings, report)
        assert report.dead_letters == 0
        assert set(messages.values()) == {1}
        assert len(messages) == report.messages
        extraction = [name for name in made if "episode" in name.lower()]
        boundaries = [name for name in made if "judgement" in name.lower()]
        assert sum(made[name] for name in extraction) == report.episodes
        assert sum(made[name] for name in boundaries) <= 0.1 * report.messages
        assert sum(made.values()) == sum(made[name] for name in (*extraction, *boundaries))

        ingest([*FILES, EXAMPLES / "agent.jsonl"], settings)
        again = calls(server)
        assert sum(again.values()) > sum(made.values()), "the new file was read"
        assert len(kept_facts(settings)) == len(set(kept_facts(settings)))


def kept_facts(settings: Settings) -> list[str]:
    """The ids of all facts."""
    with closing(open_index(settings)) as index:
        return [row.id for row in index.scan(Collection.FACTS)]


def test_every_episode_survives_a_model_that_misbehaves(tmp_path: Path) -> None:
    faults = (RATE_LIMITED, SERVER_ERROR, Fault("malformed"), Fault("refusal"), Fault("empty"), Fault("wrong_schema"))
    with ModelServer(fault_rate=0.35, fault_kinds=faults, seed=7) as server:
        settings = settings_for(tmp_path, server)
        report = ingest(FILES, settings)
        messages = kept(settings, report)
    assert set(messages.values()) == {1}
    assert len(messages) == report.messages
    letters = list(FileDeadLetters(tmp_path / "dead-letters.sqlite").read())
    assert len(letters) == report.dead_letters
    assert all(letter.reason for letter in letters)


def only_extraction(data: Path, server: ModelServer) -> Settings:
    """The model extracts and does nothing else."""
    local = {"embedder": EmbedderSettings(), "boundaries": Boundaries()}
    return settings_for(data, server).model_copy(update=local)


def one_episode(folder: Path) -> Path:
    """The first morning of the team."""
    file = folder / "morning.jsonl"
    file.write_text("\n".join(FILES[0].read_text(encoding="utf-8").splitlines()[:10]), encoding="utf-8")
    return file


def extractors(settings: Settings) -> Counter[str]:
    """Who extracted the episodes."""
    with closing(open_index(settings)) as index:
        return Counter(row.body["extractor"] for row in index.scan(Collection.EPISODES))


@pytest.mark.parametrize(
    ("malformed", "corrections"),
    [(1, [False, True]), (2, [False, True, False]), (3, [False, True, False, True])],
)
def test_malformed_output_is_repaired_once_then_tried_again(tmp_path: Path, malformed: int, corrections: list[bool]) -> None:
    with ModelServer(script=[Fault("malformed")] * malformed) as server:
        settings = only_extraction(tmp_path, server)
        report = ingest([one_episode(tmp_path)], settings)
        asked = [len(request.body["messages"]) == 4 for request in server.requests if "messages" in request.body]
    assert asked == corrections, "what does not fit is shown its error once"
    assert report.dead_letters == 0
    assert extractors(settings) == {settings.models.default: 1}


def test_an_episode_whose_output_stays_malformed_is_kept_and_has_a_dead_letter(tmp_path: Path) -> None:
    with ModelServer(script=[Fault("malformed")] * 6) as server:  # three tries, each with its repair
        settings = only_extraction(tmp_path, server)
        report = ingest([one_episode(tmp_path)], settings)
        messages = kept(settings, report)
    assert set(messages.values()) == {1}
    assert len(messages) == report.messages
    assert extractors(settings) == {"local": 1}
    [letter] = FileDeadLetters(tmp_path / "dead-letters.sqlite").read()
    assert letter.stage == "extract"
    assert "ModelMalformed" in letter.reason
    assert "talk about the weather" not in letter.reason


def test_a_replay_of_a_lost_run_pays_for_no_answer_twice(tmp_path: Path) -> None:
    with ModelServer() as server:
        settings = settings_for(tmp_path / "first", server)
        ingest(FILES[:1], settings)
        paid = server.calls()
        # the index and the recovery store are lost, the answers are not
        few = settings.flow.model_copy(update={"source_batch": 7})  # messages come together otherwise than before
        again = settings_for(tmp_path / "second", server).model_copy(update={"flow": few})
        again.data.mkdir()
        for answers in settings.data.glob("answers.sqlite*"):
            answers.rename(again.data / answers.name)
        ingest(FILES[:1], again)
        assert server.calls() == paid
