"""Helpers of the read step: documents, and attachments of messages."""
