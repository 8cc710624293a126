"""Stub until the annotations are merged."""


def foresights_of(sentences):
    return ()
