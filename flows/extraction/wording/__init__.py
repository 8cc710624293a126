"""How messages are worded, and how they are retold in the third person: sentences, names, pronouns, verbs."""
