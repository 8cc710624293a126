"""The embedded index: LanceDB keeps the rows, and the owners that are searched are searched in memory."""
