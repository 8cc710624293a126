"""Stub until the annotations are merged."""


def subject_of(sentences, near):
    return sentences[0].text[:60] if sentences else ""
