"""Whether questions are answered rightly: ingest, search, answer, judge, on your own copy of a set (``mneme bench eval``).

Start reading at evaluation/answers/evaluate.py; a run's folder is told of in folder.py, what is right in judge.py.
"""
