"""Moving an index to another embedder or tokeniser: the same rows, with new vectors and tokens, in a next generation."""
