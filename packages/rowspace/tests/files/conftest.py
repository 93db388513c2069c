"""Safetensors files with arbitrary headers."""

import json

import pytest


@pytest.fixture(scope="session")
def write_header():
    """`write_header(path, header, data)` writes a safetensors file without checking the header."""

    def write(path, header, data=b""):
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + data)
        return path

    return write
