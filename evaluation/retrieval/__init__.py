"""Quality of retrieval: question sets, their metrics, and the comparison of two runs.

``sets/`` reads each published set into one form; ``systems.py`` says what can be asked; ``bench.py`` ingests, asks and
reports, ``figures.py`` measures; ``compare.py`` puts runs beside one another (``bootstrap.py``).
"""
