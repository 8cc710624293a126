"""Benchmarks: loaders of data sets, metrics, reports and plots. Nothing of a data set is shipped."""
