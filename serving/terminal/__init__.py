"""What a person at a terminal sees: tables, panels, progress."""
