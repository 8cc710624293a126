#!/usr/bin/env bash
# Makes .venv with the pinned packages of a lock and Mneme itself: install.sh LOCK. `make` calls it when the lock changes.
# install.sh LOCK FOLDER makes another environment, without Mneme.
set -euo pipefail
cd "$(dirname "$0")/.."
home=${2:-.venv}

say() { printf '%s\n' "$*" >&2; }

# A name on the PATH is not enough: a pyenv shim exists for versions that are not selected, and then fails.
find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3.11 python3.12 python3 python; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
            printf '%s' "$candidate"
            return
        fi
    done
    return 1
}

# uv takes a quarter of the time of pip. Where it is not on the PATH it comes from the package index, for this run alone.
uv=$(command -v uv || true)
if ! "$home/bin/python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
    if ! python=$(find_python); then
        say "Mneme needs Python 3.11 or 3.12, and found neither."
        say "  Debian, Ubuntu:  apt-get install python3.11 python3.11-venv"
        say "  macOS:           brew install python@3.11"
        say "  anywhere:        uv python install 3.11"
        say "Then run make again, or name one: make setup PYTHON=/path/to/python3.11"
        exit 1
    fi
    say "Making $home with $("$python" --version)"
    rm -rf "$home"
    if ! "$python" -m venv ${uv:+--without-pip} "$home"; then
        rm -rf "$home"
        say "$python cannot make virtual environments. On Debian: apt-get install python3-venv"
        exit 1
    fi
fi

# The lock is complete, so nothing is resolved: --no-deps (see requirements/overrides.txt for what that leaves out). Each file
# must have a hash of the lock. Mneme itself, which has none, comes apart, and is built with the setuptools of the lock:
# --no-build-isolation, since what a build would fetch is in no lock.
install=("$home/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps)
if [ -z "$uv" ]; then
    "$home/bin/python" -m pip --version >/dev/null 2>&1 || "$home/bin/python" -m ensurepip >/dev/null
    tools=$(mktemp -d)
    trap 'rm -rf "$tools"' EXIT
    "${install[@]}" --require-hashes --target "$tools" -r requirements/installer.lock || say "Without uv, by pip"
    uv=$tools/bin/uv
fi
if [ -x "$uv" ]; then
    install=("$uv" pip install --quiet --python "$home/bin/python" --no-deps)
fi
say "Installing $(grep -c '==' "$1") packages into $home (once for each change of $1)"
"${install[@]}" --require-hashes -r "$1"
[ "$home" != .venv ] || "${install[@]}" --no-build-isolation -e .

# What only installs is no part of a user's environment: 22 MB. The lock of development keeps it, and brings it back.
if [ -x "$uv" ] && [ "$home $1" = ".venv requirements.lock" ]; then
    "$uv" pip uninstall --quiet --python .venv/bin/python pip setuptools
fi
