"""Pictures as arrays: a reader's own, decoded with distrust; two photographs that scikit-learn ships; the lesson's.

Needs Pillow, of `rowspace[lab]`.
"""

import hashlib
import io
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, MissingExtraError, UsageError

__all__ = ["KNOWN", "LARGEST_FILE", "PHOTOGRAPHS", "Pictures", "fitted", "photograph", "read_picture"]

Picture = NDArray[np.uint8]  # (height, width, 3), or (height, width, 1) in gray

LARGEST_FILE = 16 << 20  # bytes
PHOTOGRAPHS = ("china.jpg", "flower.jpg")
KNOWN = (*PHOTOGRAPHS, "lesson")  # what `photograph` opens
_MOST_PIXELS = 50_000_000
_LONGEST_SIDE = 1024
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_LESSON = [[1, 2, 3, 0, 1, 2], [4, 5, 0, 3, 4, 5], [7, 8, 1, 6, 7, 8], [2, 0, 1, 5, 3, 1], [3, 1, 4, 1, 5, 9]]
_LESSON += [[2, 6, 5, 3, 5, 8]]


def read_picture(data: bytes) -> Picture:
    """The bytes of a PNG, JPEG, WebP, GIF (its first frame) or BMP → (height, width, 3) in color.

    Turned as the camera was held, laid on white where it is transparent, and no side longer than 1,024 pixels. Sizes
    are read and bounded before anything is decoded. Raises `FileFormatError` for what cannot be read as a picture, and
    `UsageError` for one that is too large.
    """
    if not data:
        raise FileFormatError("the file is empty; choose a PNG, JPEG, WebP, GIF or BMP picture")
    if len(data) > LARGEST_FILE:
        raise UsageError(f"the picture has {len(data):,} bytes, but {LARGEST_FILE:,} are the most; save it smaller")
    image = _pillow()
    try:
        with image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height <= _MOST_PIXELS:
                if opened.format == "PNG":
                    _verify(image, data)
                return _decoded(opened)
    except (image.DecompressionBombError, image.DecompressionBombWarning):
        raise UsageError(f"the picture has more than {_MOST_PIXELS:,} pixels; save it smaller") from None
    except Exception as error:  # a decoder of foreign bytes: whatever it stumbles over, the file is at fault
        raise FileFormatError(
            "this file is damaged or not a picture; choose a PNG, JPEG, WebP, GIF or BMP that opens elsewhere"
        ) from error
    raise UsageError(
        f"the picture has {width:,} × {height:,} pixels, but {_MOST_PIXELS:,} are the most; save it smaller"
    )


def photograph(name: str) -> Picture:
    """One of scikit-learn's photographs, china.jpg or flower.jpg, or "lesson", 6 × 6 pixels of gray.

    >>> photograph("lesson")[:3, :3, 0]
    array([[1, 2, 3],
           [4, 5, 0],
           [7, 8, 1]], dtype=uint8)
    """
    if name == "lesson":
        return np.array(_LESSON, np.uint8)[:, :, None]
    if name not in PHOTOGRAPHS:
        raise UsageError(f"picture must be one of {', '.join(KNOWN)}, or one that was sent, not {name!r}")
    package = find_spec("sklearn")  # found but not imported, which would take seconds
    folders = package.submodule_search_locations if package else None
    file = Path(folders[0], "datasets", "images", name) if folders else None
    if file is None or not file.is_file():
        raise MissingExtraError(f"{name} comes with scikit-learn: pip install 'rowspace[analysis]'")
    return read_picture(file.read_bytes())


def fitted(picture: Picture, height: int, width: int, *, channels: int = 3) -> Picture:
    """The middle of the picture at another size, (height, width, channels): cut to that aspect, then resampled.

    channels: 3 for color, 1 for gray.

    >>> fitted(photograph("lesson"), 4, 2, channels=1).shape
    (4, 2, 1)
    """
    image = _pillow()
    from PIL import ImageOps

    made = image.fromarray(picture.squeeze(2) if picture.shape[2] == 1 else picture)
    made = made.convert("L" if channels == 1 else "RGB")
    if made.size != (width, height):
        made = ImageOps.fit(made, (width, height), image.Resampling.BICUBIC)
    return np.array(made).reshape(height, width, channels)


class Pictures:
    """The last `most` pictures that were sent, each under a hash of its bytes; decoded one at a time.

    >>> Pictures().get("china.png")
    Traceback (most recent call last):
    rowspace.errors.UsageError: picture 'china.png' is not kept any more, or never was; send it again
    """

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._decoding, self._lock = Lock(), Lock()

    def keep(self, data: bytes) -> str:
        """The name of the picture that these bytes are; raises as `read_picture` does."""
        name = hashlib.sha256(data).hexdigest()[:20]
        with self._decoding:
            picture = self._kept.get(name)
            picture = read_picture(data) if picture is None else picture
        with self._lock:
            self._kept[name] = picture
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> Picture:
        """The picture of a name that `keep` gave."""
        with self._lock:
            if name not in self._kept:
                raise UsageError(f"picture {name[:40]!r} is not kept any more, or never was; send it again")
            self._kept.move_to_end(name)
            return self._kept[name]


def _pillow() -> Any:
    """The module `PIL.Image`."""
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("pictures need Pillow: pip install 'rowspace[lab]'") from error
    return Image


def _verify(image: Any, data: bytes) -> None:
    """Check each chunk of a PNG, down to the last, by its checksum, which decoding the pixels does not."""
    with image.open(io.BytesIO(data), formats=("PNG",)) as opened:
        opened.verify()


def _decoded(opened: Any) -> Picture:
    """An opened file → the picture, as `read_picture` says."""
    from PIL import Image, ImageOps

    opened.draft(None, (_LONGEST_SIDE, _LONGEST_SIDE))  # a JPEG need not be unpacked at its full size
    ImageOps.exif_transpose(opened, in_place=True)
    if opened.mode.startswith("I"):  # 16 bits of gray, of which Pillow would cut the upper ones off
        opened = Image.fromarray((np.asarray(opened).clip(0, 65535) >> 8).astype(np.uint8))
    wanted = "RGBA" if opened.has_transparency_data else "RGB"
    turned = opened if opened.mode == wanted else opened.convert(wanted)
    turned.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE), Image.Resampling.BICUBIC)
    if turned.mode == "RGBA":
        turned = Image.alpha_composite(Image.new("RGBA", turned.size, "white"), turned).convert("RGB")
    return np.array(turned)
