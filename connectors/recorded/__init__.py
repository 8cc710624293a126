"""recorded: what models answered, by content, in a file: to be answered from again, without them."""
