import pytest

from rowspace.store.kernels import copy_rows, find_entries, find_suspects, find_words, has_odd_number, join_words
from rowspace.store.text_formats.kernels import find_lines, parse_rows
from rowspace.store.text_formats.print_kernels import print_rows
from rowspace.store.warm import warm

pytestmark = pytest.mark.kernels


def test_warm_compiles_every_kernel():
    warm()
    for kernel in (
        copy_rows,
        find_entries,
        find_suspects,
        find_words,
        has_odd_number,
        join_words,
        find_lines,
        parse_rows,
        print_rows,
    ):
        assert getattr(kernel, "signatures", [()]), kernel.__name__  # a plain function if compilation is disabled
