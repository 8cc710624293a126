"""The embedded way in: an append-only log of events on disk, which many may write and one flow reads."""
