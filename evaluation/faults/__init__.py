"""Faults that the stream survives: real texts, a flow of real processes, and a verifier that knows nothing of the flow."""
