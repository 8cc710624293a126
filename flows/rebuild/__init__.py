"""Making the memory anew: from the messages that the index holds, or from the topics that they came from."""
