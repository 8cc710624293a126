"""The model server itself: what other tests rely on."""

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

import httpx
import pytest

from connectors.endpoints.answer_forms import schema_of
from flows.boundaries.llm import Judgement
from flows.extraction.model import EpisodeForm
from tests.servers.model_answers import fill
from tests.servers.models import Fault, Heard, ModelServer, Viewed

EPISODE = """\
[0] 2026-03-02T09:00+00:00 Anna: I moved to Lisbon. I love the balcony!
[1] 2026-03-02T11:30+00:00 Helper (assistant): Nice: we will meet tomorrow at 10:30.
    called book(room=3)"""
WINDOW = """\
open [2026-03-02 08:00] "Anna": "Hi"
1 [2026-03-02 09:30] "Anna": "I said \\"no\\": really."
2 [2026-03-02 09:31] "Ben": "ok"
3 [2026-03-02 14:31] "Ben": "good night"
ahead [2026-03-03 14:31] "Ben": "good morning\""""


def test_an_episode_becomes_its_sentences_with_their_speakers() -> None:
    form = EpisodeForm.model_validate(fill(schema_of(EpisodeForm)[0], EPISODE))
    assert [(fact.statement, fact.sources) for fact in form.facts] == [
        ("Anna: I moved to Lisbon.", [0]),
        ("Anna: I love the balcony!", [0]),
        ("Helper: Nice: we will meet tomorrow at 10:30.", [1]),
    ]
    assert [entity.name for entity in form.entities] == ["Anna", "Helper"]
    assert [(edge.source, edge.relation, edge.target) for edge in form.relationships] == [("Anna", "moved_to", "Lisbon")]
    assert [foresight.sources for foresight in form.foresights] == [[1]]
    assert [item.about for item in form.profile] == ["Anna"]
    assert form.case is None


def test_boundaries_are_where_more_than_an_hour_passes() -> None:
    judgement = Judgement.model_validate(fill(schema_of(Judgement)[0], WINDOW))
    assert [turn.line for turn in judgement.boundaries] == [1, 3]
    assert judgement.tail_complete


def test_documents_are_ranked_by_the_words_they_share_with_the_query(model_server: ModelServer) -> None:
    body = {"query": "red apples", "documents": ["green pears", "red apples", {"text": "a red car"}], "top_n": 2}
    results = httpx.post(f"{model_server.url}/rerank", json=body).json()["results"]
    assert [result["index"] for result in results] == [1, 2]
    assert results[0]["relevance_score"] > results[1]["relevance_score"]


def test_a_transcription_is_the_text_that_was_sent_as_audio(model_server: ModelServer) -> None:
    sent = {"file": ("note.wav", b"Remember the milk.")}
    answer = httpx.post(f"{model_server.url}/audio/transcriptions", files=sent, data={"model": "ears"}).json()
    assert answer == {"text": "Remember the milk."}
    assert model_server.requests[0].body["model"] == "ears"


def test_faults_by_rate_are_the_same_for_a_seed() -> None:
    def outcomes(seed: int) -> list[int]:
        with ModelServer(fault_rate=0.5, fault_kinds=[Fault("error")], seed=seed) as server, httpx.Client() as client:
            body = {"model": "m", "input": ["a text"]}
            return [client.post(f"{server.url}/embeddings", json=body).status_code for _ in range(20)]

    assert outcomes(1) == outcomes(1) != outcomes(2)
    assert set(outcomes(1)) == {200, 500}


def test_a_script_comes_before_the_rate_and_is_recorded(model_server: ModelServer) -> None:
    model_server.script(Fault("rate_limited", retry_after="9"), None)
    body = {"model": "m", "input": "a text"}
    limited, good = (httpx.post(f"{model_server.url}/embeddings", json=body) for _ in range(2))
    assert (limited.status_code, limited.headers["Retry-After"], good.status_code) == (429, "9", 200)
    assert [request.fault is None for request in model_server.requests] == [False, True]
    assert model_server.calls("/v1/embeddings") == 2
    assert model_server.prompt_tokens["m"] == 2


def test_a_reset_forgets_what_was_and_what_was_to_come(model_server: ModelServer) -> None:
    model_server.script(None, Fault("error"))
    httpx.post(f"{model_server.url}/embeddings", json={"model": "m", "input": "a text"})
    model_server.reset()
    assert httpx.post(f"{model_server.url}/embeddings", json={"model": "m", "input": "a text"}).status_code == 200
    assert model_server.calls("/v1/embeddings") == 1


def test_faults_by_shares_are_the_same_for_a_question_in_whatever_order() -> None:
    def outcomes(questions: list[str], seed: int) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {question: [] for question in questions}
        with ModelServer(seed=seed) as server, httpx.Client() as client:
            server.shares = {Fault("error"): 0.3, Fault("rate_limited"): 0.3}
            for question in questions * 8:
                chat = [{"role": "system", "content": "Answer."}, {"role": "user", "content": question}]
                answer = client.post(f"{server.url}/chat/completions", json={"model": "m", "messages": chat})
                found[question].append(answer.status_code)
        return found

    assert outcomes(["a", "b", "c"], 1) == outcomes(["c", "a", "b"], 1) != outcomes(["a", "b", "c"], 2)
    assert {status for answers in outcomes(["a", "b", "c"], 1).values() for status in answers} == {200, 429, 500}


def test_what_a_request_meets_can_depend_on_what_it_asks(model_server: ModelServer) -> None:
    model_server.meets = lambda path, body: Fault("status", status=503) if "bad" in body["input"] else None
    texts = ("good", "bad", "good", "bad")
    statuses = [httpx.post(f"{model_server.url}/embeddings", json={"model": "m", "input": text}).status_code for text in texts]
    assert statuses == [200, 503, 200, 503]


