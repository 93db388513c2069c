"""The names of `rowspace.space` are imported lazily, so that numba is loaded only when needed."""

import subprocess
import sys

import pytest

from rowspace import space


@pytest.mark.parametrize("name", space.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(space, name) is not None
    assert name in dir(space)


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = space.nothing


def test_table_lookups_do_not_import_numba():
    code = (
        "import sys, numpy; from rowspace.table import Table\n"
        "table = Table(['a'], numpy.ones((1, 2))); table['a'], table.norms, table.similarity('a', 'a')\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
