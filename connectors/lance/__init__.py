"""The embedded index, on LanceDB, with the rows of the owners that are searched in memory."""
