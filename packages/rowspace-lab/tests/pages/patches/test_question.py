import pytest

from rowspace.errors import UsageError


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"patch": 15}, r"image height 224 is not a multiple of the patch's 15 \(next: 210 or 225\)"),
        ({"at": 196}, "at must be a whole number from 0 to 195, not '196'"),
        ({"patch": 0}, "patch must be a whole number from 1 to 64"),
        ({"height": 513}, "height must be a whole number from 1 to 512"),
        (
            {"height": 512, "width": 512, "patch": 1},
            "make 16,777,216 numbers at dim 64, more than the limit of 4,194,304",
        ),
        ({"unit": 64}, "unit must be a whole number from 0 to 63"),
        ({"picture": "/etc/passwd"}, "picture '/etc/passwd' was not uploaded, or is no longer in memory"),
        ({"values": "other"}, "values must be one of unit, bytes, signed"),
    ],
)
def test_invalid_parameters_are_refused(lab, ask, parameters, message):
    with pytest.raises(UsageError, match=message):
        ask(lab, "patches/cut", **parameters)
