#!/usr/bin/env bash
# Makes an environment of the generators of clients, in a folder: generators.sh FOLDER; then MNEME_TEST_GENERATORS=FOLDER make test
set -euo pipefail
python3 -m venv "$1"
"$1/bin/pip" install --quiet openapi-python-client==0.29.1 mypy
if command -v npm >/dev/null; then
    npm install --silent --no-fund --no-audit --prefix "$1" openapi-typescript@7 openapi-fetch typescript@5 @types/node@20
fi
