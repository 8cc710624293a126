#!/usr/bin/env bash
# Programs that reading documents needs beside the Python packages: tesseract for scans and pictures, LibreOffice for old Word
# and PowerPoint files, and fonts to draw with; and Chromium, in which the console is tested. Nothing but the tests and the full image asks for them; `mneme doctor` says
# what a machine has. With --tests also docker-compose (some 120 kB, no daemon), which checks docker-compose.yml. As root on
# Debian or Ubuntu they are installed, elsewhere what to install is said.
set -euo pipefail

missing=()
command -v tesseract >/dev/null || missing+=(tesseract-ocr tesseract-ocr-eng tesseract-ocr-chi-sim)
if command -v tesseract >/dev/null; then
    languages=$(tesseract --list-langs 2>/dev/null)
    for language in eng chi_sim; do
        grep -qx "$language" <<<"$languages" || missing+=("tesseract-ocr-${language/_/-}")
    done
fi
soffice=$(command -v soffice || command -v libreoffice || true)
if [ -z "$soffice" ]; then
    missing+=(libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui)
else
    program=$(dirname "$(readlink -f "$soffice")")
    for part in w:writer c:calc i:impress; do # the library of each part: sw, sc, sd
        case $part in w:*) library=sw ;; c:*) library=sc ;; i:*) library=sd ;; esac
        if [ "$(uname)" = Linux ] && ! compgen -G "$program/lib${library}lo.so" >/dev/null; then
            missing+=("libreoffice-${part#*:}-nogui")
        fi
    done
fi
if [ "$(uname)" = Linux ]; then
    compgen -G "/usr/share/fonts/truetype/dejavu/*" >/dev/null || missing+=(fonts-dejavu-core)
    compgen -G "/usr/share/fonts/truetype/wqy/*" >/dev/null || missing+=(fonts-wqy-zenhei) # what reportlab can embed
fi
if [ "${1:-}" = --tests ] && ! command -v docker-compose >/dev/null && ! docker compose version >/dev/null 2>&1; then
    missing+=(docker-compose)
fi
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
[ ${#missing[@]} -eq 0 ] && exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    printf 'Installing %s\n' "${missing[*]}" >&2
    # One try after another refresh: a mirror that changes meanwhile is no reason to fail.
    for _ in 1 2; do
        apt-get update -qq || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null && exit 0
    done
    printf 'These could not be installed; tests that need them are skipped.\n' >&2
    exit 0
fi
printf 'Not installed, and tests that need them are skipped:\n' >&2
printf '  Debian, Ubuntu:  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
printf '  macOS:           brew install tesseract tesseract-lang && brew install --cask libreoffice chromium\n' >&2
