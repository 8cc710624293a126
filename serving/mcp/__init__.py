"""The MCP server: memory as tools for any agent. ``mneme mcp`` on standard input and output, ``mneme serve`` at /mcp."""
