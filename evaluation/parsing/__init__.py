"""``mneme bench parsing``: what the house adds to the libraries that read documents."""

from evaluation.parsing.bench import run_parsing

__all__ = ["run_parsing"]
