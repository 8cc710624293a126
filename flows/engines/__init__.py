"""Engines that drive the dataflow: the port between the two (port.py), and an engine in a file each."""
