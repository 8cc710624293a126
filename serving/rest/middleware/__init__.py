"""Middleware before every route, from the outside in; each is a plain ASGI application around the next.

Console and MCP are mounted behind it too: drain refused bodies (``body_limits``), set security headers and request ids
(``request_id``), check keys (``auth``), limit requests in number (``rate_limit``) and in size (``body_limits``).
"""
