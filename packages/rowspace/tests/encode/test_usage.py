import subprocess
import sys

from rowspace.encode.usage import Counters

CODE = """
import sys
from rowspace.encode.usage import NumbaSwitch
switch = NumbaSwitch()
assert not switch.is_on({first})
assert "numba" not in sys.modules
assert switch.is_on({second})
assert "numba" in sys.modules and NumbaSwitch().is_on(0, 0)
"""


def test_numba_is_imported_after_a_thousand_texts_or_a_hundred_thousand_characters():
    for first, second in (("999, 99_999", "1, 0"), ("998, 99_999", "1, 1")):
        subprocess.run([sys.executable, "-c", CODE.format(first=first, second=second)], check=True)


def test_counters_without_additions_are_zeros():
    assert Counters(3).totals() == [0, 0, 0]
