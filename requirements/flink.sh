#!/usr/bin/env bash
# Makes the environment of the Flink tests beside .venv, with which it cannot share one, and prints its Python. It has everything
# but Mneme, which comes by PYTHONPATH: checkouts share the environment. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")/.."

connector=flink-sql-connector-kafka:5.0.0-2.2
needed=$(.venv/bin/python - <<'END'
import tomllib

project = tomllib.load(open("pyproject.toml", "rb"))["project"]
extras = [each for name in ("flow", "kafka", "opensearch", "local", "flink") for each in project["optional-dependencies"][name]]
print(*project["dependencies"], *(each for each in extras if not each.startswith(project["name"])), sep="\n")
END
)
home=${MNEME_TEST_CACHE:-$HOME/.cache/mneme-tests}/flink-$(cat - requirements/flink.sh <<<"$needed" | sha256sum | cut -c1-12)
if [ ! -e "$home/ready" ]; then
    rm -rf "$home"
    .venv/bin/python -m venv "$home" >&2
    echo "$needed" > "$home/requirements.txt"
    "$home/bin/pip" install --quiet --disable-pip-version-check -r "$home/requirements.txt" >&2
    lib=$("$home/bin/python" -c 'import pathlib, pyflink; print(pathlib.Path(pyflink.__path__[0]) / "lib")')
    # Its own agents as they are, without the clients of all the models and stores that they can use.
    FLINK_AGENTS_SKIP_JAR_DOWNLOAD=1 "$home/bin/pip" install --quiet --disable-pip-version-check --no-deps flink-agents==0.3.1 >&2
    "$home/bin/pip" install --quiet --disable-pip-version-check docstring-parser==0.16 importlib_resources pytest >&2
    # shellcheck disable=SC2086
    mvn -B -q dependency:copy -Dartifact="org.apache.flink:$connector" -DoutputDirectory="$lib" ${MVN_ARGS:-} >&2
    touch "$home/ready"
fi
printf '%s' "$home/bin/python"
