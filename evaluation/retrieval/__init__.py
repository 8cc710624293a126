"""How well memories are found: question sets, what is measured on them, and how two runs are compared.

``sets/`` reads each published set into one form; ``systems.py`` says what can be asked; ``bench.py`` ingests, asks and
reports, ``figures.py`` measures; ``compare.py`` and ``ablations.py`` put runs beside one another (``bootstrap.py``).
"""
