"""One conversation as the segment step sees it: open, at rest, amended, read again from the index."""
