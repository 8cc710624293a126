import asyncio

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from mneme import Message
from mneme.errors import InputError
from serving.adapters.langchain import MnemeChatMessageHistory, MnemeRetriever
from tests.serving.adapters.conftest import Connection

MESSAGES = [
    SystemMessage("Be brief."),
    HumanMessage("I moved to Lyon.", id="h1", name="Mira", additional_kwargs={"mood": "good"}),
    AIMessage(
        "",
        tool_calls=[{"name": "weather", "args": {"city": "Lyon"}, "id": "c1", "type": "tool_call"}],
        usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
    ),
    ToolMessage("sunny", tool_call_id="c1", artifact={"degrees": 21}),
    AIMessage([{"type": "text", "text": "It is "}, {"type": "text", "text": "sunny."}]),
]


def history_of(connection: Connection, session: str = "monday") -> MnemeChatMessageHistory:
    return MnemeChatMessageHistory(connection.memories, connection.publisher, session, user_id=connection.user_id)


def tell(connection: Connection, *texts: str) -> None:
    conversation = f"told-{connection.user_id}"
    for text in texts:
        connection.publisher.send(
            Message(conversation_id=conversation, user_id=connection.user_id, sender_name="Mira", content=text)
        )
    connection.flush(conversation)


def test_documents_are_memories_with_their_sources(here: Connection):
    tell(here, "I am allergic to penicillin.", "My sister lives in Bremen.", "I keep three bees in the garden.")
    retriever = MnemeRetriever(memories=here.memories, filters={"user_id": here.user_id}, k=2)
    documents = retriever.invoke("What is Mira allergic to: penicillin?")
    assert len(documents) == 2
    assert all(isinstance(each, Document) for each in documents)
    best = documents[0]
    assert "penicillin" in best.page_content
    assert {"kind", "rank", "score", "date", "message_ids"} <= best.metadata.keys()
    assert best.metadata["rank"] == 1
    assert best.metadata["conversation_id"] == f"told-{here.user_id}"
    assert len(retriever.invoke("penicillin", k=1)) == 1
    assert "allergic to penicillin" in retriever.context("What is Mira allergic to?", max_tokens=200)
    assert asyncio.run(retriever.ainvoke("penicillin")) == retriever.invoke("penicillin")
    assert [len(each) for each in retriever.batch(["penicillin", "sister"])] == [2, 2]
    chain = retriever | RunnableLambda(lambda documents: documents[0].page_content)
    assert "penicillin" in chain.invoke("penicillin")


def test_a_question_that_cannot_be_asked_raises(here: Connection):
    with pytest.raises(InputError, match="one of user_id, group_id or agent_id is needed"):
        MnemeRetriever(memories=here.memories, filters={}).invoke("penicillin")


def test_messages_come_back_as_they_were_given(connection: Connection):
    history = history_of(connection)
    assert history.messages == []
    history.add_messages(MESSAGES[:3])
    history.add_messages(MESSAGES[3:])
    assert history.messages == MESSAGES
    history._store.wait_until_stored()
    assert history_of(connection).messages == MESSAGES, "another object reads the same"
    assert history_of(connection, "tuesday").messages == []
    history.clear()
    assert history.messages == history_of(connection).messages == []


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")  # since 1.6.4; it goes with langchain-core 2
def test_a_chain_with_a_history_goes_on_where_it_stands(here: Connection):
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
    seen: list[int] = []

    def counted(value: object) -> object:
        seen.append(len(value.to_messages()))  # type: ignore[attr-defined]
        return value

    chain = RunnableWithMessageHistory(
        prompt | RunnableLambda(counted) | FakeListChatModel(responses=["Noted.", "In Lyon.", "Since May.", "Yes."]),
        lambda session: history_of(here, session),  # anew for each turn
        input_messages_key="input",
        history_messages_key="history",
    )
    asked = {"configurable": {"session_id": "trip"}}
    chain.invoke({"input": "I moved to Lyon."}, asked)
    assert chain.invoke({"input": "Where do I live?"}, asked).content == "In Lyon."
    for question in ("Since when?", "Do I like it?"):
        chain.invoke({"input": question}, asked)
    assert seen == [1, 3, 5, 7]
    assert history_of(here, "trip").messages[0].text == "I moved to Lyon."
