"""Sentences for the tests of annotations, from short lines, and claims made by hand."""

from dataclasses import replace

from flows.extraction.quotes import annotated
from mneme.records import Claim
from tests.flows.extraction.cuts import talk


def said(*lines, **fields):
    """The sentences of ``"Ann: text"`` lines; a speaker called assistant has that role."""
    return [one for each in annotated(talk(*lines, **fields).utterances) for one in each.sentences]


def claiming(sentences, *claims):
    """Sentences of which each makes one claim: ``(subject, attribute, value)``, with ``True`` behind it where it ends."""
    return [
        replace(one, claims=(Claim(subject=each[0], attribute=each[1], value=each[2], ends=len(each) > 3, evidence=one.text),))
        for one, each in zip(sentences, claims, strict=True)
    ]
