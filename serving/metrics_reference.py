"""The table of metrics in docs/observability.md, from the metrics themselves: ``python -m serving.metrics_reference``."""

from collections.abc import Iterator

from prometheus_client import Counter, Gauge, Histogram

from connectors.telemetry import metrics


def metrics_table() -> str:
    """All metrics as a table in Markdown, in the order in which they are defined."""
    return "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n" + "".join(_rows())


def _rows() -> Iterator[str]:
    for metric in vars(metrics).values():
        if not isinstance(metric, Counter | Gauge | Histogram):
            continue
        (family,) = metric.describe()
        name = f"{family.name}_total" if family.type == "counter" else family.name
        labels = ", ".join(f"`{label}`" for label in metric._labelnames)  # there is no public way to them
        yield f"| `{name}` | {family.type} | {labels} | {family.documentation} |\n"


if __name__ == "__main__":
    print(metrics_table(), end="")
