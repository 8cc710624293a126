"""The parsers, one file for a format: functions from bytes to a document, found through the table in ``kinds.py``."""
