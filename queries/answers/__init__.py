"""answers: from what a search found to an answer that cites it: context, prompt, writer, and quotes where there is no model."""
