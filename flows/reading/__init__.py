"""What must be read before it can be remembered: documents, and attachments of messages."""
