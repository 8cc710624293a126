"""rules: decides in agentic searches without a model."""
