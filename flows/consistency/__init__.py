"""What is known of an owner, kept true: statements that are compared, what became of each, and what follows."""
