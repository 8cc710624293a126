"""entities: the graph of people and things: by which names they go, and where relationships lead."""
