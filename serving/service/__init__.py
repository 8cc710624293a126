"""The service behind REST, MCP and console: memories, the way in, and the flow of the embedded mode."""
