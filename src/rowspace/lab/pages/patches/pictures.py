"""Pictures: uploaded ones, which are not trusted; two photographs that scikit-learn ships; the lesson's.

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

__all__ = ["KNOWN", "LARGEST_FILE", "PHOTOGRAPHS", "Pictures", "photograph", "read_picture"]

Picture = NDArray[np.uint8]  # (height, width, 3), or (height, width, 1) in gray

LARGEST_FILE = 16 << 20  # bytes
PHOTOGRAPHS = ("china.jpg", "flower.jpg")
KNOWN = (*PHOTOGRAPHS, "lesson")  # what `photograph` opens
_MOST_PIXELS = 50_000_000
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


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
    from rowspace.lab.pages.patches.images import decode_picture

    try:
        with image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height <= _MOST_PIXELS:
                if opened.format == "PNG":
                    _verify(image, data)
                return decode_picture(opened)
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
        _pillow()
        from rowspace.lab.pages.patches.images import lesson_picture

        return lesson_picture()
    if name not in PHOTOGRAPHS:
        raise UsageError(f"picture must be one of {', '.join(KNOWN)}, or one that was sent, not {name!r}")
    package = find_spec("sklearn")  # found but not imported, which would take seconds
    folders = package.submodule_search_locations if package else None
    file = Path(folders[0], "datasets", "images", name) if folders else None
    if file is None or not file.is_file():
        raise MissingExtraError(f"{name} comes with scikit-learn: pip install 'rowspace[analysis]'")
    return read_picture(file.read_bytes())


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