ASKED = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Grüße from the Aegean!\n"}]}


def streamed(server: ModelServer, body: dict[str, Any]) -> list[str]:
    """The data of each event, as far as the stream goes."""
    lines: list[str] = []
    with httpx.stream("POST", f"{server.url}/chat/completions", json=body) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        try:
            for line in filter(None, response.iter_lines()):
                lines.append(line.removeprefix("data: "))
        except httpx.RemoteProtocolError:
            lines.append("broken")
    return lines


def text_of(chunks: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


def test_a_stream_has_the_text_in_pieces_and_ends_with_done(model_server: ModelServer) -> None:
    *events, last = streamed(model_server, ASKED)
    chunks = [json.loads(event) for event in events]
    assert last == "[DONE]"
    assert text_of(chunks) == "You said: Grüße from the Aegean!\n"
    assert len(chunks) > 5
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert not any("usage" in chunk for chunk in chunks)


def test_a_stream_tells_its_usage_when_asked(model_server: ModelServer) -> None:
    *_, usage, _ = streamed(model_server, {**ASKED, "stream_options": {"include_usage": True}})
    whole = httpx.post(f"{model_server.url}/chat/completions", json={**ASKED, "stream": False}).json()
    assert json.loads(usage)["choices"] == []
    assert json.loads(usage)["usage"] == whole["usage"]


@pytest.mark.parametrize(
    "fault", [Fault("drop"), Fault("truncated"), Fault("slow", seconds=0.2), Fault("refusal"), Fault("empty")]
)
def test_faults_happen_to_streams_too(model_server: ModelServer, fault: Fault) -> None:
    model_server.script(fault)
    *events, last = streamed(model_server, ASKED)
    chunks = [json.loads(event) for event in events]
    text = text_of(chunks)
    match fault.kind:
        case "drop":
            assert last == "broken"
            assert "You said" in text
            assert "Aegean!" not in text
        case "truncated":
            assert (last, text, chunks[-1]["choices"][0]["finish_reason"]) == ("[DONE]", "You said: Grüße ", "length")
        case "slow":
            assert (last, text) == ("[DONE]", "You said: Grüße from the Aegean!\n")
        case "refusal":
            assert any("refusal" in choice["delta"] for chunk in chunks for choice in chunk["choices"])
        case "empty":
            assert text == ""


def test_what_is_written_as_plain_text_may_be_set(model_server: ModelServer) -> None:
    model_server.write = str.upper
    answer = httpx.post(f"{model_server.url}/chat/completions", json={**ASKED, "stream": False}).json()
    assert answer["choices"][0]["message"]["content"] == "GRÜSSE FROM THE AEGEAN!\n"


def hear(server: ModelServer, audio: bytes, **fields: str) -> Any:
    return httpx.post(f"{server.url}/audio/transcriptions", files={"file": ("a.wav", audio)}, data={"model": "m", **fields})


def test_a_recording_is_heard_as_a_table_says_else_as_its_text_else_by_its_hash(model_server: ModelServer) -> None:
    known = b"\x00\xffwaves"
    model_server.sounds[sha256(known).hexdigest()] = [Heard(1.0, 2.5, "Hello.", "Anna")]
    answers = [hear(model_server, audio, response_format="verbose_json").json() for audio in (known, b"A: b\nc", b"\xff")]
    assert [[each["text"] for each in answer["segments"]] for answer in answers] == [
        [" Anna: Hello."],
        [" A: b", " c"],
        [f" This is the recording {sha256(bytes([255])).hexdigest()[:8]}."],
    ]
    assert [(each["start"], each["end"]) for answer in answers for each in answer["segments"]][:3] == [(1, 2.5), (0, 2), (2, 4)]
    assert all("speaker" not in each for answer in answers for each in answer["segments"])


def test_a_transcript_names_speakers_on_demand_and_in_formats_it_knows(model_server: ModelServer) -> None:
    assert hear(model_server, b"Anna: Hi.", response_format="diarized_json").status_code == 400
    model_server.names_speakers = True
    [segment] = hear(model_server, b"Anna: Hi.", response_format="verbose_json").json()["segments"]
    assert (segment["speaker"], segment["text"]) == ("Anna", " Hi.")
    assert hear(model_server, b" ", response_format="verbose_json").json()["segments"] == []


def test_a_picture_is_seen_as_a_table_says_else_by_its_hash(model_server: ModelServer) -> None:
    model_server.pictures[sha256(b"known").hexdigest()] = Viewed("A whiteboard.", "Budget")
    schema = {"type": "object", "properties": {"description": {"type": "string"}, "text": {"type": "string"}}}

    def see(uri: str) -> httpx.Response:
        content = [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": uri}}]
        form = {"type": "json_schema", "json_schema": {"name": "Seen", "schema": schema}}
        body = {"model": "m", "messages": [{"role": "user", "content": content}], "response_format": form}
        return httpx.post(f"{model_server.url}/chat/completions", json=body)

    shown = [see(f"data:image/png;base64,{b64encode(content).decode()}").json() for content in (b"known", b"other")]
    seen = [json.loads(answer["choices"][0]["message"]["content"]) for answer in shown]
    assert seen[0] == {"description": "A whiteboard.", "text": "Budget"}
    assert seen[1] == {"description": f"This is the picture {sha256(b'other').hexdigest()[:8]}.", "text": ""}
    assert shown[0]["usage"]["prompt_tokens"] > 765
    assert see("https://example.org/a.png").status_code == see("data:image/bmp;base64,AAAA").status_code == 400
