"""The Helm chart: lint, and what it renders is what Mneme understands and a careful cluster takes."""

import base64
import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from mneme.settings import Settings, load_settings
from serving.cli import app

CHART = Path(__file__).parents[2] / "deploy" / "helm" / "mneme"
HELM = Path(sysconfig.get_path("scripts")) / "helm"
VALUES = sorted((CHART / "ci").glob("*-values.yaml"))
SECRETS = {"MNEME_SERVICE__KEYS": '{"0123456789abcdef0123": "*"}', "MNEME_SERVICE__CONSOLE_SECRET": "s" * 64}


def helm(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(HELM), *arguments], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def rendered() -> dict[str, list[dict[str, Any]]]:
    """The manifests of each file of values, released under the name that makes the most trouble: its own."""
    manifests = {}
    for values in VALUES:
        done = helm("template", "mneme", str(CHART), "--values", str(values))
        assert done.returncode == 0, done.stderr
        manifests[values.name] = [manifest for manifest in yaml.safe_load_all(done.stdout) if manifest]
    return manifests


def of_kind(manifests: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def workloads(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return of_kind(manifests, "StatefulSet") + of_kind(manifests, "Deployment")


def container_of(workload: dict[str, Any]) -> dict[str, Any]:
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    read: dict[str, Any] = container
    return read


def settings_of(
    workload: dict[str, Any], manifests: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Settings:
    """The settings as the program in the container reads them."""
    (config,) = of_kind(manifests, "ConfigMap")
    environment = dict(config["data"])
    for entry in container_of(workload)["env"]:
        environment[entry["name"]] = entry.get("value", SECRETS.get(entry["name"], "secret"))
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        assert isinstance(value, str)
        if name.startswith("MNEME_"):
            monkeypatch.setenv(name, value)
    return load_settings()


def test_there_are_several_files_of_values() -> None:
    assert [values.name for values in VALUES] == ["all-values.yaml", "least-values.yaml", "service-only-values.yaml"]


@pytest.mark.parametrize("values", VALUES, ids=lambda values: values.stem)
def test_lint_has_nothing_to_say(values: Path) -> None:
    done = helm("lint", "--strict", str(CHART), "--values", str(values))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 chart(s) failed" in done.stdout


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "opensearch.url"),
        (["--set", "opensearch.url=http://o:9200"], "kafka.bootstrapServers"),
        (["--set", "opensearch.url=http://o:9200,kafka.bootstrapServers=k:9092"], "service.keysSecret.name"),
        (["--set", "flow.replicas=2"], "replicas"),
        (["--set", "settings.mneme_x=1"], "mneme_x"),
    ],
)
def test_what_is_missing_or_wrong_is_named(given: list[str], told: str) -> None:
    done = helm("template", "mneme", str(CHART), *given)
    assert done.returncode != 0
    assert told in done.stderr


