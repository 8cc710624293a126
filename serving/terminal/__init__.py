"""Output for a terminal: tables, panels, progress."""
