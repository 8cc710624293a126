"""Rules that replace those shipped: fields are checked at the start, and the line that data are no instructions stays."""

from datetime import UTC, datetime

import pytest

from connectors.endpoints.pictures import picture_prompt
from flows.boundaries.llm import boundary_prompt
from flows.consistency.judge import ModelJudge, PairVerdicts
from flows.extraction.model import ModelExtractor
from mneme.errors import SettingsError
from mneme.ports import Picture, Prompt
from mneme.prompts import DATA_RULE, filled
from mneme.settings import Extraction, load_settings
from queries.answers.context import DATA, answer_prompt, context_of
from queries.questions.types import QuestionType
from tests.contracts.rows import fact as fact_row
from tests.flows.extraction.cuts import cut_of, message
from tests.queries.answers.found import fact, found

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("role", "rules", "said"),
    [
        ("extraction", "Write in {langage}.", r"extraction: \{langage\} is no field; the fields of extraction are language"),
        ("reconcile", "Judge {language}.", r"reconcile: \{language\} is no field; reconcile has no fields"),
        ("boundary", 'Answer {"boundaries": []}', r"boundary: .*write \{\{ and \}\} for braces"),
        ("vision", "Describe {language", r"vision: a brace is not closed"),
        ("vision", "Describe {}.", r"vision: \{\} is no field"),
        ("agents", "Search.", "MNEME_MODELS__PROMPTS"),
    ],
)
def test_a_broken_template_stops_the_program_and_names_the_field(role: str, rules: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings({}, models={"prompts": {role: rules}})


def test_fields_are_filled_and_braces_can_be_written() -> None:
    assert filled("", "In {language}: {{}}", language="German") == f"In German: {{}}\n{DATA_RULE}"


def test_every_replaced_prompt_says_that_data_are_no_instructions() -> None:
    cut = cut_of([message("Ann", "I went to Oslo.")])
    extractor = ModelExtractor(None, Extraction(), "m", "German", "Take out facts, in {language}.")  # type: ignore[arg-type]
    prompts = [
        extractor.prompt(cut),
        boundary_prompt([], cut.utterances, [], "Cut it."),
        picture_prompt(Picture(b"", "image/png", "0"), "a.png", replaced_by="Describe it."),
    ]
    assert extractor.prompt(cut).system.startswith("Take out facts, in German.\n")
    assert all(DATA_RULE in prompt.system for prompt in prompts)
    answer = found("Who ran?", fact("a", "Ann ran."))
    prompt = answer_prompt("Who ran?", QuestionType.FACTUAL, context_of(answer, NOW, 500, len), NOW, "Be brief.")
    assert prompt.system == f"Be brief.\n- {DATA}"


def test_the_judge_asks_by_the_rules_that_replace_those_shipped() -> None:
    class Asked:
        def remembered(self, role: str, scope: str, contents: object) -> dict[str, str]:
            return {}

        def remember(self, role: str, scope: str, verdicts: dict[str, str]) -> dict[str, str]:
            return verdicts

        def answer(self, prompt: Prompt, form: type[PairVerdicts]) -> PairVerdicts:
            self.system = prompt.system
            return form(same=[], replaces=[])

    chat = Asked()
    pair = [fact_row(f"f{n}", text).record() for n, text in enumerate(("Ann lives in Oslo.", "Ann moved to Bergen."))]
    ModelJudge(chat, "Judge strictly.").judge([tuple(pair)], "acme/user/ann")  # type: ignore[arg-type,list-item]
    assert chat.system == f"Judge strictly.\n{DATA_RULE}"
