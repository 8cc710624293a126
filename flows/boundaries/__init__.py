"""Where a conversation is cut into episodes."""
