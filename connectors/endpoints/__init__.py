"""Chat models and rerankers behind HTTP: the way there, what it costs, and what was answered before."""
