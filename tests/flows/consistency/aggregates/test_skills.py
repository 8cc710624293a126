"""Cases of one kind become a skill, whichever came first."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.consistency.aggregates.skills import SkillText, skills_of
from flows.consistency.skill_writer import SkillForm, model_writer
from mneme.ids import skill_id
from mneme.ports import Prompt, Role
from mneme.records import AgentCase, Owner
from mneme.rows import Vector
from mneme.settings import Skills

OWNER = Owner(tenant_id="t", type="agent", id="ops")
DAY = datetime(2026, 3, 2, tzinfo=UTC)
DEFAULT = Skills()


def case(day: int, task: str, approach: str = "1. deploy()", quality: float = 0.9, insight: str = "") -> AgentCase:
    return AgentCase(
        id=f"e{day}/c",
        owner=OWNER,
        created_at=DAY + timedelta(days=day),
        version=1,
        parent_episode_id=f"e{day}",
        agent_id="ops",
        task_intent=task,
        approach=approach,
        quality_score=quality,
        key_insight=insight,
        message_ids=(),
        at=DAY + timedelta(days=day),
    )


def towards(angle: float) -> Vector:
    return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


DEPLOY_API = (case(1, "Please deploy api 1.0 to staging"), towards(0.0))
DEPLOY_WEB = (case(2, "Deploy web 2.3 to staging"), towards(0.5))
CLEAN_DISK = (case(3, "Clean the disk of logs-02", "1. shell()"), towards(1.6))


def test_cases_of_one_kind_become_a_skill_that_cites_them() -> None:
    (skill,) = skills_of([DEPLOY_WEB, CLEAN_DISK, DEPLOY_API], DEFAULT)
    assert skill.source_case_ids == ("e1/c", "e2/c")
    assert skill.id == skill_id("e1/c")
    assert skill.name == "Deploy staging"
    assert skill.agent_id == "ops"
    assert skill.created_at == DEPLOY_WEB[0].created_at


def test_one_case_is_no_skill() -> None:
    assert skills_of([DEPLOY_API], DEFAULT) == []
    assert skills_of([DEPLOY_API, DEPLOY_WEB], Skills().model_copy(update={"cases": 3})) == []


def test_what_is_near_in_meaning_without_a_word_or_tool_in_common_is_of_another_kind() -> None:
    assert skills_of([DEPLOY_API, (case(2, "Clean the disk", "1. shell()"), towards(0.1))], DEFAULT) == []


def test_what_has_words_in_common_and_is_far_in_meaning_is_of_another_kind() -> None:
    assert skills_of([DEPLOY_API, (DEPLOY_WEB[0], towards(1.5))], DEFAULT) == []


def test_a_case_without_a_vector_is_of_no_kind_yet() -> None:
    assert skills_of([DEPLOY_API, (DEPLOY_WEB[0], None)], DEFAULT) == []


def test_a_skill_that_loses_its_cases_is_gone_and_one_that_loses_its_first_has_another_id() -> None:
    third = (case(4, "Deploy app 7 to staging"), towards(0.2))
    assert [each.id for each in skills_of([DEPLOY_WEB, third], DEFAULT)] == [skill_id("e2/c")]
    assert skills_of([third], DEFAULT) == []


def test_the_steps_are_those_that_good_cases_share_with_what_differs_left_open() -> None:
    first = case(
        1,
        "Deploy api 1.0 to staging",
        "1. deploy(service=api, version=1.0, stage=staging) -> error: pending migrations\n"
        "2. migrations(service=api, action=list) -> 2 pending\n"
        "3. migrations(service=api, action=apply) -> ok\n"
        "4. deploy(service=api, version=1.0, stage=staging) -> ok",
        0.7,
        "Migrate first.",
    )
    best = case(
        2,
        "Deploy web 2.3 to staging",
        "1. migrations(service=web, action=list) -> 1 pending\n"
        "2. migrations(service=web, action=apply) -> ok\n"
        "3. deploy(service=web, version=2.3, stage=staging) -> ok\n"
        "4. chat(to=Sofia) -> sent",
        1.0,
        "It took 4 minutes.",
    )
    (skill,) = skills_of([(first, towards(0)), (best, towards(0.1))], DEFAULT)
    assert skill.content == (
        "Steps:\n"
        "1. migrations(service=<service>, action=list)\n"
        "2. migrations(service=<service>, action=apply)\n"
        "3. deploy(service=<service>, version=<version>, stage=staging)\n"
        "Insights:\n"
        "- It took 4 minutes.\n"
        "- Migrate first.\n"
        "What failed:\n"
        "- deploy(service=api, version=1.0, stage=staging) -> error: pending migrations"
    )


def test_a_step_with_what_another_tool_told_is_shared() -> None:
    def told(number: str) -> str:
        return (
            f"1. migrations(action=list) -> pending: {number}_add_column\n"
            f"2. migrations(action=run, id={number}) -> applied {number}\n"
        )

    (skill,) = skills_of(
        [(case(day, "Deploy to staging fails", told(number)), towards(0.0)) for day, number in ((1, "0087"), (2, "0091"))],
        DEFAULT,
    )
    assert "Steps:\n1. migrations(action=list)\n2. migrations(action=run, id=<id>)" in skill.content


def test_steps_that_a_model_told_freely_are_shared_by_their_words() -> None:
    first = case(1, "Deploy the api", "1. Apply pending migrations\n2. Ask Tom")
    second = case(2, "Deploy the web", "1. Apply the pending migrations first\n2. Roll out the new version")
    (skill,) = skills_of([(first, towards(0)), (second, towards(0))], DEFAULT)
    assert skill.content.splitlines()[:2] == ["Steps:", "1. Apply the pending migrations first"]
    assert "Tom" not in skill.content


def test_a_skill_of_chinese_cases_is_written_in_chinese() -> None:
    cases = [(case(day, f"请把服务{day}部署到测试环境", "1. deploy(env=test) -> ok"), towards(0)) for day in (1, 2)]
    (skill,) = skills_of(cases, DEFAULT)
    assert skill.description.startswith("用于：请把服务2部署到测试环境")
    assert skill.content.startswith("步骤:")


@pytest.mark.parametrize(("qualities", "confidence"), [((0.9, 0.9), 0.7), ((0.9,) * 8, 0.82), ((0.1, 0.1), 0.3)])
def test_confidence_grows_with_the_number_and_the_quality_of_cases(qualities: tuple[float, ...], confidence: float) -> None:
    cases = [(case(day, "Deploy api to staging", quality=quality), towards(0)) for day, quality in enumerate(qualities)]
    assert [each.confidence for each in skills_of(cases, DEFAULT)] == [confidence]


def test_a_model_writes_the_words_from_the_cases_in_order_and_in_one_call() -> None:
    asked: list[Prompt] = []

    class Chat:
        def answer(self, prompt: Prompt, form: type[SkillForm]) -> SkillForm:
            asked.append(prompt)
            return form(name="Deploy", description="When something is to be deployed.", content="1. Migrate\n2. Deploy")

    (skill,) = skills_of([DEPLOY_WEB, DEPLOY_API], DEFAULT, model_writer(Chat(), "t/ops"))  # type: ignore[arg-type]
    assert (skill.name, skill.content) == ("Deploy", "1. Migrate\n2. Deploy")
    (prompt,) = asked
    assert (prompt.role, prompt.scope) == (Role.RECONCILE, "t/ops")
    assert prompt.user.index("api 1.0") < prompt.user.index("web 2.3")


def test_a_model_is_shown_eight_cases_at_most_the_best_and_the_worst() -> None:
    asked: list[Prompt] = []

    class Chat:
        def answer(self, prompt: Prompt, form: type[SkillForm]) -> SkillForm:
            asked.append(prompt)
            return form(name="n", description="d", content="c")

    cases = [(case(day, f"Deploy api number{day}", quality=day / 20), towards(0)) for day in range(20)]
    skills_of(cases, DEFAULT, model_writer(Chat(), "t/ops"))  # type: ignore[arg-type]
    assert [day for day in range(20) if f"number{day}\n" in asked[0].user] == [0, 1, 2, 3, 16, 17, 18, 19]


tasks = st.tuples(st.sampled_from(["Deploy api", "Deploy web", "Clean disk", "Clean api"]), st.floats(0, 3))


@given(drawn=st.lists(tasks, max_size=9), data=st.data())
def test_the_order_of_cases_makes_no_difference_and_each_is_of_one_kind(
    drawn: list[tuple[str, float]], data: st.DataObject
) -> None:
    cases = [(case(day, task), towards(angle)) for day, (task, angle) in enumerate(drawn)]

    def words(cases: object) -> SkillText:
        return SkillText("name", "description", "content")

    skills = skills_of(cases, DEFAULT, words)
    assert skills == skills_of(data.draw(st.permutations(cases)), DEFAULT, words)
    cited = [identity for skill in skills for identity in skill.source_case_ids]
    assert len(cited) == len(set(cited))
