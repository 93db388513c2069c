"""Pictures as arrays: decoding and resizing with Pillow."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rowspace._base.parallel import array_imports
from rowspace_lab.pages.patches.replies import PictureSize

Picture = NDArray[np.uint8]  # (height, width, 3), or (height, width, 1) in gray
MAX_SIDE = 1024


def six_by_six() -> Picture:
    """Return a picture of 6 × 6 gray pixels with values from 0 to 9, small enough to compute by hand."""
    rows = [[1, 2, 3, 7, 8, 9], [4, 5, 0, 6, 5, 4], [7, 8, 1, 3, 2, 1], [2, 3, 4, 8, 7, 6], [5, 6, 7, 5, 4, 3]]
    return np.array([*rows, [8, 9, 0, 2, 1, 0]], np.uint8)[:, :, None]


def open_photograph(*, name: str) -> Picture:
    """Return one of scikit-learn's photographs."""
    with array_imports:
        from sklearn.datasets import load_sample_image

    picture: Picture = load_sample_image(name)
    return picture


def open_picture(*, file: str) -> Picture:
    """Read a picture file."""
    with Image.open(file) as opened:
        return decode_picture(opened)


def decode_picture(opened: Any) -> Picture:
    """Decode to RGB: apply the EXIF orientation, replace transparency by white, and limit sides to 1,024 pixels."""
    opened.draft(None, (MAX_SIDE, MAX_SIDE))  # decode a large JPEG at a reduced size
    ImageOps.exif_transpose(opened, in_place=True)
    if opened.mode.startswith("I"):  # 16-bit gray, whose upper bits Pillow would drop
        opened = Image.fromarray((np.asarray(opened).clip(0, 65535) >> 8).astype(np.uint8))
    target_mode = "RGBA" if opened.has_transparency_data else "RGB"
    turned = opened if opened.mode == target_mode else opened.convert(target_mode)
    turned.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.BICUBIC)
    if turned.mode == "RGBA":
        turned = Image.alpha_composite(Image.new("RGBA", turned.size, "white"), turned).convert("RGB")
    return np.array(turned)


def fit_picture(picture: Picture, *, height: int, width: int, channels: int) -> Picture:
    """Resize the picture, cropped at the center to the new aspect ratio; convert it to gray for 1 channel."""
    image = Image.fromarray(picture.squeeze(2) if picture.shape[2] == 1 else picture)
    image = image.convert("L" if channels == 1 else "RGB")
    if image.size != (width, height):
        image = ImageOps.fit(image, (width, height), Image.Resampling.BICUBIC)
    return np.array(image).reshape(height, width, channels)


def picture_size_figure(picture: Picture) -> PictureSize:
    """Return the picture and its size."""
    return {"pixels": picture, "height": picture.shape[0], "width": picture.shape[1]}
