"""Certificates for servers of tests, made by the ``openssl`` of this machine when a test asks."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Certificate:
    """A certificate that signs itself, for 127.0.0.1: who trusts ``certificate`` trusts the server with ``both``."""

    certificate: Path
    both: Path  # the certificate with its private key


def make_certificate(folder: Path, name: str) -> Certificate:
    """A new certificate in a folder; the test is skipped where there is no openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command")
    key, certificate, both = (folder / f"{name}{ending}" for ending in (".key", ".crt", ".pem"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return Certificate(certificate, both)
