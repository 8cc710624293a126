"""What a speaker is like, by cue."""
