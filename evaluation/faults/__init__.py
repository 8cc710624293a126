"""What the stream survives: real texts, a flow of real processes, faults, and a verifier that knows nothing of the flow."""
