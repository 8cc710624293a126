"""Embedders by themselves: quality of their vectors against texts a second."""
