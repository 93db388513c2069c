import pytest


@pytest.mark.parametrize(
    ("parameters", "sizes"),
    [
        ({"height": 223, "width": 211}, [1]),
        ({"height": 224, "width": 150}, [1, 2]),
        ({"pad": "true", "channels": 1, "dim": 64}, list(range(1, 65))),
    ],
)
def test_costs_equal_the_result_of_the_code(lab, check_code, parameters, sizes):
    reply = check_code(lab, "patches/costs", **parameters)
    assert {array.shape for array in reply.arrays.values()} == {(len(sizes),)}
    assert reply.arrays["sizes"].tolist() == sizes


def test_numbers_of_patches_and_scores_at_224_pixels(lab, ask):
    arrays = ask(lab, "patches/costs").arrays
    patches = dict(zip(arrays["sizes"].tolist(), arrays["patches"].tolist(), strict=True))
    assert list(patches) == [1, 2, 4, 7, 8, 14, 16, 28, 32, 56]
    assert [patches[size] for size in (16, 32, 8, 4)] == [196, 49, 784, 3136]
    assert arrays["scores"].max() == (224 * 224 + 1) ** 2
