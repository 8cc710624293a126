"""Documents instead of conversations."""
