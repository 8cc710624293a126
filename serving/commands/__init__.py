"""The commands of ``mneme``, one file for each group. They import what they need when they run."""
