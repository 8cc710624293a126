"""Checks of ``mneme doctor``, by group. Each check says what is wrong and how to fix it."""
