"""browsing: what is read without a question: the history of a person or a thing, and a whole conversation."""
