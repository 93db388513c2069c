import warnings

import pytest

from rowspace._base.validate import check_sizes
from rowspace.errors import FileFormatError


def test_equal_sizes_do_not_warn() -> None:
    check_sizes(3, 3, "model.safetensors")


@pytest.mark.parametrize(("tokens", "rows", "padding"), [(3, 4, 1), (32_100, 32_128, 28), (0, 5, 5)])
def test_extra_rows_warn_of_padding(tokens: int, rows: int, padding: int) -> None:
    with pytest.warns(
        UserWarning, match=rf"^m: the last {padding:,} of {rows:,} rows belong to no token of its tokenizer"
    ):
        check_sizes(tokens, rows, "m")


@pytest.mark.parametrize(("tokens", "rows"), [(4, 3), (1, 0), (128_256, 128_000)])
def test_extra_ids_raise(tokens: int, rows: int) -> None:
    message = rf"^m: has {rows:,} rows?, but its tokenizer has {tokens:,} ids?: the first without a row is {rows}; they"
    with pytest.raises(FileFormatError, match=message):
        check_sizes(tokens, rows, "m")


def test_error_names_the_first_token_without_a_row() -> None:
    with pytest.raises(FileFormatError, match=r"but a/t\.json has 2 ids: the first without a row is 1, 'cat'; they"):
        check_sizes(2, 1, "m", tokenizer="a/t.json", first="'cat'")


def test_warning_points_at_the_caller() -> None:
    def reader() -> None:
        check_sizes(1, 2, "m")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader()
    assert [warning.filename for warning in caught] == [__file__]
