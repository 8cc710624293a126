#!/usr/bin/env bash
# Makes the environment of the Flink tests beside .venv, with which it cannot share one, and prints its Python. It has everything
# but Mneme, which comes by PYTHONPATH: checkouts share the environment. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")/.."

connector=flink-sql-connector-kafka:5.0.0-2.2
home=${MNEME_TEST_CACHE:-$HOME/.cache/mneme-tests}/flink-$(cat requirements/flink.lock requirements/flink.sh | sha256sum | cut -c1-12)
if [ ! -e "$home/ready" ]; then
    rm -rf "$home"
    jar=$(mktemp -d)
    trap 'rm -rf "$jar"' EXIT
    # shellcheck disable=SC2086
    mvn -B -q dependency:copy -Dartifact="org.apache.flink:$connector" -DoutputDirectory="$jar" ${MVN_ARGS:-} >&2 &
    PYTHON=.venv/bin/python FLINK_AGENTS_SKIP_JAR_DOWNLOAD=1 requirements/install.sh requirements/flink.lock "$home" >&2
    wait $!
    pyflink=$("$home/bin/python" -c 'import pyflink; print(pyflink.__path__[0])')
    cp "$jar"/*.jar "$pyflink/lib"
    ln -s "$pyflink"/opt/flink-python-*.jar "$pyflink/lib"
    printf '#!%s/bin/python\nfrom flows.engines.flink_start import main\nmain()\n' "$home" > "$home/bin/mneme-flink-python"
    chmod +x "$home/bin/mneme-flink-python"
    touch "$home/ready"
fi
printf '%s' "$home/bin/python"