def test_every_setting_is_one(
    rendered: dict[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checked = 0
    for manifests in rendered.values():
        for workload in workloads(manifests):
            with monkeypatch.context() as own:
                settings = settings_of(workload, manifests, own, tmp_path)
            assert settings.index.backend == "opensearch"
            assert str(settings.data) == "/data"
            checked += 1
    assert checked == 5


def test_what_is_given_arrives(
    rendered: dict[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    manifests = rendered["all-values.yaml"]
    (service,) = of_kind(manifests, "Deployment")
    settings = settings_of(service, manifests, monkeypatch, tmp_path)
    assert settings.kafka.sasl_mechanism == "SCRAM-SHA-512"
    assert settings.kafka.sasl_password is not None
    assert settings.service.largest_lag == 20_000
    assert settings.telemetry.log_format == "text"
    assert json.dumps(list(settings.service.keys.values())) == '["*"]'


def test_the_commands_exist(rendered: dict[str, list[dict[str, Any]]]) -> None:
    commands: Any = get_command(app)
    for manifests in rendered.values():
        for workload in workloads(manifests):
            name, *options = container_of(workload)["args"]
            known = {option for parameter in commands.commands[name].params for option in parameter.opts}
            assert {option for option in options if option.startswith("--")} <= known


def test_there_is_one_flow_with_a_volume_of_its_own(rendered: dict[str, list[dict[str, Any]]]) -> None:
    for name, manifests in rendered.items():
        flows = of_kind(manifests, "StatefulSet")
        assert len(flows) == (0 if name.startswith("service-only") else 1)
        for flow in flows:
            assert flow["spec"]["replicas"] == 1
            (claim,) = flow["spec"]["volumeClaimTemplates"]
            assert {"name": claim["metadata"]["name"], "mountPath": "/data"} in container_of(flow)["volumeMounts"]
            assert flow["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] >= 60


def test_pods_have_limits_probes_and_few_rights(rendered: dict[str, list[dict[str, Any]]]) -> None:
    for manifests in rendered.values():
        for workload in workloads(manifests):
            pod, container = workload["spec"]["template"]["spec"], container_of(workload)
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]
            ports = {port["name"] for port in container["ports"]}
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                assert container[probe]["httpGet"]["port"] in ports
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert pod["securityContext"]["runAsNonRoot"] is True
            assert pod["automountServiceAccountToken"] is False
            assert pod["enableServiceLinks"] is False  # else a Service named mneme-service makes a variable MNEME_SERVICE_PORT


def test_services_and_policies_select_the_pods(rendered: dict[str, list[dict[str, Any]]]) -> None:
    for manifests in rendered.values():
        pods = [workload["spec"]["template"]["metadata"]["labels"] for workload in workloads(manifests)]
        selectors = [each["spec"]["selector"] for each in of_kind(manifests, "Service")]
        selectors += [each["spec"]["podSelector"]["matchLabels"] for each in of_kind(manifests, "NetworkPolicy")]
        selectors += [each["spec"]["selector"]["matchLabels"] for each in of_kind(manifests, "PodDisruptionBudget")]
        for selector in selectors:
            assert sum(selector.items() <= pod.items() for pod in pods) == 1


def test_no_secret_stands_in_a_manifest(rendered: dict[str, list[dict[str, Any]]]) -> None:
    for manifests in rendered.values():
        for workload in workloads(manifests):
            for entry in container_of(workload)["env"]:
                if any(word in entry["name"] for word in ("PASSWORD", "KEYS", "API_KEY", "SECRET")):
                    assert "secretKeyRef" in entry["valueFrom"]


def test_the_secret_of_the_console_is_made_unless_there_is_one_and_is_the_same_for_all_pods(
    rendered: dict[str, list[dict[str, Any]]],
) -> None:
    for name, manifests in rendered.items():
        (service,) = of_kind(manifests, "Deployment")
        (entry,) = [each for each in container_of(service)["env"] if each["name"] == "MNEME_SERVICE__CONSOLE_SECRET"]
        given = entry["valueFrom"]["secretKeyRef"]
        if name.startswith("all"):
            assert given == {"name": "mneme-console", "key": "sessions"}
            assert of_kind(manifests, "Secret") == []
        else:
            (secret,) = of_kind(manifests, "Secret")
            assert given["name"] == secret["metadata"]["name"]
            assert len(base64.b64decode(secret["data"][given["key"]])) == 64
            assert secret["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"  # and `lookup` finds it again


def test_the_secret_of_the_console_is_another_for_each_release(rendered: dict[str, list[dict[str, Any]]]) -> None:
    secrets = [each["data"]["secret"] for manifests in rendered.values() for each in of_kind(manifests, "Secret")]
    assert len(set(secrets)) == 2


def test_everything_that_can_be_switched_on_is_rendered(rendered: dict[str, list[dict[str, Any]]]) -> None:
    kinds = {manifest["kind"] for manifest in rendered["all-values.yaml"]}
    assert {"HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "ServiceMonitor"} <= kinds
    (deployment,) = of_kind(rendered["all-values.yaml"], "Deployment")
    assert "replicas" not in deployment["spec"]  # it is the autoscaler's
