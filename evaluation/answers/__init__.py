"""The share of questions answered rightly: ingest, search, answer, judge, on your own copy of a set (``mneme bench eval``).

Start reading at evaluation/answers/evaluate.py; folder.py explains the folder of a run, judge.py the rules of the judge.
"""
