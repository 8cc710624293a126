"""Consistency: statements of an owner are compared, each gets its validity, and aggregates follow."""
