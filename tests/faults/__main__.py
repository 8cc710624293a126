"""Every scenario of evaluation/faults on servers that may be killed, started for it.

python -m tests.faults --short|--long --seed N [--only NAME] [--engine flink] [--out FILE] [PATH]

With --engine flink a cluster is started as well; $MNEME_TEST_FLINK names the Python that requirements/flink.sh prints.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from evaluation.faults.bench import run_faults
from tests.faults.harmed import fault_settings, own_cluster, own_servers
from tests.servers.flink_cluster import flink_python


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every scenario passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.split("\n")[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--short", action="store_false", dest="long", help="the default")
    length.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["bytewax", "flink"], default="bytewax")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--out", type=Path, default=Path("bench-results/faults.json"))
    parser.add_argument("path", type=Path, nargs="?", metavar="PATH", help="a file of conversations; else the examples")
    options = parser.parse_args(arguments)
    python = flink_python()
    if options.engine == "flink" and python is None:
        parser.error("--engine flink: set MNEME_TEST_FLINK to what requirements/flink.sh prints")
    with ExitStack() as stack:
        kafka, opensearch, servers = stack.enter_context(own_servers(options.long))
        jobmanager = ""
        if options.engine == "flink" and python is not None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mneme-flink-")))
            servers, jobmanager = stack.enter_context(own_cluster(servers, python, folder))
        settings, console = fault_settings(kafka.bootstrap, opensearch.url, options.long), Console()
        chosen = (options.path, options.long, options.seed, options.only, options.engine, jobmanager, python)
        report = run_faults(settings, console, *chosen, servers).finish(console, options.out)
    return 1 if report.headline["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
