"""Documents: where they are fetched from, what they are, and their text by sections."""
