"""docker-compose.yml: what docker compose understands, and settings that are some."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from mneme.settings import Settings, load_settings
from serving.rest.keys import Keys

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"


def compose(folder: Path) -> list[str] | None:
    """The command that reads the file: Docker's plug-in, else the program of Debian, which does not know ``name`` yet."""
    if shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        return ["docker", "compose", "--file", str(FILE)]
    if shutil.which("docker-compose"):
        copy = folder / "docker-compose.yml"
        copy.write_text(re.sub(r"^name:.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.M), encoding="utf-8")
        return ["docker-compose", "--file", str(copy)]
    return None


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The services as docker compose reads them, all profiles on."""
    command = compose(tmp_path_factory.mktemp("compose"))
    if command is None:
        pytest.skip("no docker compose here (requirements/system-packages.sh --tests)")
    done = subprocess.run(
        [*command, "--project-directory", str(ROOT), "--profile", "observability", "config"],
        capture_output=True,
        text=True,
        timeout=120,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    return read


def settings_of(service: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """The settings as the program in the container reads them."""
    monkeypatch.chdir(tmp_path)
    for name, value in service["environment"].items():
        monkeypatch.setenv(name, str(value))
    return load_settings()


def test_there_is_everything_that_a_machine_needs(services: dict[str, Any]) -> None:
    assert set(services) == {"kafka", "opensearch", "flow", "service", "prometheus", "grafana"}
    assert {name for name, service in services.items() if service.get("profiles")} == {"prometheus", "grafana"}


def test_every_container_has_a_health_check_and_starts_again(services: dict[str, Any]) -> None:
    assert all(service["healthcheck"]["test"] and service["restart"] == "unless-stopped" for service in services.values())


def test_nothing_listens_to_others_than_this_machine() -> None:
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert len(ports) >= 5
    assert all(port.startswith("127.0.0.1:") for port in ports)


@pytest.mark.parametrize("name", ["flow", "service"])
def test_the_settings_are_some(services: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = settings_of(services[name], monkeypatch, tmp_path)
    assert (settings.index.backend, settings.opensearch.url) == ("opensearch", "http://opensearch:9200")
    assert settings.kafka.bootstrap_servers == "kafka:9093"


def test_the_service_has_a_key_that_it_takes(services: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = settings_of(services["service"], monkeypatch, tmp_path)
    assert list(settings.service.keys.values()) == ["*"]
    Keys(settings.service.keys)
    assert settings.service.host == "0.0.0.0"  # of the container
    assert services["service"]["ports"] == ["127.0.0.1:8765:8765/tcp"] or "published" in json.dumps(
        services["service"]["ports"]
    )


def test_the_metrics_are_read_where_they_are_shown(
    services: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    targets = {target for job in read["scrape_configs"] for config in job["static_configs"] for target in config["targets"]}
    flow = settings_of(services["flow"], monkeypatch, tmp_path)
    assert targets == {f"flow:{flow.telemetry.metrics_port}", "service:8765"}


def test_prometheus_finds_its_rules() -> None:
    folder = ROOT / "deploy" / "prometheus"
    read = yaml.safe_load((folder / "prometheus.yml").read_text(encoding="utf-8"))
    assert [rules for rules in read.get("rule_files", []) if not (folder / rules).exists()] == []


def test_what_is_mounted_from_the_tree_is_there(services: dict[str, Any]) -> None:
    source = FILE.read_text(encoding="utf-8")
    mounted = re.findall(r"- (\./[^:]+):", source)
    assert len(mounted) >= 3
    assert [path for path in mounted if not (ROOT / path).exists()] == []
