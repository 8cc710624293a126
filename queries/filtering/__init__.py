"""filtering: whose memory is searched, which part of it, and as of when."""
