"""reranking: the last phase of a search, off by default: places judged once more by a cross-encoder or a chat model."""
