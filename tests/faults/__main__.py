"""Every scenario of evaluation/faults on servers that may be killed, started for it.

python -m tests.faults --short|--long --seed N [--only NAME] [--out FILE] [PATH]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.faults.bench import run_faults
from evaluation.faults.scenario import Size
from tests.faults.harmed import fault_settings, own_servers


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every scenario passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.split("\n")[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--short", action="store_const", dest="size", const=Size.SHORT, default=Size.SHORT)
    length.add_argument("--long", action="store_const", dest="size", const=Size.LONG)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--out", type=Path, default=Path("bench-results/faults.json"))
    parser.add_argument("path", type=Path, nargs="?", metavar="PATH", help="a file of conversations; else the examples")
    options = parser.parse_args(arguments)
    with own_servers() as (kafka, opensearch, servers):
        settings = fault_settings(kafka.bootstrap, opensearch.url)
        report = run_faults(settings, options.size, options.seed, options.out, options.path, options.only, servers)
    return 1 if report.headline["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
