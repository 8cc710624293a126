"""Ways to a memory: command line, REST, MCP, web console and adapters of agent frameworks."""
