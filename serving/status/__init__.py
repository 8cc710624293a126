"""What ``mneme status`` shows: how a Mneme is doing now, read from its index and its way in, or from a running service."""
