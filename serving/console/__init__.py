"""The web console: what is remembered, how it is found, and how the flow is, in a browser."""
