"""A standalone Flink of one JobManager and some TaskManagers, from the environment that `make test-flink` makes. No Docker."""

import json
import os
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import yaml

from tests.servers.process import Server, free_port


def flink_python() -> Path | None:
    """The Python of the environment with PyFlink; None where there is none. ``$MNEME_TEST_FLINK`` names it."""
    named = os.environ.get("MNEME_TEST_FLINK")
    return Path(named) if named else None


_REGISTERED = b"Successful registration at resource manager"


class _FlinkProcess(Server):
    """One Java process of the cluster, with a configuration of its own."""

    name = "flink"

    def __init__(self, home: Path, settings: dict[str, object], script: str, rest: int) -> None:
        super().__init__(rest)
        self._home, self._settings, self._script, self._began_at = home, settings, script, 0
        self._known: list[str] | None = None

    def command(self) -> list[str]:
        """Write the configuration, and return the command: Flink's script, and after it what that came to."""
        self._began_at = self.log.stat().st_size if self.log.exists() else 0
        if self._known is not None:
            return self._known
        conf = self.data / "conf"
        conf.mkdir(exist_ok=True)
        own = yaml.safe_load((self._home / "conf" / "config.yaml").read_text())
        options = " ".join((own["env"]["java"]["opts"]["all"], *self.compiler_options, "-XX:+UseSerialGC"))
        values = {"env.java.opts.all": options, "io.tmp.dirs": str(self.data), **self._settings}
        (conf / "config.yaml").write_text("".join(f"{name}: {json.dumps(value)}\n" for name, value in values.items()))
        for file in ("log4j-console.properties", "log4j.properties"):
            (conf / file).write_text((self._home / "conf" / file).read_text())
        variables = [
            f"FLINK_HOME={self._home}",
            f"FLINK_PID_DIR={self.data}",
            f"FLINK_CONF_DIR={conf}",
            f"FLINK_LOG_DIR={self.data}",
            "FLINK_ENV_JAVA_OPTS=",
        ]
        return ["env", *variables, "bash", str(self._home / "bin" / self._script), "start-foreground"]

    def ready(self) -> bool:
        """True if the JobManager answers, or this TaskManager logged that it is registered: Flink lists dead ones, too."""
        if "taskmanager.resource-id" not in self._settings:
            is_ready = answer(self.port, "/overview") is not None
        else:
            is_ready = _REGISTERED in self.log.read_bytes()[self._began_at :]
        if is_ready and self._known is None:  # the script starts two more JVMs, on a machine that has better to do at a restart
            words, variables = (
                Path(f"/proc/{self.pid}/{name}").read_text().split("\0")[:-1] for name in ("cmdline", "environ")
            )
            self._known = ["env", *variables, *words]
        return is_ready


def answer(port: int, path: str) -> dict[str, object] | None:
    """The answer of a JobManager; None while there is none."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as found:
            value: dict[str, object] = json.load(found)
            return value
    except (urllib.error.URLError, OSError, ValueError):
        return None


class FlinkServers:
    """The cluster, a context manager. ``taskmanagers`` may be killed and started again one by one."""

    def __init__(self, python: Path, folder: Path, taskmanagers: int = 2, slots: int = 4) -> None:
        home = next(python.parent.parent.glob("lib/python3*/site-packages/pyflink"))
        self.port, rpc = free_port(), free_port()
        local: dict[str, object] = {
            "jobmanager.rpc.address": "127.0.0.1",
            "jobmanager.rpc.port": rpc,
            "jobmanager.bind-host": "127.0.0.1",
            "jobmanager.memory.process.size": "1024m",
            "taskmanager.bind-host": "127.0.0.1",
            "taskmanager.host": "127.0.0.1",
            "taskmanager.memory.process.size": "1400m",
            "taskmanager.memory.managed.fraction": 0.2,
            "taskmanager.numberOfTaskSlots": slots,
            "taskmanager.load-balance.mode": "slots",
            "rest.address": "127.0.0.1",
            "rest.bind-address": "127.0.0.1",
            "rest.port": self.port,
            "heartbeat.interval": 500,
            "cluster.registration.error-delay": 1000,
            "cluster.registration.refused-registration-delay": 1000,
            "heartbeat.timeout": 30000,  # of a busy machine; one that is dead refuses connections, and is noticed at once
            "pekko.ask.timeout": "60 s",  # of a machine that does much else beside
            "state.backend.type": "hashmap",
            "execution.checkpointing.dir": (folder / "checkpoints").as_uri(),
        }
        self.jobmanager = _FlinkProcess(home, local, "jobmanager.sh", self.port)
        self.taskmanagers = [
            _FlinkProcess(home, local | {"taskmanager.resource-id": f"tm{number}"}, "taskmanager.sh", self.port)
            for number in range(taskmanagers)
        ]

    @property
    def address(self) -> str:
        """The REST address of the JobManager."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            servers = (self.jobmanager, *self.taskmanagers)
            for server in servers:
                stack.callback(server.wipe)
                stack.callback(server.kill)
            with ThreadPoolExecutor(len(servers)) as side_by_side:
                list(side_by_side.map(lambda server: server.start(300.0), servers))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *ended: object) -> None:
        self._stack.close()
