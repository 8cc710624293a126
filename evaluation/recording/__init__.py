"""Record what models answer, and replay it: an endpoint on this machine."""
