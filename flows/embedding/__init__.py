"""Helpers of the embed step: admit new messages, and apply edits and deletes."""
