"""joint: what several searches found for one question, scored together."""
