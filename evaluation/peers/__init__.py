"""Mneme beside other memory systems: the same conversation, embedder, machine and chat endpoint (``mneme bench peers``)."""
