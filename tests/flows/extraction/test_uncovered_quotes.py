from flows.cuts import ExtractedFact
from flows.extraction.model import uncovered_quotes
from tests.flows.extraction.cuts import talk


def test_what_no_fact_of_a_model_tells_is_quoted():
    cut = talk("Ann: I work in Oslo.", "Ann: My brother is allergic to lilies.")
    facts = [ExtractedFact("Ann works in Oslo.", "work", (0,))]
    [left] = uncovered_quotes(cut.utterances, facts, "work")
    assert left.quote.words == "My brother is allergic to lilies."


def test_a_sentence_beside_one_that_a_fact_tells_is_not_lost():
    long = "My brother Carl is allergic to lilies and to most other flowers that one finds in the shops of this town."
    cut = talk(f"Ann: I work in Oslo. {long}")
    [left] = uncovered_quotes(cut.utterances, [ExtractedFact("Ann works in Oslo.", "work", (0,))], "work")
    assert long in left.quote.words
