"""The other systems as candidates: a process in an environment of its own, and turns for the texts that it returns."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from connectors.files.chat_events import text_of
from connectors.tokens import token_counter
from evaluation.metrics import Result
from evaluation.peers.candidate import DEPTH, Ask, Candidate, Ingest
from evaluation.peers.environments import environment_of
from evaluation.peers.matching import TurnFinder
from evaluation.peers.peer_process import PeerProcess
from evaluation.peers.stub import MODEL
from evaluation.peers.systems import Peer
from evaluation.retrieval.question_set import Question, QuestionSet

_START_SECONDS, _SEARCH_SECONDS = 600.0, 120.0


def other(
    peer: Peer,
    questions: QuestionSet,
    base_url: str,
    dimension: int,
    environments: Path,
    folder: Path,
    python: str | None,
    patience: float,
) -> Candidate:
    """A system that is measured through its adapter.

    Args:
        peer: the system.
        questions: of one conversation.
        base_url: of the endpoint that it is given.
        dimension: of the endpoint's vectors.
        environments: where packages are installed.
        folder: its home.
        python: see ``environment_of``.
        patience: seconds for which it may take the messages in.
    """
    messages = [_message(event) for event in questions.events]
    finder = TurnFinder({message["id"]: message["text"] for message in messages})
    count = token_counter().count

    def opened(stack: ExitStack) -> Ingest:
        interpreter = environment_of(peer, environments, python)
        process = stack.enter_context(PeerProcess(peer, interpreter, folder / peer.name, base_url))
        process.ask({"do": "open", "base_url": base_url, "model": MODEL, "dimension": dimension}, _START_SECONDS)

        def ask(question: Question) -> Sequence[Result]:
            answer = process.ask({"do": "search", "query": question.text, "limit": DEPTH}, _SEARCH_SECONDS)
            return [_result(found) for found in answer["found"]]

        def _result(found: Mapping[str, Any]) -> Result:
            turns = tuple(found.get("turns") or finder.turns_of(found["text"]))
            return Result(turns, frozenset(turns), count(found["text"]))

        def ingest() -> Ask:
            process.ask({"do": "ingest", "messages": messages}, patience)
            return ask

        return ingest

    return Candidate(peer.name, peer.handicaps, opened)


def _message(event: Mapping[str, Any]) -> dict[str, str]:
    return {
        "id": event["message_id"],
        "speaker": event["sender_name"],
        "text": text_of(event["content"]),
        "sent_at": event["sent_at"],
        "session": event["conversation_id"],
    }
