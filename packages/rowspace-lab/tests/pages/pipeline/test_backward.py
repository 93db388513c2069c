import sys

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.layers.tables.reference import lookup_backward

TEXT = "list list write"


def test_repeated_row_sums_both_gradients(lab, check_code) -> None:
    reply = check_code(lab, "pipeline/backward", text=TEXT, g="1,10,100")
    of = dict(zip(reply.meta["rows"], reply.arrays["gradient"].tolist(), strict=True))
    assert of == {"list": [11.0] * 20, "write": [100.0] * 20}
    assert sorted(map(len, reply.meta["token_indices"])) == [1, 2]


@pytest.mark.parametrize("upstream", ["ones", "rows"])
def test_gradient_equals_the_reference(lab, check_code, upstream: str) -> None:
    reply = check_code(lab, "pipeline/backward", text=TEXT, g="0.3,-1.7,2", upstream=upstream)
    whole = lookup_backward(lab.table.ids(TEXT.split()), reply.arrays["upstream"], len(lab.table))
    np.testing.assert_array_equal(whole[reply.arrays["touched"]], reply.arrays["gradient"])
    whole[reply.arrays["touched"]] = 0
    assert not whole.any()
    rows = lab.table[TEXT.split()] if upstream == "rows" else np.ones((3, 20))
    np.testing.assert_allclose(reply.arrays["upstream"], np.array([[0.3], [-1.7], [2]]) * rows, rtol=1e-6)


def test_all_methods_give_the_same_gradient(lab, ask) -> None:
    checks = {check["way"]: check for check in ask(lab, "pipeline/backward", text=TEXT, g="1,2,3").meta["checks"]}
    assert sorted(checks) == ["autograd", "loop", "one_hot"]
    assert all(check["equal"] and check["difference"] == 0 for check in checks.values())


def test_missing_numbers_count_up(lab, ask) -> None:
    assert ask(lab, "pipeline/backward", text=TEXT, g="5").arrays["g"].tolist() == [5, 2, 3]
    assert ask(lab, "pipeline/backward", text="list", g="5,6,7").arrays["g"].tolist() == [5]


def test_out_of_range_numbers_are_refused(lab, ask) -> None:
    with pytest.raises(UsageError, match="g must be numbers from -100 to 100, not -101"):
        ask(lab, "pipeline/backward", text=TEXT, g="1,-101")


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_tables_of_other_dtypes(small_lab, check_code, dtype: type) -> None:
    lab = small_lab(["a", "b"], np.array([[0.1, 2.0], [np.nan, 3.0]], dtype))
    reply = check_code(lab, "pipeline/backward", text="a b a", upstream="rows")
    np.testing.assert_allclose(reply.arrays["gradient"][0], [0.4, 8], rtol=1e-3)


def test_without_torch_the_sum_is_shown_and_the_extra_is_named(lab, check_code, monkeypatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[:2] == ["rowspace", "layers"]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "rowspace_lab.pages.pipeline.gradients", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    reply = check_code(lab, "pipeline/backward", text=TEXT)
    assert [check["way"] for check in reply.meta["checks"]] == ["one_hot"]
    assert "pip install 'rowspace[torch]'" in reply.meta["missing"]
    assert "torch" not in reply.meta["code"]
