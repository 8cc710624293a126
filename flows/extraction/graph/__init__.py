"""Entities and the relationships between them, by pattern."""
