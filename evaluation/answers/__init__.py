"""The share of questions answered rightly: ingest, search, answer, judge, on your own copy of a set (``mneme bench eval``).

Start reading at evaluation/answers/evaluate.py; judge.py has the rules of the judge.
"""
