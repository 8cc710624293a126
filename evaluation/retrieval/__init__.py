"""Quality of retrieval: question sets, their metrics, and the comparison of two runs.

``sets/`` reads each published set into one form; ``systems.py`` asks by each method; ``bench.py`` ingests, asks and reports;
``compare.py`` puts runs beside one another.
"""
