"""`rowspace compile`."""

import json
from pathlib import Path

import pytest

from rowspace._base.jit import KERNELS


@pytest.mark.long  # with an empty cache it takes minutes
def test_compile_says_what_it_took_and_where_the_code_is(run):
    document = json.loads(run("compile", "--json").stdout)
    assert document["kernels"] == len(KERNELS) > 200
    assert document["processor_seconds"] > 0
    assert document["seconds"] > 0
    paths = [kernel.stats.cache_path for kernel in KERNELS]
    assert all(Path(path).is_relative_to(document["cache"]) for path in paths if path)
