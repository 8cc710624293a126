"""The capacity model: how much a load needs."""
