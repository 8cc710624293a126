"""What stands before every route: a name for the request, whose it is, how often, and how much of it is read.

    shielded     headers that let no browser frame a response, run it, or guess what it is
    named        a request id in and out; what nobody expects becomes a problem without a word of the inside
    guarded      the right host and origin, and a key where there are keys; the routes find the caller in ``request.state``
    rationed     so many requests a minute
    bounded      bodies of at most so many bytes, JSON of at most so many levels

Each is a plain ASGI application around the next, so that what is mounted (console, MCP) stands behind them too.
"""
