"""browsing: what is read without a question: lists of conversations and memories, one of them whole, the graph, a portrait."""
