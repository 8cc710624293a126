"""A running service, asked by HTTP."""
