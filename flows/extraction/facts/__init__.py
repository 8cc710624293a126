"""Which statements of an episode are worth remembering, and how each is told so that it stands alone."""
