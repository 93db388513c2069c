import io

import numpy as np
import pytest
from PIL import Image

from rowspace.errors import FileFormatError
from rowspace_lab.pages.patches.pictures import photograph


def sent(width: int = 40, height: int = 30) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"picture": "six-by-six"},
        {"picture": "flower.jpg", "color": "gray", "height": 64, "width": 96, "patch": 32, "at": 5},
        {"height": 30, "width": 50, "patch": 7, "pad": "true", "values": "signed", "order": "channels_last"},
        {"height": 1, "width": 1, "patch": 1, "dim": 1},
        {"picture": "six-by-six", "color": "rgb", "patch": 2, "values": "bytes", "unit": 9, "seed": 4},
    ],
)
def test_patch_equals_the_result_of_the_code(lab, check_code, parameters):
    reply = check_code(lab, "patches/cut", **parameters)
    down, across = reply.meta["grid"]
    assert reply.meta["patches"] == down * across
    assert reply.arrays["pixels"].shape == reply.arrays["weight"].shape == (reply.meta["numbers"],)
    assert reply.arrays["feature"].shape == (down, across)
    assert reply.meta["difference"] < 1e-5 * max(1, abs(reply.arrays["pixels"]).max())


SIX_BY_SIX = [
    [1, 2, 3, 4, 5, 0, 7, 8, 1],
    [7, 8, 9, 6, 5, 4, 3, 2, 1],
    [2, 3, 4, 5, 6, 7, 8, 9, 0],
    [8, 7, 6, 5, 4, 3, 2, 1, 0],
]


def test_four_patches_of_the_small_picture(lab, ask):
    for at, expected in enumerate(SIX_BY_SIX):
        reply = ask(lab, "patches/cut", picture="six-by-six", at=at)
        assert reply.arrays["pixels"].tolist() == expected
        assert (reply.meta["patches"], reply.meta["grid"]) == (4, [2, 2])


def test_patches_of_224_pixels(lab, ask):
    reply = ask(lab, "patches/cut")
    assert (reply.meta["patches"], reply.meta["numbers"]) == (196, 768)
    assert reply.meta["at"] == 7 * 14 + 7  # the middle


def test_vector_is_pixels_times_weight(lab, ask):
    reply = ask(lab, "patches/cut", unit=5, order="channels_last")
    by_hand = reply.arrays["pixels"].astype(float) @ reply.arrays["weight"]
    assert reply.arrays["linear"][5] == pytest.approx(by_hand, abs=1e-5)
    assert reply.arrays["feature"].flatten()[reply.meta["at"]] == reply.arrays["linear"][5]


def test_pixel_orders_have_the_same_numbers(lab, ask):
    first, last = (ask(lab, "patches/cut", order=order).arrays for order in ("channels_first", "channels_last"))
    size = 16
    for name in ("pixels", "weight"):
        pixels_apart = first[name].reshape(3, size, size).transpose(1, 2, 0).flatten()
        np.testing.assert_array_equal(pixels_apart, last[name])
    np.testing.assert_array_equal(first["linear"], last["linear"])


def test_pixels_equal_those_of_the_shown_image(lab, ask):
    reply = ask(lab, "patches/cut", at=17, values="bytes")
    row, column = divmod(17, 14)
    shown = reply.arrays["image"][row * 16 : row * 16 + 16, column * 16 : column * 16 + 16]
    np.testing.assert_array_equal(shown.transpose(2, 0, 1).flatten(), reply.arrays["pixels"])


@pytest.mark.parametrize(("values", "shown"), [("unit", 0), ("bytes", 0), ("signed", 128)])
def test_padding_is_marked(lab, ask, values, shown):
    image = ask(lab, "patches/cut", height=3, width=3, patch=4, pad="true", values=values).arrays["image"]
    assert image.shape == (4, 4, 3)
    assert (image[3] == shown).all()
    plain = ask(lab, "patches/cut", height=3, width=3, patch=3, values="bytes").arrays["image"]
    np.testing.assert_array_equal(image[:3, :3], plain)


def test_uploaded_picture_is_cut_into_patches(lab, ask, check_code, tmp_path, monkeypatch):
    data = sent()
    name = ask(lab, "patches/picture", data, file="mine.png").meta["picture"]
    assert ask(lab, "patches/picture", data).meta["picture"] == name
    monkeypatch.chdir(tmp_path)
    (tmp_path / "it's <mine>.png").write_bytes(data)
    reply = check_code(
        lab, "patches/cut", picture=name, file="it's <mine>.png", height=30, width=40, patch=10, values="bytes"
    )
    np.testing.assert_array_equal(reply.arrays["image"], np.asarray(Image.open(io.BytesIO(data))))
    check_code(lab, "patches/picture", picture=name, file="it's <mine>.png")


def test_photograph_and_small_picture_are_available(lab, check_code):
    reply = check_code(lab, "patches/picture")
    np.testing.assert_array_equal(reply.arrays["pixels"], photograph("china.jpg"))
    assert check_code(lab, "patches/picture", picture="six-by-six").arrays["pixels"].shape == (6, 6, 1)


def test_upload_that_is_not_a_picture_is_refused(lab, ask):
    with pytest.raises(FileFormatError, match="this file is damaged or not a picture"):
        ask(lab, "patches/picture", b"<script>")


def test_empty_upload_is_refused(lab, ask):
    with pytest.raises(FileFormatError, match="the file is empty; choose a PNG"):
        ask(lab, "patches/picture", body=b"")
    assert ask(lab, "patches/picture").meta["picture"] == "china.jpg"
