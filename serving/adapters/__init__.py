"""Mneme behind the interfaces of agent frameworks, each in one file that needs its framework and nothing else.

    flink_agents.py    a long-term memory
    langchain.py       a retriever, and a chat history
    langgraph.py       a store
    llama_index.py     a retriever, and a memory block
    mem0.py            its Memory, for programs that use mem0
    openai_agents.py   a session

All take ``memories`` and ``publisher``, in process or of a running service (``Memories.connect``, ``Publisher.connect``).
"""
