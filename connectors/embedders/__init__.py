"""Texts to vectors: on this machine, or by an endpoint; and the queue that batches over all who ask."""
