"""Safetensors files that say anything at all."""

import json

import pytest


@pytest.fixture(scope="session")
def write_header():
    """`write_header(path, header, data)` makes a safetensors file that says anything at all."""

    def write(path, header, data=b""):
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + data)
        return path

    return write
