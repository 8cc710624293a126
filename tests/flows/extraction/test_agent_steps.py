"""Steps are numbered_steps so that they can be read again."""

from hypothesis import given
from hypothesis import strategies as st

from flows.extraction.agent_cases import called, numbered_steps, steps_in

plain = st.text(alphabet="abc xyz0123./-", min_size=1, max_size=20).map(str.strip).filter(bool)


def test_a_call_is_read_as_it_was_written() -> None:
    step = called("deploy", '{"service": "api", "replicas": 3, "tags": ["a", "b"]}', "rollout started")
    assert step.text == 'deploy(service=api, replicas=3, tags=["a", "b"])'
    assert steps_in(numbered_steps([step])) == [step]


def test_arguments_that_are_no_json_object_are_kept_as_they_are() -> None:
    assert called("shell", "ls -l", "").text == "shell(ls -l)"
    assert called("add", "[1, 2]", "3").text == "add([1, 2])"


def test_steps_that_are_told_freely_are_steps_too() -> None:
    steps = steps_in("1. Look at the logs\n\n2) Restart the service")
    assert [(step.tool, step.text) for step in steps] == [("", "Look at the logs"), ("", "Restart the service")]


@given(arguments=st.dictionaries(st.sampled_from(["service", "version", "host"]), plain), result=st.one_of(st.just(""), plain))
def test_simple_arguments_and_results_come_back(arguments: dict[str, str], result: str) -> None:
    import json

    step = called("tool", json.dumps(arguments), result)
    assert steps_in(numbered_steps([step, step])) == [step, step]
