"""Speech to text over HTTP: the contract, what is asked, and endpoints that know less or answer strangely."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from connectors.endpoints.transcription import CachedTranscriber, TranscriptionEndpoint
from mneme.errors import ModelMalformed, ModelRefused, ModelTimeout, SettingsError
from mneme.ports import Spoken, Transcript
from mneme.settings import Models, Transcription
from tests.cases.groups import group_of
from tests.connectors.model_help import Clock
from tests.contracts.senses import KEY, SCOPE, TranscriberContract
from tests.servers.models import Fault, ModelServer

Open = Callable[..., TranscriptionEndpoint]
WAVE = b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00" + bytes(range(256))
TALK = b"Anna: Are you there?\nBen: I am."


@pytest.fixture
def open_endpoint(model_server: ModelServer) -> Iterator[Open]:
    opened: list[TranscriptionEndpoint] = []

    def open_with(clock: Clock | None = None, **settings: Any) -> TranscriptionEndpoint:
        chosen = group_of(Transcription, **({"provider": "openai", "base_url": model_server.url} | settings))
        retries = None if clock is None else clock.retries(2, 0.5, chosen.timeout_seconds)
        opened.append(TranscriptionEndpoint(chosen, Models(), retries))
        return opened[-1]

    yield open_with
    for endpoint in opened:
        endpoint.close()


class TestCachedTranscriber(TranscriberContract):
    @pytest.fixture
    def answers(self, tmp_path: Path) -> Path:
        return tmp_path / "data" / "answers.sqlite"

    @pytest.fixture
    def open_sense(self, model_server: ModelServer, answers: Path) -> Iterator[Callable[[], CachedTranscriber]]:
        opened: list[CachedTranscriber] = []

        def open_one() -> CachedTranscriber:
            settings = Transcription(provider="openai", base_url=model_server.url, api_key=SecretStr(KEY))
            endpoint = TranscriptionEndpoint(settings, Models(), Clock().retries(3))
            opened.append(CachedTranscriber(endpoint, answers))
            return opened[-1]

        yield open_one
        for transcriber in opened:
            transcriber.close()


def test_the_recording_goes_as_a_form_byte_for_byte_and_without_its_name(
    open_endpoint: Open, model_server: ModelServer
) -> None:
    open_endpoint(model="ears", api_key=SecretStr("a-key")).transcribe(WAVE, "divorce.dat", SCOPE)
    [request] = model_server.requests
    assert request.body == {"model": "ears", "response_format": "verbose_json", "file": WAVE}
    assert request.headers["authorization"] == "Bearer a-key"


@pytest.mark.parametrize(
    ("audio", "name", "told"),
    [
        (WAVE, "note.mp3", "recording.wav"),
        (b"ID3\x04sound", "note", "recording.mp3"),
        (b"OggS\x00\x02", "a.b/c.tar.gz", "recording.ogg"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x86webm", "call.weba", "recording.webm"),
        (TALK, "../Call.M4A", "recording.m4a"),
        (TALK, "note", "recording"),
    ],
)
def test_an_endpoint_is_told_what_the_recording_is(
    open_endpoint: Open, monkeypatch: pytest.MonkeyPatch, audio: bytes, name: str, told: str
) -> None:
    sent: list[str] = []
    endpoint = open_endpoint()
    monkeypatch.setattr(
        endpoint._endpoint, "transcribe", lambda model, file, fields, *_: sent.append(file.name) or {"text": "A word."}
    )
    endpoint.transcribe(audio, name, SCOPE)
    assert sent == [told]


def test_an_endpoint_without_times_is_asked_for_text_and_remembered(open_endpoint: Open, model_server: ModelServer) -> None:
    model_server.transcript_formats = ("json",)
    endpoint = open_endpoint()
    for _ in range(2):
        assert endpoint.transcribe(b"One.\nTwo.", "a.wav", SCOPE) == Transcript((Spoken("", 0.0, 0.0, "One. Two."),))
    assert [request.body["response_format"] for request in model_server.requests] == ["verbose_json", "json", "json"]


def test_a_model_that_tells_speakers_apart_is_asked_for_them(open_endpoint: Open, model_server: ModelServer) -> None:
    model_server.transcript_formats = ("diarized_json", "json")
    transcript = open_endpoint(model="gpt-4o-transcribe-diarize").transcribe(TALK, "a.wav", SCOPE)
    assert transcript.spoken == (Spoken("Anna", 0.0, 2.0, "Are you there?"), Spoken("Ben", 2.0, 4.0, "I am."))
    assert model_server.requests[0].body["chunking_strategy"] == "auto"
    assert model_server.calls("/v1/audio/transcriptions") == 1


def test_a_refusal_for_another_reason_is_told_as_it_was(open_endpoint: Open, model_server: ModelServer) -> None:
    endpoint = open_endpoint()
    model_server.script(*[Fault("status", status=400, message=f"no sound in it {n}") for n in range(2)])
    with pytest.raises(ModelRefused, match="no sound in it 0"):
        endpoint.transcribe(WAVE, "a.wav", SCOPE)
    endpoint.transcribe(WAVE, "a.wav", SCOPE)
    assert model_server.requests[-1].body["response_format"] == "verbose_json"


def test_a_recording_that_is_too_large_is_refused_at_once(open_endpoint: Open, model_server: ModelServer) -> None:
    model_server.script(Fault("status", status=413, message="Maximum content size limit exceeded"))
    with pytest.raises(ModelRefused, match="HTTP 413 Maximum content size limit exceeded"):
        open_endpoint().transcribe(WAVE, "a.wav", SCOPE)
    assert model_server.received == 1


@pytest.mark.parametrize("kind", ["hang", "slow"])
def test_a_slow_endpoint_is_given_up_in_time(open_endpoint: Open, model_server: ModelServer, kind: Any) -> None:
    model_server.script(*[Fault(kind, seconds=30)] * 4)
    with pytest.raises(ModelTimeout, match=r"within 0\.2 s"):
        open_endpoint(timeout_seconds=0.2).transcribe(WAVE, "a.wav", SCOPE)


def test_what_the_endpoint_asks_to_wait_is_waited(open_endpoint: Open, model_server: ModelServer) -> None:
    clock = Clock()
    model_server.script(Fault("rate_limited", retry_after="3"), Fault("drop"))
    assert open_endpoint(clock).transcribe(b"Hello.", "a.wav", SCOPE).spoken[0].text == "Hello."
    assert clock.slept[0] == 3.0


def test_calls_wait_for_a_place_among_those_of_ingestion(model_server: ModelServer) -> None:
    model_server.latency = 0.05
    settings = Transcription(provider="openai", base_url=model_server.url)
    endpoint = TranscriptionEndpoint(settings, Models(calls_in_flight=2))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: endpoint.transcribe(f"Number {number}.".encode(), "a.wav", SCOPE), range(8)))
    endpoint.close()
    assert model_server.most_in_flight == 2


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        "text",
        None,
        {"text": None},
        {"text": 7},
        {"segments": "weather"},
        {"segments": ["weather"]},
        {"segments": [{"start": 0}]},
        {"segments": [{"text": "a", "start": "soon"}]},
        {"segments": [{"text": "a", "start": float("nan")}]},
        {"segments": [{"text": "a", "end": float("inf")}]},
        {"segments": [{"text": "a", "speaker": {"name": "Anna"}}]},
    ],
    ids=lambda answer: json.dumps(answer)[:40],
)
def test_what_is_no_transcript_is_malformed_and_not_quoted(
    open_endpoint: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, answer))
    with pytest.raises(ModelMalformed) as caught:
        open_endpoint().transcribe(WAVE, "a.wav", SCOPE)
    assert "weather" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "spoken"),
    [
        ({"text": ""}, ()),
        ({"text": "  \n"}, ()),
        ({"segments": []}, ()),
        ({"text": "half a pair \ud800"}, (Spoken("", 0.0, 0.0, "half a pair ?"),)),
        ({"text": " All of it. ", "segments": []}, (Spoken("", 0.0, 0.0, "All of it."),)),
        ({"segments": [{"text": " "}, {"text": "A", "start": 1, "end": 2.5}]}, (Spoken("", 1.0, 2.5, "A"),)),
        ({"segments": [{"text": "A", "start": "1.5", "end": 1}]}, (Spoken("", 1.5, 1.5, "A"),)),
        ({"segments": [{"text": "A", "start": -0.1, "end": 1, "speaker": 2}]}, (Spoken("2", 0.0, 1.0, "A"),)),
        ({"segments": [{"text": "A", "speaker": " SPEAKER_01 "}]}, (Spoken("SPEAKER_01", 0.0, 0.0, "A"),)),
    ],
)
def test_answers_are_read_as_servers_write_them(
    open_endpoint: Open, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: Any, spoken: Any
) -> None:
    monkeypatch.setattr(model_server, "respond", lambda *_: (200, answer))
    assert open_endpoint().transcribe(WAVE, "a.wav", SCOPE).spoken == spoken


def test_another_model_hears_anew(model_server: ModelServer, tmp_path: Path) -> None:
    for more in ({}, {"model": "large"}, {}):
        settings = group_of(Transcription, provider="openai", base_url=model_server.url, **more)
        transcriber = CachedTranscriber(TranscriptionEndpoint(settings, Models()), tmp_path / "answers.sqlite")
        transcriber.transcribe(WAVE, "a.wav", SCOPE)
        transcriber.close()
    assert model_server.calls("/v1/audio/transcriptions") == 2


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="MNEME_TRANSCRIPTION__BASE_URL"):
        TranscriptionEndpoint(Transcription(provider="openai", base_url="speech.example"), Models())
