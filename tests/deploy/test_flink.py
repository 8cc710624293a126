"""The files for a Flink cluster fit the engine: its versions, its connector, and a command that exists."""

import re
from pathlib import Path
from typing import Any

import yaml
from typer.main import get_command

from mneme.settings import Settings
from serving.cli import app

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "flink"
ENGINE = (ROOT / "flows" / "engines" / "flink.py").read_text(encoding="utf-8")


def test_all_name_the_same_flink_and_the_same_connector() -> None:
    (package,) = re.findall(r"apache-flink==([\d.]+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (connector,) = re.findall(r'CONNECTOR = "flink-sql-connector-kafka-(.+)\.jar"', ENGINE)
    (checksum,) = re.findall(r'SHA256 = "(\w+)"', ENGINE)
    image = (FOLDER / "Dockerfile").read_text(encoding="utf-8")
    assert f"FROM flink:{package}-java17" in image
    assert f"sha256:{checksum}" in image
    assert checksum in (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert set(re.findall(r"flink-sql-connector-kafka[-:/](\d[\w.]+-[\d.]+\d)", image)) == {connector}
    assert f"flink-sql-connector-kafka:{connector}" in (ROOT / "requirements" / "flink.sh").read_text(encoding="utf-8")


def test_the_image_has_the_extras_that_each_machine_needs_and_so_the_embedder_of_the_settings() -> None:
    (extras,) = re.findall(r"pip install .*'\.\[([\w,]+)\]'", (FOLDER / "Dockerfile").read_text(encoding="utf-8"))
    assert f"`mneme-river[{extras}]`" in (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    assert Settings(_env_file=None).embedder.provider in extras.split(",")


def test_the_manifest_starts_a_cluster_with_slots_for_the_flow_that_runs_on_it_also_without_one_of_its_machines() -> None:
    cluster, flow = yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text(encoding="utf-8"))
    assert cluster["kind"] == "FlinkDeployment"
    (container,) = flow["spec"]["template"]["spec"]["containers"]
    command: Any = get_command(app)
    known = {name for option in command.commands["run"].params for name in option.opts}
    words = container["command"]
    assert words[:2] == ["mneme", "run"]
    assert {word for word in words if word.startswith("--")} <= known
    slots = int(cluster["spec"]["flinkConfiguration"]["taskmanager.numberOfTaskSlots"])
    assert int(words[words.index("--processes") + 1]) == slots * (cluster["spec"]["taskManager"]["replicas"] - 1)
    assert words[words.index("--jobmanager") + 1] == f"{cluster['metadata']['name']}-rest:8081"


def test_the_standalone_cluster_has_a_place_for_checkpoints() -> None:
    settings = yaml.safe_load((FOLDER / "config.yaml").read_text(encoding="utf-8"))
    assert settings["execution.checkpointing.dir"].startswith("file:///")
    assert settings["taskmanager.numberOfTaskSlots"] == 4
