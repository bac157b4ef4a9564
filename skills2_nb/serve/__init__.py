"""The steps over MCP."""
