"""What REST, the MCP server and the console have in common: the memories, the way in, and the flow of the embedded mode."""
