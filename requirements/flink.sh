#!/usr/bin/env bash
# Makes the environment of the Flink tests beside .venv, with which it cannot share one, and prints its Python. It has everything
# but Mneme, which comes by PYTHONPATH: checkouts share the environment. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")/.."

connector=flink-sql-connector-kafka:5.0.0-2.2
home=${MNEME_TEST_CACHE:-$HOME/.cache/mneme-tests}/flink-$(sha256sum pyproject.toml requirements/flink.sh | sha256sum | cut -c1-12)
if [ ! -e "$home/ready" ]; then
    rm -rf "$home"
    .venv/bin/python -m venv "$home" >&2
    "$home/bin/python" - > "$home/requirements.txt" <<'END'
import tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = [each for name in ("flow", "kafka", "opensearch", "flink") for each in project["optional-dependencies"][name]]
print(*project["dependencies"], *(each for each in extras if not each.startswith(project["name"])), sep="\n")
END
    "$home/bin/pip" install --quiet --disable-pip-version-check -r "$home/requirements.txt" >&2
    lib=$("$home/bin/python" -c 'import pathlib, pyflink; print(pathlib.Path(pyflink.__path__[0]) / "lib")')
    # shellcheck disable=SC2086
    mvn -B -q dependency:copy -Dartifact="org.apache.flink:$connector" -DoutputDirectory="$lib" ${MVN_ARGS:-} >&2
    touch "$home/ready"
fi
printf '%s' "$home/bin/python"
