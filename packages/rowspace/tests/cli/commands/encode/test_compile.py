"""`rowspace compile`."""

import json

import pytest

from rowspace._base.jit import KERNELS


@pytest.mark.large  # it runs all kernels
def test_compile_says_what_it_took_and_where_the_code_is(run):
    document = json.loads(run("compile", "--json").stdout)
    assert document["kernels"] == len(KERNELS) > 200
    assert document["processor_seconds"] > 0
    assert {"cache", "seconds"} < document.keys()
