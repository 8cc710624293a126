"""scoring: how well each candidate fits the question, on one scale for all of them. Pure.

- ``field``: the candidates of one question, in one order.
- ``min_max``: needs no training. ``features`` and ``learned``: logistic regression, for an index and an embedder that it was
  fitted on (``mneme bench fit fusion``).
- ``present``: in a search for a state the later of two statements about the same leads, for any scorer (``mneme fit
  present``).
"""
