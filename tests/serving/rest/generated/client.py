"""Publish, search and ask by the client that openapi-python-client generated: ``python client.py URL``."""

import sys

from mneme_client import AuthenticatedClient
from mneme_client.api.memories import remember
from mneme_client.api.search import ask, search
from mneme_client.models import (
    AnswerResponse,
    AskRequest,
    Filters,
    FoundFact,
    Message,
    MessagesAccepted,
    MessagesRequest,
    ProblemDetails,
    SearchRequest,
    SearchResponse,
)


def main(url: str) -> None:
    mira = Filters(user_id="mira")
    with AuthenticatedClient(base_url=url, token="none", timeout=None) as client:
        message = Message(conversation_id="standup", user_id="mira", content="The release moves to Friday.")
        kept = remember.sync(client=client, body=MessagesRequest(messages=[message], flush=True, wait=60))
        assert isinstance(kept, MessagesAccepted), kept
        assert kept.flush, kept
        assert kept.flush.searchable, kept
        found = search.sync(client=client, body=SearchRequest(query="when is the release?", filters=mira, top_k=3))
        assert isinstance(found, SearchResponse), found
        facts: list[FoundFact] = found.facts or []
        answer = ask.sync(client=client, body=AskRequest(question="when is the release?", filters=mira))
        assert isinstance(answer, AnswerResponse), answer
        refused = search.sync(client=client, body=SearchRequest(query="", filters=mira))
        assert isinstance(refused, ProblemDetails), refused
    print(facts[0].atomic_fact)
    print(answer.answer)


if __name__ == "__main__":
    main(sys.argv[1])
