import numpy as np
import pytest

from rowspace.store.tokenizer import modules_of, normalizes
from rowspace.table import Table


@pytest.mark.parametrize(
    ("setting", "expected"), [(True, True), (False, False), (None, False), ("yes", False), (1, False)]
)
def test_normalize_module_is_added_only_if_the_setting_is_true(setting, expected):
    table = Table(["cat"], np.ones((1, 2)), settings={"normalize": setting})
    assert normalizes(table) == expected
    assert [module["type"].rpartition(".")[2] for module in modules_of(table)] == (
        ["StaticEmbedding", "Normalize"] if expected else ["StaticEmbedding"]
    )
